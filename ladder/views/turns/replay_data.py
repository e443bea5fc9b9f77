"""A match that can be looked at, as JSON: what the viewers and scripts read. `replay.schema.json` is its form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.frames import Damage, Event
from engine.replay import SCHEMA, Curve, ReplayTurn, SeenAfter
from ladder.views.turns.watched import WatchedMatch, WatchedSeat

SCHEMA_FILE = Path(__file__).with_name("replay.schema.json")


def replay_data(watched: WatchedMatch) -> dict[str, Any]:
    """Return a match as JSON has it. The seed is text: as a number it can be too long for its readers."""
    replay = watched.replay
    return {
        "schema": SCHEMA,
        "match": {
            "id": watched.id,
            "game": watched.game,
            "league": watched.league,
            "rules_level": watched.rules_level,
            "seed": str(watched.seed),
            "reason": watched.reason,
            "state": watched.state,
        },
        "seats": [seat_data(seat) for seat in watched.seats],
        "setup": replay.setup,
        "start": replay.start,
        "turns": [turn_data(turn) for turn in replay.turns],
        "curves": [curve_data(curve) for curve in replay.curves],
        "views": [[view_data(seen) for seen in of_seat] for of_seat in replay.views],
        "turning_points": list(replay.turning_points),
        "fault": replay.fault,
        "damage": damage_data(replay.damage),
    }


def replay_schema() -> str:
    return SCHEMA_FILE.read_text("utf-8")


def damage_data(damage: Damage | None) -> dict[str, Any] | None:
    if damage is None:
        return None
    return {
        "kind": damage.kind,
        "title": damage.title,
        "end_kind": damage.end_kind,
        "end_title": damage.end_title,
    }


def seat_data(seat: WatchedSeat) -> dict[str, Any]:
    return {
        "seat": seat.seat,
        "version": seat.version,
        "score": seat.score,
        "result": seat.result,
        "verdict": seat.verdict,
        "message": seat.message,
    }


def turn_data(turn: ReplayTurn) -> dict[str, Any]:
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
    return {
        "kind": event.kind,
        "seat": event.seat,
        "cells": list(event.cells),
        "amount": event.amount,
        "text": event.text,
    }


def curve_data(curve: Curve) -> dict[str, Any]:
    return {
        "key": curve.kind.key,
        "title": curve.kind.title,
        "unit": curve.kind.unit,
        "values": [list(values) for values in curve.values],
    }


def view_data(seen: SeenAfter) -> dict[str, Any]:
    view = seen.view
    return {
        "turn": seen.turn,
        "cells": view.cells,
        "others": view.others,
        "count": view.count,
        "exact": view.exact,
    }
