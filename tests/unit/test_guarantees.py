"""The table of guarantees, and who demands which."""

import pytest

from engine.boxes import CGROUP, NESTED, NONE
from engine.errors import Refused, UsageFault
from engine.sandbox.choice import CONTAINING, TIERS
from engine.sandbox.guarantees import TABLE, VARIABLE, Demand, GuaranteeFinding, demand_of, require

BY_NAME = {guarantee.name: guarantee for guarantee in TABLE}
MACHINE, FAIRNESS, NEITHER = BY_NAME["files"], BY_NAME["memory"], BY_NAME["host-name"]


def test_every_guarantee_has_its_own_name_and_sentence_and_says_by_what_it_holds_and_what_would_help() -> None:
    assert len(BY_NAME) == len({guarantee.sentence for guarantee in TABLE}) == len(TABLE)
    for guarantee in TABLE:
        assert all(guarantee.means_in(tier) and guarantee.remedy_in(tier) for tier in TIERS)
        assert Demand.STRICT in guarantee.demanded_by or not guarantee.demanded_by, "whatever reduced demands, it does"


def test_the_tiers_that_the_table_names_exist() -> None:
    named = {tier for guarantee in TABLE for tier in (*guarantee.otherwise, *guarantee.remedies)}
    assert named | {CGROUP, NESTED} <= set(TIERS)
    assert {CGROUP, NESTED} < set(CONTAINING)


def test_strict_is_the_default_and_unknown_words_are_refused() -> None:
    assert demand_of({}) == demand_of({VARIABLE: ""}) == demand_of({VARIABLE: "strict"}) == Demand.STRICT
    assert demand_of({VARIABLE: "reduced"}) == Demand.REDUCED
    with pytest.raises(UsageFault, match="'lax'; it must be one of strict, reduced"):
        demand_of({VARIABLE: "lax"})


@pytest.mark.parametrize("demand", Demand)
def test_what_protects_the_machine_is_always_demanded_and_hiding_its_name_never(demand: Demand) -> None:
    finding = GuaranteeFinding(NEITHER, holds=False, how="a program could read it")
    assert not finding.fails(demand)
    require(NESTED, [finding], demand)
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
