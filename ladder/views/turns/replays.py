"""A stored match as it can be looked at again: its replay, what a seat was sent, and two matches beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar

from engine.endings import ending_words
from engine.errors import Refused, UsageFault
from engine.frames import Event
from engine.game import Games
from engine.replay import SCHEMA, Curve, Replay, ReplayTurn, SeenAfter, replay_of
from ladder.database.connection import Connection
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.matches.record import result_of
from ladder.views.matches import read_recorded, rule_of


@dataclass(frozen=True, slots=True)
class StoredReplay:
    """A stored match, turn by turn. `seats`: in the order of their numbers."""

    row: MatchRow
    seats: tuple[SeatRow, ...]
    replay: Replay


def read_replay(connection: Connection, games: Games, match_id: int) -> StoredReplay:
    """Read a match, turn by turn. Raises UnknownName; Refused for one of which nothing was recorded."""
    row, seats, recording = read_recorded(connection, match_id)
    if not recording.turns:
        raise Refused(f"match {match_id} is {row.state}; nothing of it was recorded that could be looked at")
    result = result_of(games.find(row.game), row, seats, recording)
    return StoredReplay(row, tuple(seats), replay_of(result, rule_of(row)))


def input_of(stored: StoredReplay, seat: int, last_turn: int | None = None) -> str:
    """Return all that a seat was sent, up to a turn of the match, or to the end. Raises UsageFault, Refused.

    That turn's input belongs to it if the turn is the seat's own.
    """
    turns = stored.replay.turns
    if last_turn is not None and not 1 <= last_turn <= len(turns):
        raise UsageFault(f"match {stored.row.id} has turns 1 to {len(turns)}, and no turn {last_turn}")
    if stored.replay.fault:
        raise Refused(f"what match {stored.row.id} sent is not known: {stored.replay.fault}")
    sent = [turn.input or () for turn in turns[:last_turn] if turn.seat == seat]
    return "".join(f"{line}\n" for lines in sent for line in lines)


@dataclass(frozen=True, slots=True)
class Parting:
    """The first turn of two matches in which something else was said. `lines`: in each; None where there is no turn.

    `own_turn`: which of its seat's turns it is, counted from 1.
    """

    HIDDEN: ClassVar = ("own_turn",)

    turn: int
    seat: int
    lines: tuple[str | None, str | None]
    own_turn: int


@dataclass(frozen=True, slots=True)
class Compared:
    """Two matches on one seed. `parting`: None where both went the same way. `endings`: in words."""

    matches: tuple[int, int]
    seed: int
    players: tuple[tuple[str, ...], tuple[str, ...]]
    scores: tuple[tuple[int | None, ...], tuple[int | None, ...]]
    reasons: tuple[str, str]
    turns: tuple[int, int]
    parting: Parting | None
    endings: tuple[str, str]


def compare(first: StoredReplay, second: StoredReplay) -> Compared:
    """Return where two matches part. Raises UsageFault where they are not of one game, level of rules and seed."""
    one, other = first.row, second.row
    if (one.game, one.rules_level, one.seed) != (other.game, other.rules_level, other.seed):
        raise UsageFault(
            f"match {one.id} is {one.game} with seed {one.seed} by rules level {one.rules_level}, match {other.id} is "
            f"{other.game} with seed {other.seed} by rules level {other.rules_level}: only matches on one seed compare"
        )
    both = (first, second)
    names = tuple(tuple(seat.version for seat in match.seats) for match in both)
    scores = tuple(tuple(seat.score for seat in match.seats) for match in both)
    return Compared(
        (one.id, other.id),
        one.seed,
        (names[0], names[1]),
        (scores[0], scores[1]),
        (one.reason, other.reason),
        (len(first.replay.turns), len(second.replay.turns)),
        parting(first.replay.turns, second.replay.turns),
        (ended(first), ended(second)),
    )


def ended(stored: StoredReplay) -> str:
    """Say why a match ended, in words for people."""
    return ending_words(stored.row.reason, [seat.verdict for seat in stored.seats])


def parting(first: Sequence[ReplayTurn], second: Sequence[ReplayTurn]) -> Parting | None:
    """Return the first turn in which a seat says something else; None where there is none."""
    for number, (one, other) in enumerate(zip_longest(first, second), 1):
        there = one or other
        if one and other and (one.seat, one.line) == (other.seat, other.line):
            continue
        return Parting(number, there.seat, (one.line if one else None, other.line if other else None), there.own_number)
    return None


def replay_data(stored: StoredReplay) -> dict[str, Any]:
    """Return a replay as JSON has it. The seed is text: as a number it can be too long for its readers."""
    row, replay = stored.row, stored.replay
    return {
        "schema": SCHEMA,
        "match": {
            "id": row.id,
            "game": row.game,
            "league": row.league,
            "rules_level": row.rules_level,
            "seed": str(row.seed),
            "reason": row.reason,
            "state": row.state,
        },
        "seats": [seat_data(seat) for seat in stored.seats],
        "setup": replay.setup,
        "start": replay.start,
        "turns": [turn_data(turn) for turn in replay.turns],
        "curves": [curve_data(curve) for curve in replay.curves],
        "views": [[view_data(seen) for seen in of_seat] for of_seat in replay.views],
        "turning_points": list(replay.turning_points),
        "fault": replay.fault,
    }


def seat_data(seat: SeatRow) -> dict[str, Any]:
    """Return a seat."""
    return {
        "seat": seat.seat,
        "version": seat.version,
        "score": seat.score,
        "result": seat.result,
        "verdict": seat.verdict,
        "message": seat.message,
    }


def turn_data(turn: ReplayTurn) -> dict[str, Any]:
    """Return a turn."""
    spent = turn.spent
    return {
        "number": turn.number,
        "seat": turn.seat,
        "own_number": turn.own_number,
        "input": None if turn.input is None else list(turn.input),
        "line": turn.line,
        "limit_ms": turn.limit_ms,
        "wall_us": spent.wall_us,
        "cpu_us": spent.cpu_us,
        "wait_us": spent.wait_us,
        "late_us": spent.late_us,
        "charged_us": spent.charged_us,
        "ruling": turn.ruling,
        "stderr": turn.stderr,
        "state": turn.state,
        "events": [event_data(event) for event in turn.events],
        "advantage": turn.advantage,
    }


def event_data(event: Event) -> dict[str, Any]:
    """Return an event."""
    return {
        "kind": event.kind,
        "seat": event.seat,
        "cells": list(event.cells),
        "amount": event.amount,
        "text": event.text,
    }


def curve_data(curve: Curve) -> dict[str, Any]:
    """Return a curve."""
    return {
        "key": curve.kind.key,
        "title": curve.kind.title,
        "unit": curve.kind.unit,
        "values": [list(values) for values in curve.values],
    }


def view_data(seen: SeenAfter) -> dict[str, Any]:
    """Return what a seat could know after a turn."""
    view = seen.view
    return {
        "turn": seen.turn,
        "cells": view.cells,
        "others": view.others,
        "count": view.count,
        "exact": view.exact,
    }
