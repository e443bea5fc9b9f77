"""How `make bosses`, `fair` and `fleet` judge what they have counted, and that the rooms of `make mutants` are there.

Imports inside functions: this library takes a second, which each process of a run would spend.
"""

from collections.abc import Callable
from dataclasses import replace
from math import comb, inf

import pytest

from tests.bosses import LEAST_PERCENT, MOST_PERCENT, Trial, accepted_percent, half_of_the_points, newcomers_contests
from tests.catalogue import GAMES
from tests.fair import CHANCE_OF_ALARM, MOST_MISSED, Row, faults_of, most_by_chance
from tests.fleet.scaling import Course, Phase, Sample
from tests.mutants import CHECKOUT, Change, change, main, means_the_same, rooms


def chance_of_failing(percent: float, matches: int, wanted: tuple[float, float]) -> float:
    """Return how likely a bot that truly takes `percent` of the points is outside of `wanted`, all matches decided."""
    least, most = wanted
    share = percent / 100
    return sum(
        comb(matches, won) * share**won * (1 - share) ** (matches - won)
        for won in range(matches + 1)
        if not least <= 100 * won / matches <= most
    )


Wanted = Callable[[int], tuple[float, float]]
BOSS, NEWCOMER = accepted_percent, half_of_the_points


@pytest.mark.parametrize(
    ("percent", "wanted", "is_passed"),
    [
        *((64.9, BOSS, False), (65.0, BOSS, True), (80.0, BOSS, True), (80.1, BOSS, False)),
        *((49.9, NEWCOMER, False), (50.0, NEWCOMER, True), (100.0, NEWCOMER, True)),
    ],
)
def test_a_boss_fails_that_is_too_weak_or_too_strong_and_a_newcomer_that_takes_less_than_half(
    percent: float, wanted: Wanted, is_passed: bool
) -> None:
    assert Trial(percent, slowest_ms=1.0, faults=()).is_passed(wanted(400)) is is_passed


def test_a_fault_fails_whatever_the_percent_is() -> None:
    assert not Trial(72.0, slowest_ms=1.0, faults=("seed 1: a bot was late",)).is_passed(accepted_percent(400))


@pytest.mark.parametrize("matches", [20, 60, 100, 200, 400])
@pytest.mark.parametrize(("percent", "wanted"), [(72.0, BOSS), (60.0, NEWCOMER)])
def test_a_boss_that_takes_72_percent_and_a_newcomer_that_takes_60_fail_by_chance_less_than_once_in_500_times(
    percent: float, wanted: Wanted, matches: int
) -> None:
    assert chance_of_failing(percent, matches, wanted(matches)) < 0.002


@pytest.mark.parametrize(("percent", "wanted"), [(55.0, BOSS), (90.0, BOSS), (33.3, NEWCOMER)])
def test_two_hundred_matches_find_out_who_is_far_off(percent: float, wanted: Wanted) -> None:
    assert chance_of_failing(percent, 200, wanted(200)) > 0.95


def test_four_hundred_matches_are_judged_by_65_to_80_percent_and_nothing_else() -> None:
    assert accepted_percent(400) == accepted_percent(4000) == (65.0, 80.0)


def test_fewer_matches_widen_both_ends_and_never_narrow_them() -> None:
    for matches in range(1, 1000):
        least, most = accepted_percent(matches)
        assert least <= LEAST_PERCENT
        assert most >= MOST_PERCENT


def test_newcomers_have_to_take_60_percent_of_all_wood_bosses_but_the_highest() -> None:
    contests = [*newcomers_contests(GAMES.find("ice-and-fire"), 400)]
    found = [(contest.first.file.stem, contest.league.name, contest.wanted[0]) for contest in contests]
    own = [("ice_and_fire", "wood-3", 60.0), ("ice_and_fire", "wood-2", 60.0), ("ice_and_fire", "wood-1", 50.0)]
    assert found == [*own, ("starter", "wood-3", 60.0), ("starter", "wood-2", 60.0)]


ROW = Row("60 computed", 60, 60, 0, 560, 0, (60.0, 61.0), (60.0, 61.0), 1.0, 1.0, 560)


@pytest.mark.parametrize("turns", [0, 1, 10, 100, 560, 1000, 5000, 20_000])
def test_the_bound_is_the_smallest_that_chance_exceeds_once_in_a_thousand_experiments(turns: int) -> None:
    from scipy.stats import binom

    most = most_by_chance(turns)
    assert binom.sf(most, turns, MOST_MISSED) <= CHANCE_OF_ALARM
    assert most == 0 or binom.sf(most - 1, turns, MOST_MISSED) > CHANCE_OF_ALARM


def test_what_chance_can_bring_about_is_no_fault() -> None:
    """Of 560 turns eight were missed once, beside no busy program: one in a hundred, and a bit of bad luck."""
    assert faults_of([replace(ROW, lost=560 - 8)]) == []
    assert most_by_chance(560) == 14


def test_turns_that_are_really_missed_too_often_are_a_fault() -> None:
    assert faults_of([replace(ROW, lost=560 - 15)]) == ["MISSED: 15 of 560 turns of 60 ms and more, 0 busy programs"]
    assert faults_of([replace(ROW, turns=10, lost=7)]), "three of ten are no chance either"


def test_one_false_time_out_is_a_fault_however_many_turns_there_are() -> None:
    assert faults_of([replace(ROW, cost_ms=45, turns=100_000, lost=1)])


def test_the_rows_of_one_load_are_judged_together_and_those_of_another_apart() -> None:
    rows = [replace(ROW, turns=280, lost=272), replace(ROW, turns=280, lost=272, bot="60 slept")]
    assert faults_of(rows) == ["MISSED: 16 of 560 turns of 60 ms and more, 0 busy programs"]
    assert faults_of([rows[0], replace(rows[1], busy_programs=2)]) == []


def test_a_bot_that_sleeps_too_long_is_missed_on_a_quiet_core_alone() -> None:
    """Beside busy programs nothing proves that it slept."""
    sleeper = replace(ROW, bot="60 slept", computed_ms=0, lost=0)
    assert faults_of([sleeper]) != []
    assert faults_of([replace(sleeper, busy_programs=2)]) == []
    assert faults_of([replace(sleeper, turns=0)]) == ["nothing to judge: 60 slept, 0 busy programs"]


def course(*wanted: int, due: float = 10) -> Course:
    return Course(Phase("burst", 100), [Sample(float(at_s), number, due) for at_s, number in enumerate(wanted)])


def test_a_number_that_comes_late_settles_late_and_one_that_never_fits_never() -> None:
    assert course(600, 9, 10, 12).settled_s == 1
    assert course(*[0] * 70, 10, 10).settled_s == 70
    assert not course(*[0] * 70, 10, 10).is_good
    assert course(0, 10, 0).settled_s == inf


def test_a_number_that_goes_up_and_down_again_swings_and_one_that_trembles_or_falls_does_not() -> None:
    assert course(*[10, 12, 9, 11] * 9).swings == 0
    assert course(*[7, 13] * 9).swings > 1
    assert not course(*[7, 13] * 9).is_good
    falls = Course(Phase("burst", 100), [Sample(float(at_s), 40 - at_s, 40.0 - at_s) for at_s in range(40)])
    assert (falls.swings, falls.is_good) == (0, True)


def test_each_room_has_a_module_and_tests_that_are_there_and_lines_of_that_module() -> None:
    found = rooms([])
    assert len(found) >= 6
    for room in found:
        assert room.tests
        assert all((CHECKOUT / path).is_file() for path in (room.module, *room.tests)), room.name
        written = {line.strip() for line in (CHECKOUT / room.module).read_text("utf-8").splitlines()}
        assert {one.line for one in room.equivalent} <= written, room.name


def test_a_mutant_is_known_by_its_function_and_its_line_before_and_after() -> None:
    difference = "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n def limit(self) -> int:\n-    return 1\n+    return 2"
    of_class = change("engine.a.x\u01c1Clock\u01c1limit__mutmut_1", difference)
    assert of_class == Change("Clock.limit", "return 1", "return 2")
    assert change("engine.a.x_limit__mutmut_12", difference).function == "limit"


def test_a_room_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attic"]) == 2
    assert capsys.readouterr().err.startswith("mutants: no room attic; there are clock, ")


@pytest.mark.parametrize(
    ("line", "mutant", "is_same"),
    [
        ("zip(one, two, strict=True)", "zip(one, two, strict=None)", True),
        ("zip(one, two, strict=True)", "zip(one, two, )", True),
        ("zip(one, two, strict=True)", "zip(one, one, strict=True)", False),
        ('"DELETE FROM ledger WHERE id = %s"', '"delete from ledger where id = %s"', True),
        ('"DELETE FROM ledger WHERE id = %s"', '"DELETE FROM ledger WHERE id <> %s"', False),
        ('{"match": 1}', '{"MATCH": 1}', False),
    ],
)
def test_mutants_of_two_kinds_mean_the_same(line: str, mutant: str, *, is_same: bool) -> None:
    assert means_the_same(Change("f", line, mutant)) is is_same
