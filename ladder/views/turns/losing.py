"""In which turns a match was lost: what brought the loser nearer to it, and its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from engine.conversation import Outcome, SeatVerdict, Verdict
from engine.frames import Damage
from engine.replay import Replay, ReplayTurn
from engine.text import listed

if TYPE_CHECKING:
    from ladder.views.turns.watched import WatchedMatch


@dataclass(frozen=True, slots=True)
class Blow:
    """What brought a side nearer to losing. `own_turn`: its latest by `turn`; `cause`: as "torpedo of orca", or ""."""

    turn: int
    own_turn: int
    kind: str
    amount: int
    cause: str
    text: str


@dataclass(frozen=True, slots=True)
class Loss:
    """How a seat lost, by its game's own events; `sentence`: all of it in words."""

    seat: int
    blows: tuple[Blow, ...]
    sentence: str


def loss_in(match: WatchedMatch) -> Loss | None:
    """Say in which turns a match of two was lost; None where that is not shown."""
    if len(match.seats) != 2 or not match.replay.turns:
        return None
    verdicts = tuple(SeatVerdict(Verdict(one.verdict or Verdict.OK), one.message) for one in match.seats)
    outcome = Outcome(tuple(one.score or 0 for one in match.seats), match.reason, verdicts)
    return loss_of(match.replay, outcome, [one.version for one in match.seats])


def loss_of(replay: Replay, outcome: Outcome, names: Sequence[str]) -> Loss | None:
    """Say in which turns a match was lost; None of a draw, and where its game or its record does not show it."""
    damage, winner = replay.damage, outcome.winner
    if damage is None or winner is None:
        return None
    loser = 1 - winner
    blows = tuple(blows_of(replay.turns, damage, loser, [name.partition("@")[0] for name in names]))
    by_fault = outcome.verdicts[loser].verdict is not Verdict.OK
    turns = turns_text(blows, damage) or ("" if by_fault else costly_text(replay, loser))
    if not turns:
        return None
    return Loss(loser, blows, f"{names[loser]} lost {outcome.scores[loser]}:{outcome.scores[winner]}; {turns}")


def blows_of(turns: Sequence[ReplayTurn], damage: Damage, loser: int, names: Sequence[str]) -> Iterator[Blow]:
    """Yield what brought a seat nearer to losing. The end is always the loser's, whoever's doing it was."""
    for turn, own in zip(turns, own_turns_so_far(turns, loser), strict=True):
        cause = ""
        for event in turn.events:
            if event.kind in damage.causes:
                word = damage.causes[event.kind]
                cause = f"own {word}" if event.seat == loser else f"{word} of {names[event.seat]}"
            if event.kind == damage.end_kind or (event.kind, event.seat) == (damage.kind, loser):
                yield Blow(turn.number, own, event.kind, event.amount, cause, event.text)


def own_turns_so_far(turns: Sequence[ReplayTurn], seat: int) -> Iterator[int]:
    """Yield for each turn of a match how many a seat has had by then."""
    count = 0
    for turn in turns:
        count += turn.seat == seat
        yield count


def turns_text(blows: Sequence[Blow], damage: Damage) -> str:
    end = next((blow for blow in blows if blow.kind == damage.end_kind), None)
    before = [blow for blow in blows if end is None or blow.turn != end.turn]
    word = "turn" if len({blow.own_turn for blow in before}) == 1 else "turns"
    parts = [f"{damage.title} on its {word} {causes_text(before)}"] if before else []
    if end is not None:
        where = f"{end.own_turn}" if before else f"its turn {causes_text([end])}"
        parts.append(f"{damage.end_title} on {where}")
    return ", ".join(parts)


def causes_text(blows: Sequence[Blow]) -> str:
    """Write the loser's own turns, with their cause behind those that have the same: `36, 47 (torpedo of orca), 51`."""
    parts = []
    for cause, same in groupby(blows, key=lambda blow: blow.cause):
        turns = ", ".join(map(str, dict.fromkeys(blow.own_turn for blow in same)))
        parts.append(f"{turns} ({cause})" if cause else turns)
    return ", ".join(parts)


def costly_text(replay: Replay, loser: int) -> str:
    own = list(own_turns_so_far(replay.turns, loser))
    turns = [str(turn) for turn in sorted({own[number - 1] for number in replay.turning_points})]
    return f"it fell back most on its {'turn' if len(turns) == 1 else 'turns'} {listed(turns)}" if turns else ""
