"""Matches that were just played here: who sat where, and how they look in a line and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from cli.terminal.words import indent, sandbox_text
from engine.bot.clock import TimeRule
from engine.boxes import NONE
from engine.conversation import Outcome, Verdict, plainly_ended
from engine.errors import HostBusy
from engine.match import MatchResult, MatchSpec, fault_words, result_words
from engine.rejudge import limits_of
from engine.series import MOST_TRIES, Played, Unplayed
from engine.text import counted, listed
from engine.toolchains.params import Params
from ladder.views.turns.rows import PlayedMatch, referee_words, turn_rows

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seating:
    """One match of a series. `order`: the number of the bot in seat 0, in seat 1 and so on, as they were named."""

    spec: MatchSpec
    order: tuple[int, ...] = (0, 1)

    @property
    def seat_of_first(self) -> int:
        return self.order.index(0)


def in_seats(seating: Seating, bots: Sequence[T]) -> tuple[T, ...]:
    """Return what belongs to the bots, given as they were named, in the order of the seats they take in this match."""
    return tuple(bots[who] for who in seating.order)


def points(seating: Seating, result: MatchResult) -> float:
    """Return what the first bot got, from 0 to 1: of two 1 for a win, 0.5 for a draw."""
    return result.outcome.points[seating.seat_of_first]


def complain(results: Sequence[MatchResult | Unplayed]) -> None:
    unplayed = [result for result in results if isinstance(result, Unplayed)]
    if unplayed:
        raise HostBusy(f"{len(unplayed)} of {len(results)} matches void after {MOST_TRIES} tries: {unplayed[-1].why}")


def result_of(played: Played) -> MatchResult:
    if isinstance(played.result, Unplayed):
        raise HostBusy(f"the match is void after {MOST_TRIES} tries: {played.result.why}")
    return played.result


def match_line(result: MatchResult, seats: Sequence[str]) -> str:
    outcome = result.outcome
    words = winner_words(outcome, seats)
    faults = [
        f"{seats[seat]}: {fault_words(result, seat)}"
        for seat, verdict in enumerate(outcome.verdicts)
        if verdict.verdict is not Verdict.OK
    ]
    score = ":".join(map(str, outcome.scores))
    how = f"{words} ({ending_of(result)})"
    line = f"seed {result.spec.seed}  {' - '.join(seats)}  {score}  {how}"
    return "  ".join([line, *faults])


def ending_of(result: MatchResult) -> str:
    turns = "" if result.spec.game.starts_bots else f", {counted(len(result.turns), 'turn')}"
    return f"{result_words(result)}{turns}"


def winner_words(outcome: Outcome, seats: Sequence[str]) -> str:
    """Say who won, or that it was a draw; of more than two who shares the first place."""
    if outcome.winner is not None:
        return f"{seats[outcome.winner]} wins"
    first = [name for name, place in zip(seats, outcome.places, strict=True) if place == 1]
    return "draw" if len(seats) == len(first) else f"{listed(first)} share the first place"


def again_text(played: Played) -> str:
    """Say how often a match had to be replayed because the host was too busy; "" if it was not."""
    if not played.starved:
        return ""
    times = "once" if played.starved == 1 else f"{played.starved} times"
    return f"  (played again, void {times} because the host was too busy)"


def stderr_of(result: MatchResult, seats: Sequence[str], shown: Sequence[int] | None = None) -> str:
    which = range(len(seats)) if shown is None else shown
    said = ((seats[seat], result.stderr[seat]) for seat in which)
    return "\n".join(f"{name} on stderr:\n{indent(text)}" for name, text in said if text)


def uncontained(result: MatchResult) -> Iterator[str]:
    if result.sandbox == NONE:
        yield sandbox_text(result.sandbox)
    if result.spec.game.caution:
        yield result.spec.game.caution


def played_match(
    seating: Seating,
    result: MatchResult,
    host_faults: int,
    names: Sequence[str],
    rule: TimeRule,
    params: Sequence[Params],
    kept_as: str | None = None,
) -> PlayedMatch:
    """Return a match that was played, for scripts. `host_faults`, `rule`, `params`, `kept_as`: see `PlayedMatch`."""
    turns = turn_rows(result.turns, limits_of(result), rule, dict(enumerate(result.stderr)), result.notes)
    bots, of_bots, first = in_seats(seating, names), in_seats(seating, params), points(seating, result)
    return PlayedMatch(
        bots,
        rule.policy,
        rule.clock,
        host_faults,
        first,
        replace(result, outcome=plainly_ended(result.outcome)),
        turns,
        of_bots,
        kept_as,
        referee_words(result.notes),
    )
