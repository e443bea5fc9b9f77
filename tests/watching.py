"""Matches that can be looked at, made of those that the official referees recorded."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from engine.bot.clock import Spent, TimeRule
from engine.conversation import OK, Outcome
from engine.games.golden import MatchRecord, numbered_records
from engine.match import MatchResult, MatchSpec, Turn
from engine.replay import replay_of
from ladder.ids import MatchId
from ladder.views.turns.watched_match import WatchedMatch, WatchedSeat
from tests.catalogue import GAMES

GOLDEN = Path(__file__).parent / "golden"
NAMES = ("kraken@v3", "wahoo@v12")
USUAL = MatchId(17)
HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)><b>bold</b><!--",
    "\x1b[31mred\x07 \x00 NUL \x7f",
    "\u202egnp.exe\u2066 \u200f turned",
    "${name} $policy $$",
    "\ud800 half, \u2028 a line of its own",
    "x" * 1_000_000,
)
"""What bots may write to do harm."""


def records_of(game_name: str, step: int = 1) -> Iterator[MatchRecord]:
    """Give each of a game's matches that its official referee has recorded, or every second one, and so on."""
    for _, record in islice(numbered_records(GOLDEN / f"{game_name}.jsonl.gz"), 0, None, step):
        assert isinstance(record, MatchRecord)
        yield record


def as_played(record: MatchRecord) -> MatchResult:
    """Return a recorded match as the result of one that was played here, in no time."""
    turns = tuple(Turn(ask.seat, ask.answer) for ask in record.asks)
    spec = MatchSpec(GAMES.find(record.game), record.rules_level, record.seed)
    return MatchResult(spec, Outcome(record.scores, record.end, (OK, OK)), turns)


def watched(game_name: str, turns: int, match_id: MatchId | str = USUAL) -> WatchedMatch:
    """Return the recorded match that has the fewest turns of those with at least that many; its times are made up."""
    return watched_of(recorded(game_name, turns), match_id)


def recorded(game_name: str, turns: int) -> MatchResult:
    """The same match as the result that would have been stored."""
    long_enough = (record for record in records_of(game_name) if len(record.asks) >= turns)
    record = min(long_enough, key=lambda record: len(record.asks))
    said = tuple(turn_of(number, ask.seat, ask.answer) for number, ask in enumerate(record.asks))
    stderr = tuple("".join(notes_of(index) for index, turn in enumerate(said) if turn.seat == seat) for seat in (0, 1))
    return replace(as_played(record), turns=said, stderr=stderr)


def watched_of(result: MatchResult, match_id: MatchId | str = USUAL) -> WatchedMatch:
    """Return a match that was played as it can be looked at."""
    spec, outcome = result.spec, result.outcome
    return WatchedMatch(
        match_id,
        spec.game.name,
        spec.game.leagues[-1].name,
        spec.rules_level,
        spec.seed,
        outcome.reason,
        "finished",
        tuple(seat_of(outcome, seat) for seat in (0, 1)),
        replay_of(result, TimeRule()),
    )


def notes_of(index: int) -> str:
    return "" if index % 3 == 0 else f"depth {index % 7}\nvalue {index}\n"


def turn_of(index: int, seat: int, answer: str | None) -> Turn:
    """A turn that takes longer from time to time; the sixth is late because the machine is busy."""
    wall_us = 1000 + 9000 * (index % 5)
    spent = Spent(70_000, 20_000, 45_000, 500) if index == 5 else Spent(wall_us, wall_us - 500, 200, 10)
    return Turn(seat, answer, spent, len(notes_of(index)))


def seat_of(outcome: Outcome, seat: int) -> WatchedSeat:
    result = "draw" if outcome.winner is None else "win" if outcome.winner == seat else "loss"
    return WatchedSeat(seat, NAMES[seat], outcome.scores[seat], result, "ok", "")


def made_hostile(match: WatchedMatch) -> WatchedMatch:
    """Return a match whose bots try to do harm by all that they write, and by their names."""
    turns = tuple(
        replace(
            turn,
            line=HOSTILE[index % len(HOSTILE)],
            stderr="\n".join(HOSTILE[:6]) if index % 2 else HOSTILE[6],
            events=tuple(replace(event, text=HOSTILE[index % len(HOSTILE)]) for event in turn.events),
            input=(*(turn.input or ()), *HOSTILE[:6]),
        )
        for index, turn in enumerate(match.replay.turns)
    )
    seats = tuple(
        replace(seat, version=HOSTILE[seat.seat], message=HOSTILE[2 + seat.seat], verdict="crashed")
        for seat in match.seats
    )
    return replace(match, seats=seats, replay=replace(match.replay, turns=turns))
