"""What every game must do, run over every game there is: a shipped game is tested the moment it is in the catalogue.

The lines that are said come from recorded matches of each game: real lines, legal and odd ones, in any order.
"""

from dataclasses import replace
from functools import cache
from itertools import islice, product
from random import Random
from typing import Any, ClassVar, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.conformance.kit import check, statement_complaints
from engine.conversation import OK, Ask, Outcome, Referee, SeatVerdict, TimeLimits, Verdict
from engine.errors import GameFault
from engine.game import Game, Pictures
from engine.match import MatchResult, MatchSpec, Turn, converse, replay
from engine.sandbox.choice import open_sandbox
from engine.toolchains.params import params_text
from tests.catalogue import GAMES
from tests.conformance.games import GAMES_TO_CHECK, having, sample
from tests.fakes import Scripted

ROUNDS = 40
games = pytest.mark.parametrize("game", GAMES_TO_CHECK, ids=lambda game: game.name)
with_maps = pytest.mark.parametrize("game", [game for game in GAMES_TO_CHECK if game.maps], ids=lambda game: game.name)


@cache
def lines_of(game: Game) -> tuple[str, ...]:
    answers = (ask.answer for record in sample(game) for ask in record.asks)
    return tuple(dict.fromkeys(islice((answer for answer in answers if answer is not None), 20_000)))


def random_match(game: Game, level: int, seed: int) -> MatchResult:
    """Play a match of random recorded lines, begun with the recorded openings of a match on the same seed."""
    chance = Random(seed)
    record = chance.choice([record for record in sample(game) if record.rules_level == level])
    said = {
        seat: iter([ask.answer for ask in record.asks if ask.seat == seat][: chance.randrange(30)]) for seat in (0, 1)
    }

    def answer(ask: Ask) -> str | None:
        return next(said[ask.seat], None) or chance.choice(lines_of(game))

    spec = MatchSpec(game, level, record.seed)
    outcome, turns = converse(spec, [Scripted(answer), Scripted(answer)])
    return MatchResult(spec, outcome, turns)


@games
def test_the_leagues_are_named_once_and_go_upwards(game: Game) -> None:
    names = [league.name for league in game.leagues]
    assert len(set(names)) == len(names)
    assert [league.rules_level for league in game.leagues] == sorted(league.rules_level for league in game.leagues)
    assert all(game.league(league.title) is league for league in game.leagues)


@games
def test_every_boss_that_is_named_is_there(game: Game) -> None:
    bosses = [(league.boss, params_text(league.boss_params)) for league in game.leagues if league.boss is not None]
    assert bosses
    assert len(set(bosses)) == len(bosses)
    assert all((game.bots_folder / file).is_file() for file, _ in bosses)


@games
def test_every_league_has_a_statement_in_each_language_that_the_game_brings(game: Game) -> None:
    for language, level in product(game.statement_languages, game.rules_levels):
        assert len(game.statement(level, language)) > (500 if game in GAMES.all else 200)
    assert not list(statement_complaints(game))


def test_the_shipped_games_can_be_read_in_english_and_french() -> None:
    assert {game.statement_languages for game in GAMES.all} == {("en", "fr")}


@games
def test_matches_of_any_lines_end_within_the_asks_that_the_game_promises(game: Game) -> None:
    for level in game.rules_levels:
        for seed in range(ROUNDS):
            result = random_match(game, level, seed)
            for seat in (0, 1):
                assert sum(turn.seat == seat for turn in result.turns) <= game.most_asks_per_seat
            assert is_well_formed(result.outcome)


def is_well_formed(outcome: Outcome) -> bool:
    """Say whether an outcome holds together: somebody at fault has not won, and a fault has an explanation."""
    for seat, verdict in enumerate(outcome.verdicts):
        if verdict == OK:
            continue
        if outcome.winner == seat or verdict.verdict not in {Verdict.ILLEGAL, Verdict.TIMEOUT} or not verdict.message:
            return False
    return bool(outcome.reason)


@games
def test_the_same_seed_and_lines_give_the_same_match(game: Game) -> None:
    for level in game.rules_levels:
        for seed in range(5):
            assert random_match(game, level, seed) == random_match(game, level, seed)


@games
def test_a_replay_reproduces_its_match(game: Game) -> None:
    for level in game.rules_levels:
        for seed in range(ROUNDS):
            result = random_match(game, level, seed)
            assert replay(result) == result


@pytest.mark.parametrize("game", having("golden"), ids=lambda game: game.name)
def test_recorded_matches_replay_to_their_recorded_end(game: Game) -> None:
    records = sample(game)[:50]
    assert records
    for record in records:
        turns = tuple(Turn(ask.seat, ask.answer) for ask in record.asks)
        played = MatchResult(
            MatchSpec(game, record.rules_level, record.seed), Outcome(record.scores, record.end, (OK, OK)), turns
        )
        again = replay(played)
        assert (again.outcome.scores, again.outcome.reason) == (record.scores, record.end)


@games
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_text_as_an_answer_gets_a_verdict_and_never_an_exception(game: Game, data: st.DataObject) -> None:
    record = data.draw(st.sampled_from(sample(game)))
    opening = data.draw(st.integers(0, 12))
    odd = data.draw(st.lists(st.one_of(st.none(), st.text(), st.sampled_from(lines_of(game))), max_size=6))
    said = iter([*(ask.answer for ask in record.asks[:opening]), *odd])
    player = Scripted(lambda _: next(said, None))
    outcome, _ = converse(MatchSpec(game, record.rules_level, record.seed), [player, player])
    assert is_well_formed(outcome)


@games
def test_silence_from_the_start_loses_with_the_reason_no_answer(game: Game) -> None:
    for level in game.rules_levels:
        outcome, _ = converse(MatchSpec(game, level, 1), [Scripted(lambda _: None)] * 2)
        assert outcome.verdicts[0].verdict is Verdict.TIMEOUT
        assert outcome.winner != 0


@with_maps
@given(seed=st.integers(-(2**63), 2**63 - 1))
@settings(max_examples=30, deadline=None)
def test_every_seed_has_a_map_and_always_the_same(game: Game, seed: int) -> None:
    maps = game.maps_or_refuse()
    for level in game.rules_levels:
        rows = maps.draw(seed, level)
        assert len({len(row) for row in rows}) == 1
        assert rows == maps.draw(seed, level)
        assert maps.facts(seed, level) == maps.facts(seed, level)


@games
@pytest.mark.parametrize("others", [(None, None), (3000, None), (None, 200), (20, 30)])
def test_the_first_answer_has_its_own_limit_the_games_or_the_matchs(
    game: Game, others: tuple[int | None, int | None]
) -> None:
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
        ({"referee": repeating}, "is asked 50 times; most_asks_per_seat: 21"),
        ({"referee": repeating}, "the outcome has no reason"),
        ({"referee": repeating}, "a referee says illegal or timeout, and why"),
        ({"referee": repeating}, "gives no answer, and the outcome is"),
        ({"referee": endless}, "a match of my-game does not end: seat 0 is asked 211 times"),
        ({"referee": raising}, "the referee of my-game raised KeyError in"),
        ({"referee": forgetful}, "another match the second time"),
        ({"pictures": no_frames}, "frames.py defines no function frames"),
        ({"pictures": lambda: OTHER}, "setup lacks the numbers width and height"),
        ({"pictures": lambda: OTHER}, "frames.py, level 1, seed 1: ask 1 is another than that of"),
        ({"lacks": frozenset({"golden", "secrets", "starters"})}, 'lacks names "starters", and starters/ is there'),
        ({"lacks": frozenset({"golden"})}, 'there is no hidden.toml: add it, or put "secrets" into lacks'),
    ],
)
def test_the_kit_finds_what_is_wrong_with_a_game(differences: dict[str, Any], words: str) -> None:
    template = GAMES_TO_CHECK[-1]
    findings = check(replace(template, **differences), open_sandbox())
    assert words in "\n".join(complaint for finding in findings for complaint in finding.complaints)
