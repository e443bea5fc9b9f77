"""Attacking real sandboxes and the clock: what holds is found to hold, and what was opened on purpose is found open."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import cycle, product, takewhile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.doctor import clock
from cli.doctor.clock import ATTACKS, TRIALS, try_attack
from engine.boxes import NESTED, NONE, Limits
from engine.errors import HostBusy, MachineBusy, SandboxFault
from engine.sandbox.box import Box, BoxedProcess, Sandbox
from engine.sandbox.bubblewrap import Bubblewrap
from engine.sandbox.budget import await_soon
from engine.sandbox.choice import open_sandbox, strongest
from engine.sandbox.guarantees import COMPUTE, PYTHON, TABLE, UNSET, GuaranteeFinding, examine, share_a_core
from tests.acceptance.conftest import Desk
from tests.fair import busy_programs
from tests.processes import give_way
from tests.sandbox.conftest import tiers
from workers.worker_process import serving_sandbox

HERE = tiers()
LOOKS = 5
SHARED_FOLDERS = ("/tmp", "/dev/shm", "/var/tmp")  # noqa: S108 - where the attacks try to leave something


@dataclass
class Changed:
    """A sandbox that makes other boxes than it was asked for."""

    inner: Sandbox
    change: Callable[[Box], Box]
    name: str = "bubblewrap"

    def probe(self) -> None:
        """Do nothing."""

    def start(self, box: Box) -> BoxedProcess:
        return self.inner.start(self.change(box))


class NeverFreezes(Changed):
    """A sandbox whose processes cannot be frozen."""

    def start(self, box: Box) -> BoxedProcess:
        process = self.inner.start(box)
        vars(process)["freeze"] = lambda: None
        return process


class SeesNoMemory(Changed):
    """A sandbox whose meters see no memory."""

    def start(self, box: Box) -> BoxedProcess:
        process = self.inner.start(box)
        ready = process.ready

        def be_ready() -> None:
            ready()
            vars(process)["meter"] = SimpleNamespace(memory_bytes=lambda: 0, close=process.meter.close)

        vars(process)["ready"] = be_ready
        return process


def changed_script(box: Box, old: str, new: str) -> Box:
    return replace(box, command=tuple(word.replace(old, new) for word in box.command))


def with_ballast(megabytes: int) -> Callable[[Box], Box]:
    ballast = f"import os\nBALLAST = bytearray(b'x') * {megabytes * 1024 * 1024}\n"
    return lambda box: changed_script(box, "import os\n", ballast)


def broken(sandbox: Sandbox) -> dict[str, str]:
    return {finding.guarantee.name: finding.how for finding in examine(sandbox) if not finding.holds}


def test_this_machine_offers_a_tier_that_contains() -> None:
    """Else the tests below would try nothing."""
    assert HERE


@dataclass(frozen=True)
class Examined:
    """Two examinations of a tier: the findings of the second, and the marks and open files of what it might leave."""

    findings: list[GuaranteeFinding]
    marks: set[str]
    files_before: set[Path]
    files_after: set[Path]


@cache
def examined(tier: str) -> Examined:
    marks: set[str] = set()

    def look(box: Box) -> Box:
        marks.update(word for word in box.command if word.startswith("attack-"))
        return box

    sandbox = Changed(open_sandbox(tier), look, tier)
    examine(sandbox)
    before = set(Path("/proc/self/fd").iterdir())
    return Examined(examine(sandbox), marks, before, set(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("tier", HERE)
def test_each_tier_keeps_everything_but_that_a_nested_one_shows_the_host_name(tier: str) -> None:
    failing = {finding.guarantee.name for finding in examined(tier).findings if not finding.holds}
    assert failing == ({"host-name"} if tier == NESTED else set())


def test_every_guarantee_is_tried_and_reported_in_the_tables_order() -> None:
    assert [finding.guarantee for finding in examined(HERE[0]).findings] == list(TABLE)


def test_without_a_sandbox_nearly_everything_is_found_broken() -> None:
    """The attacks can succeed; so where they do not, it is the sandbox that holds."""
    findings = {finding.guarantee.name: finding for finding in examined(NONE).findings}
    failing = {name for name, finding in findings.items() if finding.holds is False}
    contained = {"environment", "privileges", "kernel-settings", "writing"}  # an ordinary user is that much
    assert failing | contained == set(findings)
    assert {findings[name].remedy for name in failing} == {UNSET}


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"extra_paths": (Path("/etc"),)}, {"files"}),
        ({"limits": Limits(memory_mb=1024, threads=40, open_files=200)}, {"memory", "limits"}),
        ({"shared_memory": True}, {"shared-memory"}),
    ],
    ids=["a folder", "limits", "shared memory"],
)
def test_a_box_that_is_too_open_in_one_way_is_found_so_in_that_way(change: dict[str, Any], names: set[str]) -> None:
    assert set(broken(Changed(open_sandbox("bubblewrap"), lambda box: replace(box, **change)))) == names


def test_a_writable_folder_is_found() -> None:
    found = broken(Changed(open_sandbox("bubblewrap"), lambda box: replace(box, writable=True)))
    assert "make a file in /out" in found["writing"]


def test_a_second_process_is_found() -> None:
    """A box as compilers have it."""
    found = broken(Changed(open_sandbox("bubblewrap"), lambda box: replace(box, compiles=True)))
    assert "fork" in found["one-process"]
    assert "have memory filled while it is mapped" in found["memory"]
    assert "have pairs of sockets for messages" in found["shared-memory"]


def test_memory_that_is_hidden_from_the_limit_and_not_seen_from_outside_is_found() -> None:
    found = broken(SeesNoMemory(open_sandbox("bubblewrap"), lambda box: box))
    assert set(found) == {"memory"}
    assert "fill 32 MB unseen, by making it read-only" in found["memory"]


MEGABYTES = (2, 8, 20)
EACH_ONCE = set(zip(cycle(HERE), MEGABYTES, strict=False))


@pytest.mark.parametrize(
    ("tier", "megabytes"),
    [pytest.param(*both, marks=[] if both in EACH_ONCE else pytest.mark.weekly) for both in product(HERE, MEGABYTES)],
)
def test_an_interpreter_that_holds_more_memory_changes_no_finding(tier: str, megabytes: int) -> None:
    plain = open_sandbox(tier)
    assert set(broken(Changed(plain, with_ballast(megabytes), plain.name))) <= {"host-name"}


def test_with_such_an_interpreter_memory_that_is_not_seen_is_found_all_the_same() -> None:
    found = broken(SeesNoMemory(open_sandbox("bubblewrap"), with_ballast(20)))
    assert "fill 32 MB unseen, by making it read-only" in found["memory"]


@pytest.mark.parametrize("room_mb", [1, 6, 12])
def test_memory_that_the_limit_keeps_a_program_from_is_no_breach(room_mb: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pieces that it would hide are of 8 MB."""
    monkeypatch.setattr("engine.sandbox.guarantees.HOG_MB", room_mb)
    assert broken(open_sandbox("bubblewrap")) == {}


def test_memory_counts_as_not_tried_where_the_program_that_hides_it_breaks() -> None:
    sandbox = Changed(
        open_sandbox("bubblewrap"), lambda box: changed_script(box, "pairs: list", "1 / 0\n    pairs: list")
    )
    found = {finding.guarantee.name: finding for finding in examine(sandbox)}
    assert (found["memory"].holds, found["memory"].how) == (None, "not tried: ZeroDivisionError: division by zero")
    assert {name for name, finding in found.items() if not finding.holds} == {"memory"}


def with_much_to_do(box: Box) -> Box:
    """Return a box whose program computes for a second before it says anything."""
    return changed_script(box, "import os\n", "import os, time\nwhile time.process_time() < 1: pass\n")


@pytest.fixture
def busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which a program in a box gets less of a core than it takes, however long that is waited for."""
    monkeypatch.setattr("engine.sandbox.budget.WIDE_PATIENCE_S", 0.2)
    tiers = {
        "bubblewrap": lambda: Changed(Bubblewrap(), with_much_to_do),
        "nested": lambda: Bubblewrap("nested", nested=True),
    }
    monkeypatch.setattr("engine.sandbox.choice.CONTAINING", tiers)
    monkeypatch.setattr("engine.sandbox.choice.TIERS", tiers)
    monkeypatch.setattr("engine.sandbox.choice.strongest", strongest.__wrapped__)


def test_the_wait_for_a_core_is_not_held_against_a_program(monkeypatch: pytest.MonkeyPatch, one_core: int) -> None:
    monkeypatch.setattr("engine.sandbox.budget.PATIENCE_S", 0.5)
    monkeypatch.setattr("engine.sandbox.budget.WIDE_PATIENCE_S", 1.5)
    with busy_programs(2, {one_core}), subprocess.Popen(COMPUTE, start_new_session=True) as process:
        try:
            give_way(process.pid)
            with pytest.raises(MachineBusy):
                await_soon(never, process.pid, "it hangs")
        finally:
            process.kill()


@pytest.mark.usefixtures("busy_machine")
def test_a_machine_that_is_too_busy_to_try_its_sandbox_says_so_and_takes_no_weaker_tier() -> None:
    with pytest.raises(MachineBusy, match=r"^this machine is too busy to try its sandbox \(it got \d+ % of a core\)$"):
        serving_sandbox.__wrapped__()


@pytest.mark.usefixtures("busy_machine")
def test_doctor_says_so_in_place_of_broken_guarantees_and_denies_no_language(tmp_path: Path) -> None:
    done = Desk(tmp_path / "home").run("doctor", "--json")
    found = {finding["name"]: finding for finding in json.loads(done.stdout)}
    assert done.returncode == 7
    assert not {guarantee.name for guarantee in TABLE} & set(found)
    assert "too busy to try its sandbox" in found["all guarantees"]["detail"]
    languages = [finding for name, finding in found.items() if name.startswith("language ")]
    assert {finding["ok"] for finding in languages} == {None}
    (line,) = (line for line in Desk(tmp_path / "home").run("doctor").stdout.splitlines() if "languages: " in line)
    assert "not known: Python" in line
    assert "not here" not in line


@pytest.mark.parametrize(("program", "wide_s"), [("while True: pass", 60.0), ("time.sleep(600)", 2.0)])
def test_a_program_that_computes_or_hangs_is_left(program: str, wide_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hangs while others have all cores may do so for as long as one that gets none."""
    monkeypatch.setattr("engine.sandbox.budget.PATIENCE_S", 0.3)
    monkeypatch.setattr("engine.sandbox.budget.WIDE_PATIENCE_S", wide_s)
    process = subprocess.Popen([sys.executable, "-c", f"import time\n{program}"])
    try:
        with pytest.raises(SandboxFault) as caught:
            await_soon(never, process.pid, "it hangs")
    finally:
        process.kill()
        process.wait()
    assert str(caught.value) == "it hangs" or (isinstance(caught.value, MachineBusy) and "sleep" in program)


def never(timeout_s: float) -> bool:
    time.sleep(timeout_s)
    return False


def test_what_is_open_to_compilers_alone_is_found() -> None:
    def spoil(box: Box) -> Box:
        return replace(box, extra_paths=(Path("/etc"),)) if box.compiles else box

    found = broken(Changed(open_sandbox("bubblewrap"), spoil))
    assert set(found) == {"files"}
    assert "see /etc/passwd (in a build)" in found["files"]


def test_a_call_that_the_filter_lets_through_is_found() -> None:
    """Without a sandbox there is no filter."""
    (calls,) = (finding.how for finding in examined(NONE).findings if finding.guarantee.name == "system-calls")
    timers = ("call timerfd_create", "call timer_create")
    for words in (*timers, "call sendmsg", "call setsockopt", "read ahead", "fill memory to write in one call"):
        assert words in calls
    assert "(in a build)" in calls


def test_a_variable_is_found_and_shown_with_its_name_and_without_its_value() -> None:
    box = {"DATABASE_PASSWORD": "xyzzy"}
    found = broken(Changed(open_sandbox("bubblewrap"), lambda asked: replace(asked, environment=box)))
    assert set(found) == {"environment"}
    assert "DATABASE_PASSWORD" in found["environment"]
    assert "xyzzy" not in found["environment"]


def test_a_program_that_goes_on_while_frozen_is_found() -> None:
    assert set(broken(NeverFreezes(open_sandbox("bubblewrap"), lambda box: box))) == {"freezing"}


def test_where_bots_see_no_python_a_shell_tries_some_and_the_rest_counts_as_not_tried() -> None:
    hidden = Changed(open_sandbox("bubblewrap"), lambda box: replace(box, environment={"PATH": "/nowhere"}))
    findings = {finding.guarantee.name: finding for finding in examine(hidden)}
    by_shell = {"files", "writing", "processes", "kernel-settings", "one-process"}
    from_outside = {"freezing", "survivors"}
    assert {name for name, finding in findings.items() if finding.holds} == by_shell | from_outside
    assert {finding.remedy for finding in findings.values() if finding.holds is None} == {PYTHON}


def test_the_shell_finds_what_is_open_too() -> None:
    hidden = partial(changed_script, old="command -v python3", new="command -v no-python")
    found = broken(Changed(open_sandbox(NONE), hidden))
    assert "see /etc/passwd" in found["files"]
    assert "fork" in found["one-process"]


def test_the_message_about_a_python_that_cannot_run_the_attacks_quotes_it() -> None:
    """As one that is too old: nothing counts as tried, rather than as held."""
    too_old = partial(changed_script, old="import ctypes", new="import no_such_module")
    findings = examine(Changed(open_sandbox("bubblewrap"), too_old))
    assert {finding.holds for finding in findings} == {None}
    assert all("No module named 'no_such_module'" in finding.how for finding in findings)


@pytest.mark.parametrize("tier", [*HERE, NONE])
def test_an_examination_leaves_nothing_behind(tier: str) -> None:
    found = examined(tier)
    assert found.files_after == found.files_before
    assert len(found.marks) == 2
    for mark in found.marks:
        assert not [process for process in Path("/proc").glob("[0-9]*") if mark.encode() in command_line(process)]
        assert not [file for folder in SHARED_FOLDERS for file in Path(folder).glob(f"{mark}*")]


def command_line(process: Path) -> bytes:
    """Return a process's command line; one that ended has none."""
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("tier", HERE)
def test_a_clock_that_adds_up_does_so_beside_busy_programs_too(tier: str, one_core: int) -> None:
    """A wait that has not ended yet is not in the kernel's account.

    Nor is the time for which a quota halts all of them, so one look of several has to add up.
    """
    with busy_programs(20, {one_core}, of_other_people=False):
        looks = (share_a_core(open_sandbox(tier)) for _ in range(LOOKS))
        seen = list(takewhile(lambda shared: not shared.adds_up, looks))
    assert len(seen) < LOOKS, seen


@pytest.fixture
def sandbox() -> Sandbox:
    return open_sandbox(HERE[0])


@pytest.mark.parametrize("tier", HERE)
@pytest.mark.parametrize("name", ATTACKS)
def test_no_bot_gets_away_with_it(name: str, tier: str) -> None:
    """On a busy host nothing may be known."""
    assert try_attack(name, ATTACKS[name], open_sandbox(tier)).ok in {True, None}


def test_a_bot_that_answers_in_time_is_not_charged(sandbox: Sandbox) -> None:
    """So it is not the trial itself that makes bots late."""
    assert not clock.is_charged("pass", sandbox)


def test_a_clock_that_is_always_deceived_does_not_hold(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    trials: list[str] = []

    def get_away(attack: str, _: Sandbox) -> bool:
        trials.append(attack)
        return False

    monkeypatch.setattr(clock, "is_charged", get_away)
    assert try_attack("sleep", "attack", sandbox).ok is False
    assert trials == ["attack"] * TRIALS


def test_of_a_host_that_was_too_busy_nothing_is_said(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "is_charged", raising(HostBusy("too much to do")))
    finding = try_attack("sleep", "attack", sandbox)
    assert finding.ok is None
    assert "too much to do" in finding.detail


def raising(error: Exception) -> Callable[[str, Sandbox], bool]:
    def fail(_: str, __: Sandbox) -> bool:
        raise error

    return fail
