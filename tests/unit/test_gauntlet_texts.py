"""The sentence of a gauntlet: it says what the verdict says, and no more."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.gauntlets.gauntlets import Gauntlet, PairRow
from ladder.gauntlets.junit import junit_of
from ladder.gauntlets.rendering import cells, conclusion, final_lines, headline
from ladder.gauntlets.report import GauntletReport, report
from ladder.statistics.elo import estimate_text
from ladder.statistics.sprt_settings import SprtSettings
from ladder.views.gauntlets import in_detail
from ladder.web.pages.gauntlets import gauntlet_file
from tests.catalogue import GAMES
from tests.fakes import version_ids
from tests.unit.test_gauntlet_files import GAUNTLET

QUESTIONS = [None, SprtSettings(0, 10), SprtSettings(-5, 0), SprtSettings(-100, -50), SprtSettings(50, 100, 0.3, 0.3)]
MOST_PAIRS = 5
ALLOWED = {"passed": {"better"}, "failed": {"worse"}}
"""The words that may stand beside a verdict; beside every other state none of them may."""

PREDECESSOR = replace(GAUNTLET, opponent_ids=[*version_ids(7)], opponents=["kraken@v7"], verdict=None, state="running")
"""One opponent, an earlier version, which decides."""
WITH_A_BOSS = replace(
    PREDECESSOR, opponent_ids=[*version_ids(7, 1)], opponents=["kraken@v7", "boss@v1"], deciding_ids=[*version_ids(7)]
)


def all_counts(most: int) -> Iterator[tuple[int, ...]]:
    return (counts for counts in product(range(most + 1), repeat=5) if sum(counts) <= most)


def reported(
    gauntlet: Gauntlet, counts: Sequence[int], question: SprtSettings | None, *, is_over: bool
) -> GauntletReport:
    """Sum up a gauntlet that has seen these pairs against its first opponent, with the verdict that it then has."""
    if question is not None:
        gauntlet = replace(gauntlet, elo0=question.elo0, elo1=question.elo1, alpha=question.alpha, beta=question.beta)
    outcomes = [outcome for outcome, count in enumerate(counts) for _ in range(count)]
    step = len(gauntlet.opponent_ids)
    pairs = [
        PairRow(step * number, outcome, [], ["lab"] * 2, 0, [min(outcome, 2), max(outcome - 2, 0)])
        for number, outcome in enumerate(outcomes)
    ]
    gauntlet = replace(gauntlet, state="finished" if is_over else "running")
    found = report(gauntlet, pairs, [], prior={"kraken@v7"}, elapsed_s=9.0)
    verdict = found.judgement.verdict
    state = "running" if verdict is None else "finished"
    return replace(found, gauntlet=replace(gauntlet, state=state, verdict=verdict))


def claims(words: str) -> set[str]:
    return set(re.findall(r"\b(better|worse)\b", words))


def check(found: GauntletReport) -> None:
    """Check that a gauntlet's sentence, its lines and its report for CI systems claim no more than its verdict."""
    allowed = ALLOWED.get(found.gauntlet.verdict or "", set())
    assert claims(headline(found)) <= allowed, (headline(found), found.gauntlet.verdict)
    assert claims(" ".join(final_lines(found))) <= allowed
    if found.gauntlet.verdict != "failed":
        assert not found.regressions
        assert 'type="failed"' not in junit_of(found)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_sentence_and_the_verdict_agree_for_all_counts_of_few_pairs(question: SprtSettings | None) -> None:
    for counts in all_counts(MOST_PAIRS):
        check(reported(PREDECESSOR, counts, question, is_over=True))


counts_of_pairs = st.tuples(*[st.integers(0, 200)] * 5)
questions = st.sampled_from(QUESTIONS) | st.builds(
    lambda low, gap, alpha, beta: SprtSettings(low, low + gap, alpha, beta),
    *(st.floats(-300, 300), st.floats(1, 300), st.floats(0.001, 0.49), st.floats(0.001, 0.49)),
)


@given(counts=counts_of_pairs, question=questions, is_over=st.booleans())
def test_they_agree_for_many_pairs_and_any_bounds_too(
    counts: tuple[int, ...], question: SprtSettings | None, is_over: bool
) -> None:
    check(reported(PREDECESSOR, counts, question, is_over=is_over))
    check(reported(WITH_A_BOSS, counts, question, is_over=is_over))


def test_one_pair_decides_nothing_however_it_ends() -> None:
    for counts in ((1, 0, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 0, 1)):
        found = reported(PREDECESSOR, counts, None, is_over=True)
        expected = "undecided after 1 pair: too few to tell (kraken@v8 against kraken@v7)"
        assert final_lines(found)[0] == expected
        assert in_detail(found).conclusion == expected
        assert escape(expected) in gauntlet_file(found, GAMES)
        assert expected in junit_of(found)
    running = reported(PREDECESSOR, (0, 0, 1, 2, 1), None, is_over=False)
    assert conclusion(running) == "running after 4 pairs: too few to tell (kraken@v8 against kraken@v7)"
    even = reported(PREDECESSOR, (0, 0, 5, 0, 0), None, is_over=True)
    assert final_lines(even)[0].startswith("undecided: kraken@v8 and kraken@v7 are too close to tell apart: ")


def test_a_test_that_has_decided_against_the_sign_of_the_difference_says_between_what() -> None:
    """A version that is 70 Elo below passes the question whether it is at most 50 to 100 below."""
    found = reported(PREDECESSOR, (40, 90, 290, 40, 20), SprtSettings(-200, -20), is_over=True)
    assert found.gauntlet.verdict == "passed"
    assert re.match(
        r"kraken@v8 against kraken@v7: -\d+ to [-+]\d+ Elo, nearer to -20 than to -200 Elo", headline(found)
    )


def test_it_says_how_many_of_the_pairs_decide() -> None:
    found = reported(WITH_A_BOSS, (0, 0, 3, 4, 30), None, is_over=True)
    assert headline(found).startswith("kraken@v8 is better than kraken@v7 by ")
    assert "(37 pairs, " in headline(found)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
@pytest.mark.parametrize("counts", [(0, 0, 2, 0, 4), (1, 2, 9, 8, 3), (10, 40, 100, 60, 20)])
def test_the_row_that_decides_the_sentence_and_what_scripts_read_have_one_interval(
    counts: tuple[int, ...], question: SprtSettings | None
) -> None:
    found = reported(WITH_A_BOSS, counts, question, is_over=True)
    decides, boss = found.opponents
    assert decides.estimate == found.decisive.estimate == found.judgement.estimate
    assert decides.estimate is not None
    assert boss.estimate is None
    low, high = (f"{abs(round(end))}" for end in (decides.estimate.low, decides.estimate.high))
    assert low in headline(found)
    assert high in headline(found)
    assert estimate_text(decides.estimate) in cells(decides)
    assert in_detail(found).estimate == decides.estimate
