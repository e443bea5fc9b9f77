"""What every game must do, run over every game there is: a shipped game is tested the moment it is in the catalogue.

Most of it is what the kit checks that authors run. The lines that are said in further matches come from recorded ones
of each game: real lines, legal and odd ones, in any order.
"""

from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any, ClassVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.conformance.kit import check, faults_of, length_complaints, repetition_complaints, with_an_end
from engine.conversation import OK, Ask, Outcome, Referee, SeatVerdict, TimeLimits, Verdict
from engine.errors import GameFault
from engine.game import Game, Pictures
from engine.match import MatchSpec, converse
from engine.sandbox.choice import open_sandbox
from tests.catalogue import GAMES
from tests.conformance.games import GAMES_TO_CHECK, having, sample
from tests.fakes import Scripted

games = pytest.mark.parametrize("game", GAMES_TO_CHECK, ids=lambda game: game.name)


@cache
def lines_of(game: Game) -> tuple[str, ...]:
    answers = (ask.answer for record in sample(game) for ask in record.asks)
    return tuple(dict.fromkeys(islice((answer for answer in answers if answer is not None), 20_000)))


@pytest.mark.long
@games
def test_a_game_passes_the_kit_that_its_author_runs(game: Game) -> None:
    """But for golden records: those of the shipped games stand in a folder of the tests, and are played there."""
    findings = list(check(game, open_sandbox()))
    complaints = [words for finding in findings for words in finding.complaints]
    assert [words for words in complaints if "golden.jsonl" not in words] == []
    assert {finding.check for finding in findings if finding.lacks} == (set() if game.maps else {"maps", *LACKING})


LACKING = {"golden records", "secrets", "pictures"}
"""By the game that the template is."""


@games
def test_leagues_are_named_once(game: Game) -> None:
    assert all(game.league(name) is league for league in game.leagues for name in (league.name, league.title))


def test_the_shipped_games_can_be_read_in_english_and_french() -> None:
    assert {game.statement_languages for game in GAMES.all} == {("en", "fr")}


@pytest.mark.parametrize("game", having("golden"), ids=lambda game: game.name)
def test_matches_of_recorded_lines_end_as_the_game_promises_and_repeat(game: Game) -> None:
    bounded = with_an_end(game)
    assert [*length_complaints(bounded, sample(game)), *repetition_complaints(bounded, sample(game))] == []


@games
@settings(max_examples=60)
@given(data=st.data())
def test_any_text_as_an_answer_gets_a_verdict_and_never_an_exception(game: Game, data: st.DataObject) -> None:
    record = data.draw(st.sampled_from(sample(game)))
    opening = data.draw(st.integers(0, 12))
    odd = data.draw(st.lists(st.one_of(st.none(), st.text(), st.sampled_from(lines_of(game))), max_size=6))
    said = iter([*(ask.answer for ask in record.asks[:opening]), *odd])
    player = Scripted(lambda _: next(said, None))
    outcome, _ = converse(MatchSpec(game, record.rules_level, record.seed), [player, player])
    assert [*faults_of(outcome)] == []


@games
@pytest.mark.parametrize("others", [(None, None), (3000, None), (None, 200), (20, 30)])
def test_the_first_answer_has_a_limit_of_the_game_or_match(game: Game, others: tuple[int | None, int | None]) -> None:
    limits: dict[int, list[int]] = {0: [], 1: []}
    record = max(sample(game), key=lambda record: len(record.asks))
    said = iter(record.asks)

    def answer(ask: Ask) -> str | None:
        limits[ask.seat].append(ask.limit_ms)
        return next(said).answer

    converse(MatchSpec(game, record.rules_level, record.seed, *others), [Scripted(answer), Scripted(answer)])
    for of_seat in limits.values():
        assert of_seat[0] == (others[0] or game.limits.first_ms)
        assert set(of_seat[1:]) == {others[1] or game.limits.turn_ms}


def repeating(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
    for _ in range(50):
        yield Ask(0, ("0",), limits.first_ms)
    return Outcome((1, 0), "", (SeatVerdict(Verdict.CRASHED), OK))


def raising(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
    """Raise at the second question."""
    yield Ask(0, ("0",), limits.first_ms)
    raise KeyError(seed)


def forgetful(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
    CALLS.append(seed)
    yield Ask(0, ("0",), limits.first_ms)
    return Outcome((len(CALLS), 0), "over", (OK, OK))


def no_frames() -> Pictures:
    raise GameFault("frames.py defines no function frames")


class OtherFrames:
    """Pictures of another match than the one that was played."""

    setup: ClassVar[dict[str, object]] = {"width": 3}
    curves = ()

    def __init__(self, seed: int, rules_level: int, limits: TimeLimits) -> None:
        self.referee = repeating(seed, rules_level, limits)


OTHER = Pictures(cast("Any", OtherFrames), None)

CALLS: list[int] = []


def endless(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
    while True:
        yield Ask(0, ("0",), limits.first_ms)


@pytest.mark.parametrize(
    ("differences", "words"),
    [
        (
            {"referee": repeating},
            (
                "is asked 50 times; most_asks_per_seat: 21",
                "the outcome has no reason",
                "a referee says illegal or timeout, and why",
                "gives no answer, and the outcome is",
            ),
        ),
        ({"referee": endless}, ("a match of my-game does not end: seat 0 is asked 211 times",)),
        ({"referee": raising}, ("the referee of my-game raised KeyError in",)),
        ({"referee": forgetful}, ("another match the second time",)),
        ({"pictures": no_frames}, ("frames.py defines no function frames",)),
        (
            {"pictures": lambda: OTHER},
            ("setup lacks the numbers width and height", "frames.py, level 1, seed 1: ask 1 is another than that of"),
        ),
        ({"lacks": frozenset({"golden", "secrets", "starters"})}, ('lacks names "starters", and starters/ is there',)),
        ({"lacks": frozenset({"golden"})}, ('there is no hidden.toml: add it, or put "secrets" into lacks',)),
    ],
)
def test_the_kit_finds_what_is_wrong_with_a_game(differences: dict[str, Any], words: tuple[str, ...]) -> None:
    template = GAMES_TO_CHECK[-1]
    findings = check(replace(template, **differences), open_sandbox())
    found = "\n".join(complaint for finding in findings for complaint in finding.complaints)
    assert [said for said in words if said not in found] == []
