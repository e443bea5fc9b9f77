"""The table of guarantees, who demands which, and what `ladder doctor` makes of what it reads."""

from pathlib import Path

import pytest

from cli.context import Context
from cli.doctor.command import services
from cli.doctor.machine import MachineTimes, disk, governor, quota_of_v1, quota_of_v2, stolen_time
from cli.doctor.sandbox import trials
from engine.boxes import CGROUP, NESTED, NONE
from engine.errors import Refused, UsageFault
from engine.sandbox.choice import CONTAINING, TIERS
from engine.sandbox.guarantees import TABLE, VARIABLE, Demand, GuaranteeFinding, Sharing, demand_of, require
from engine.toolchains.languages import SHIPPED_FILE, languages
from workers.embedded.state_file import Running

BY_NAME = {guarantee.name: guarantee for guarantee in TABLE}
MACHINE, FAIRNESS, NEITHER = BY_NAME["files"], BY_NAME["memory"], BY_NAME["host-name"]


def test_every_guarantee_has_its_own_name_and_sentence() -> None:
    assert len(BY_NAME) == len({guarantee.sentence for guarantee in TABLE}) == len(TABLE)


def test_every_guarantee_says_by_what_it_holds_and_what_would_help_in_every_tier() -> None:
    assert all(guarantee.means_in(tier) and guarantee.remedy_in(tier) for guarantee in TABLE for tier in TIERS)


def test_whatever_reduced_demands_strict_demands_too() -> None:
    assert all(Demand.STRICT in guarantee.demanded_by or not guarantee.demanded_by for guarantee in TABLE)


def test_the_tiers_that_the_table_names_exist() -> None:
    named = {tier for guarantee in TABLE for tier in (*guarantee.otherwise, *guarantee.remedies)}
    assert named | {CGROUP, NESTED} <= set(TIERS)
    assert {CGROUP, NESTED} < set(CONTAINING)


def test_strict_is_the_default() -> None:
    assert demand_of({}) == demand_of({VARIABLE: ""}) == demand_of({VARIABLE: "strict"}) == Demand.STRICT
    assert demand_of({VARIABLE: "reduced"}) == Demand.REDUCED


def test_unknown_words_for_a_demand_are_refused() -> None:
    with pytest.raises(UsageFault, match="'lax'; it must be one of strict, reduced"):
        demand_of({VARIABLE: "lax"})


@pytest.mark.parametrize("demand", Demand)
def test_hiding_the_machines_name_is_never_demanded(demand: Demand) -> None:
    finding = GuaranteeFinding(NEITHER, holds=False, how="a program could read it")
    assert not finding.fails(demand)
    require(NESTED, [finding], demand)


@pytest.mark.parametrize("demand", Demand)
def test_what_protects_the_machine_is_always_demanded(demand: Demand) -> None:
    with pytest.raises(Refused, match="see /etc/passwd"):
        require("bubblewrap", [GuaranteeFinding(MACHINE, holds=False, how="a program could see /etc/passwd")], demand)


@pytest.mark.parametrize(
    "finding",
    [
        GuaranteeFinding(FAIRNESS, holds=False, how="a program could fill 48 MB"),
        GuaranteeFinding(MACHINE, holds=None, how="not tried"),
    ],
    ids=["what keeps the game fair", "what could not be tried"],
)
def test_strict_alone_demands(finding: GuaranteeFinding) -> None:
    require("bubblewrap", [finding], Demand.REDUCED)
    with pytest.raises(Refused, match="LADDER_GUARANTEES=strict demands") as refused:
        require("bubblewrap", [finding], Demand.STRICT)
    assert finding.how in str(refused.value)


def test_a_refusal_names_the_tier_and_everything_that_is_missing() -> None:
    broken = [GuaranteeFinding(guarantee, holds=False, how="broken") for guarantee in (MACHINE, FAIRNESS)]
    with pytest.raises(Refused) as refusal:
        require("bubblewrap", [*broken, GuaranteeFinding(NEITHER, holds=False, how="broken")], Demand.STRICT)
    words = str(refusal.value)
    assert all(word in words for word in ("'bubblewrap'", MACHINE.sentence, FAIRNESS.sentence))
    assert NEITHER.sentence not in words
    assert NONE not in words.split()


MS = 1_000_000


def test_every_shipped_language_is_tried_with_a_bot_and_named_packages() -> None:
    assert set(trials()) == {name for name in languages() if f"[{name}]" in SHIPPED_FILE.read_text("utf-8")}
    assert all(set(trial) == {"source", "packages"} for trial in trials().values())
    assert all(bool(trials()[known.name]["packages"]) != bool(known.lacking) for known in languages().values())


@pytest.mark.parametrize(
    ("cpu_ms", "wait_ms", "adds_up"),
    [(50, 50, True), (45, 50, True), (50, 0, False), (100, 0, False), (20, 20, False)],
    ids=["half each", "a wait still open", "waits not counted", "never waited", "much unexplained"],
)
def test_a_clock_is_fair_where_computing_and_waiting_are_all_time(cpu_ms: int, wait_ms: int, *, adds_up: bool) -> None:
    assert Sharing(100 * MS, cpu_ms * MS, wait_ms * MS, slices=10).adds_up == adds_up


def test_a_quota_of_cgroup_version_2_is_read_in_cores(tmp_path: Path) -> None:
    assert quota_of_v2(tmp_path) is None
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert quota_of_v2(tmp_path) is None
    (tmp_path / "cpu.max").write_text("150000 100000\n")
    assert quota_of_v2(tmp_path) == 1.5


def test_a_quota_of_cgroup_version_1_is_read_in_cores(tmp_path: Path) -> None:
    assert quota_of_v1(tmp_path) is None
    (tmp_path / "cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / "cpu.cfs_quota_us").write_text("-1\n")
    assert quota_of_v1(tmp_path) is None
    (tmp_path / "cpu.cfs_quota_us").write_text("50000\n")
    assert quota_of_v1(tmp_path) == 0.5


def test_a_clock_rate_that_changes_is_not_ok_and_comes_with_the_command_that_fixes_it(tmp_path: Path) -> None:
    assert governor(tmp_path).ok is None
    files = [tmp_path / f"cpu{core}" / "cpufreq" / "scaling_governor" for core in range(2)]
    for file, word in zip(files, ("performance", "powersave"), strict=True):
        file.parent.mkdir(parents=True)
        file.write_text(f"{word}\n")
    check = governor(tmp_path)
    assert (check.ok, "performance and powersave" in check.detail, "cpupower" in check.remedy) == (False, True, True)
    files[1].write_text("performance\n")
    assert governor(tmp_path).ok is True


def test_stolen_time_is_the_share_since_it_was_looked_at() -> None:
    now = MachineTimes.now()
    assert stolen_time(MachineTimes(now.total - 1000, now.stolen - 500)).ok is False
    assert stolen_time(MachineTimes(now.total - 100_000, now.stolen)).ok is True


def test_of_services_that_do_not_answer_only_ones_own_are_started_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LADDER_DATABASE_URL", "postgresql://127.0.0.1:1/none")
    monkeypatch.setenv("LADDER_BROKER_URL", "redis://127.0.0.1:1/0")
    finding = services(Context())
    assert (finding.ok, finding.remedy) == (False, "")
    monkeypatch.delenv("LADDER_DATABASE_URL")
    monkeypatch.delenv("LADDER_BROKER_URL")
    stopped = Context()
    stopped.services = Running(1, "", database_url="postgresql://127.0.0.1:1/none", broker_url="redis://127.0.0.1:1/0")
    finding = services(stopped)
    assert (finding.ok, finding.remedy) == (False, "ladder down && ladder up")


def test_the_disk_is_looked_at_where_the_home_will_be(tmp_path: Path) -> None:
    assert str(tmp_path / "not" / "there") in disk(tmp_path / "not" / "there").detail
