"""What is said of gauntlets, in files for other programs too: sentence and verdict agree."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from html import escape
from html.parser import HTMLParser
from itertools import product
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.choices import GauntletVerdict
from ladder.gauntlets.gauntlets import Gauntlet, PairRow
from ladder.gauntlets.junit import junit_of
from ladder.gauntlets.rendering import cells, conclusion, final_lines, headline
from ladder.gauntlets.report import FaultCounts, GauntletReport, report
from ladder.ids import GauntletId, LeagueId, MatchId, VersionId
from ladder.statistics.elo import estimate_text
from ladder.statistics.sprt_settings import SprtSettings
from ladder.views.gauntlets import in_detail
from ladder.web.pages.gauntlets import gauntlet_file
from tests.catalogue import GAMES
from tests.fakes import version_ids

BEGAN = datetime(2026, 5, 4, 12, 30, tzinfo=timezone(timedelta(hours=2)))
GAUNTLET = Gauntlet(
    id=GauntletId(12),
    game="ocean-of-code",
    league_id=LeagueId(1),
    league="Wood 2",
    candidate_id=VersionId(8),
    candidate="kraken@v8",
    baseline_id=None,
    baseline=None,
    opponent_ids=[*version_ids(7, 3)],
    opponents=["kraken@v7", "kraken@v3"],
    asked_by="kim",
    seed=5,
    seeds=None,
    pairs=40,
    elo0=None,
    elo1=None,
    elo_model="logistic",
    alpha=0.05,
    beta=0.05,
    gates=False,
    state="finished",
    verdict=GauntletVerdict.PASSED,
    created_at=BEGAN,
    ended_at=BEGAN + timedelta(seconds=90),
)
NASTY = '<script>alert(\'"&x")</script>]]>'
WINS, LOSES, MIXED = (4, 3, 4, 2), (0, 1, 0, 2), (1, 2, 3, 2)


def told(
    *outcomes: Sequence[int], gauntlet: Gauntlet = GAUNTLET, host: str = "lab", sprt: SprtSettings | None = None
) -> GauntletReport:
    """Sum up 80 pairs, ten times these outcomes against each opponent in turn, or none."""
    if sprt is not None:
        gauntlet = replace(gauntlet, elo0=sprt.elo0, elo1=sprt.elo1)
    pairs = []
    for number, (opponent, own) in product(range(40), enumerate(outcomes)):
        points, match_ids = own[number % len(own)], [MatchId(4 * number + opponent), MatchId(900 + number)]
        halves = [points // 2, points - points // 2]
        pairs.append(PairRow(2 * number + opponent, points, match_ids, [host, host], 0, halves))
    prior = set(gauntlet.opponents)
    return report(gauntlet, pairs, [FaultCounts("kraken@v8", 2, 1)], prior=prior, elapsed_s=90.0)


def suite_of(found: GauntletReport) -> ElementTree.Element:
    root = ElementTree.fromstring(junit_of(found))  # noqa: S314 - our own
    assert root.tag == "testsuites"
    (suite,) = root
    check_rules(suite)
    return suite


def check_rules(suite: ElementTree.Element) -> None:
    """Check what Ant's schema asks for: parts in order, attributes, counts, decimal times, a time without a zone."""
    tags = [part.tag for part in suite]
    cases = suite.findall("testcase")
    assert tags == ["properties", *["testcase"] * len(cases), "system-out", "system-err"]
    assert set(suite.attrib) == {
        *("name", "package", "id", "timestamp", "hostname", "tests", "failures", "errors", "skipped", "time")
    }
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
    assert suite.attrib["hostname"]
    assert all(set(part.attrib) == {"name", "value"} for part in suite.iter("property"))
    for case in cases:
        assert set(case.attrib) == {"name", "classname", "time"}
        assert len(case) <= 1
    for failure in suite.iter("failure"):
        assert set(failure.attrib) == {"message", "type"}
    assert all(re.fullmatch(r"\d+\.\d+", part.attrib["time"]) for part in [suite, *cases])
    counts = {name: str(len(suite.findall(f"testcase/{name}"))) for name in ("failure", "error", "skipped")}
    assert (suite.attrib["failures"], suite.attrib["errors"], suite.attrib["skipped"]) == tuple(counts.values())
    assert suite.attrib["tests"] == str(len(cases))


class PageReader(HTMLParser):
    """Reads a page and remembers its tags, what they point at, and its words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.words = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in {"src", "href", "xlink:href"}]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def page_of(found: GauntletReport) -> PageReader:
    page = gauntlet_file(found, GAMES)
    assert page.startswith("<!DOCTYPE html>")
    reader = PageReader(page)
    assert reader.open == []
    assert reader.links == []
    assert "script" not in reader.tags
    assert "url(" not in page
    assert "@import" not in page
    return reader


class TestJUnit:
    def test_a_gauntlet_that_has_passed_is_a_suite_without_failures(self) -> None:
        suite = suite_of(told(WINS, WINS))
        assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["skipped"]) == ("3", "0", "0")
        names = ["better than the average of 2 opponents", "against kraken@v7", "against kraken@v3"]
        assert [case.attrib["name"] for case in suite.iter("testcase")] == names
        seen = {name: suite.attrib[name] for name in ("timestamp", "hostname", "time")}
        assert seen == {"timestamp": "2026-05-04T10:30:00", "hostname": "lab", "time": "90.000"}

    def test_one_that_has_failed_is_a_failure_with_its_sentence(self) -> None:
        suite = suite_of(told(LOSES, LOSES, gauntlet=replace(GAUNTLET, verdict=GauntletVerdict.FAILED)))
        failure, *_ = suite.iter("failure")
        assert failure.attrib["message"].startswith("failed: kraken@v8 is worse than the average of 2 opponents by ")
        assert failure.attrib["type"] == "failed"

    @pytest.mark.parametrize(("state", "verdict"), [("finished", "undecided"), ("stopped", None), ("running", None)])
    def test_one_without_an_answer_is_skipped(self, state: str, verdict: GauntletVerdict | None) -> None:
        suite = suite_of(told(MIXED, MIXED, gauntlet=replace(GAUNTLET, state=state, verdict=verdict)))
        assert (suite.attrib["failures"], suite.attrib["skipped"]) == ("0", "1")
        (skipped,) = suite.iter("skipped")
        assert skipped.attrib["message"].startswith(f"{verdict or state}: ")

    def test_a_regression_is_a_failure_of_its_opponent_even_if_the_gauntlet_has_passed(self) -> None:
        suite = suite_of(told(WINS, LOSES))
        failed = [case for case in suite.iter("testcase") if case.find("failure") is not None]
        assert [case.attrib["name"] for case in failed] == ["against kraken@v3"]
        text = failed[0].findtext("failure") or ""
        assert "lost against kraken@v3 on seed" in text
        assert "kraken@v7" not in text

    def test_its_numbers_are_properties(self) -> None:
        found = told(WINS, WINS, sprt=SprtSettings(0, 10))
        properties = {part.attrib["name"]: part.attrib["value"] for part in suite_of(found).iter("property")}
        expected = {"candidate": "kraken@v8", "pairs": "80", "counts": "0-0-20-20-40", "elo0": "0", "elo1": "10"}
        assert properties.items() >= {**expected, "timeouts": "2", "faults": "1"}.items()
        assert float(properties["llr"]) == found.judgement.llr
        assert float(properties["elo"]) > 0
        assert "baseline" not in properties

    def test_before_anything_is_played_it_can_be_written_too(self) -> None:
        suite = suite_of(told(gauntlet=replace(GAUNTLET, state="running", verdict=None)))
        assert suite.attrib["skipped"] == "1"
        assert suite.attrib["hostname"] == "localhost"

    def test_nothing_in_it_breaks_the_xml(self) -> None:
        """Whatever a machine calls itself, also with characters that XML cannot hold."""
        nasty = f"{NASTY}\x00\x1b\ufffe\ud800"
        suite = suite_of(told(WINS, WINS, host=nasty, gauntlet=replace(GAUNTLET, league=nasty)))
        assert suite.attrib["hostname"].startswith(NASTY)
        assert NASTY in suite.attrib["name"]
        junit_of(told(WINS, host=nasty, gauntlet=one_opponent(nasty))).encode()


def one_opponent(name: str) -> Gauntlet:
    return replace(GAUNTLET, opponent_ids=[*version_ids(7)], opponents=[name])


class TestPage:
    def test_it_shows_verdict_opponents_lost_pairs_faults_and_machines(self) -> None:
        found = told(WINS, LOSES)
        words = page_of(found).words
        assert "passed" in words
        assert "worse against kraken@v3" in words
        for heading in ("Opponents", "Lost pairs", "Time-outs and other faults", "Machines"):
            assert heading in words
        worst = found.lost[0]
        assert str(worst.seed) in words
        assert ", ".join(map(str, worst.match_ids)) in words
        assert "lab" in words
        assert "2026-05-04" in words

    def test_a_sequential_test_has_a_gauge_and_others_have_none(self) -> None:
        found = told(WINS, WINS, sprt=SprtSettings(0, 10))
        assert f"log-likelihood ratio {found.judgement.llr:.2f} between" in page_of(found).words
        assert "log-likelihood" not in page_of(told(WINS, WINS)).words

    def test_each_opponent_has_a_bar_as_long_as_its_score(self) -> None:
        page = gauntlet_file(told(WINS, LOSES), GAMES)
        found = re.findall(r'width="([\d.]+)%" height="18" fill="currentColor" class="(?:good|bad|open)', page)
        won, lost, both = map(float, found)
        assert won / lost == pytest.approx(13 / 3, rel=0.01)
        assert both == pytest.approx((won + lost) / 2, rel=0.01)

    def test_before_anything_is_played_it_can_be_written_too(self) -> None:
        assert "nothing is known yet" in page_of(told(gauntlet=replace(GAUNTLET, state="running", verdict=None))).words

    def test_everything_in_it_is_escaped(self) -> None:
        gauntlet = replace(one_opponent(NASTY), league=NASTY, asked_by=NASTY, candidate=NASTY)
        found = replace(told(LOSES, host=NASTY, gauntlet=gauntlet), faults=[FaultCounts(NASTY, 1, 1)])
        assert page_of(found).words.count(NASTY) > 5

    def test_times_are_shown_with_their_zone(self) -> None:
        assert "10:30 UTC" in page_of(told(WINS, WINS)).words
        assert "12:30 UTC" in page_of(told(gauntlet=replace(GAUNTLET, created_at=BEGAN.replace(tzinfo=UTC)))).words


QUESTIONS = [None, SprtSettings(0, 10), SprtSettings(-5, 0), SprtSettings(-100, -50), SprtSettings(50, 100, 0.3, 0.3)]
MOST_PAIRS = 5
ALLOWED = {"passed": {"better"}, "failed": {"worse"}}
"""The words that may stand beside a verdict; beside every other state none of them may."""

PREDECESSOR = replace(GAUNTLET, opponent_ids=[*version_ids(7)], opponents=["kraken@v7"], verdict=None, state="running")
"""One opponent, an earlier version, which decides."""
WITH_A_BOSS = replace(
    PREDECESSOR, opponent_ids=[*version_ids(7, 1)], opponents=["kraken@v7", "boss@v1"], deciding_ids=[*version_ids(7)]
)


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
    for counts in product(range(MOST_PAIRS + 1), repeat=5):
        if sum(counts) <= MOST_PAIRS:
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
    assert final_lines(even)[0].startswith("undecided: these pairs cannot tell kraken@v8 and kraken@v7 apart: ")


def test_a_test_that_has_decided_against_the_sign_of_the_difference_says_between_what() -> None:
    """A version that is 70 Elo below passes the question whether it is at most 50 to 100 below."""
    found = reported(PREDECESSOR, (40, 90, 290, 40, 20), SprtSettings(-200, -20), is_over=True)
    assert found.gauntlet.verdict == "passed"
    sentence = r"kraken@v8 against kraken@v7: -\d+ to [-+]\d+ Elo, nearer to -20 than to -200 Elo"
    assert re.match(sentence, headline(found))


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
