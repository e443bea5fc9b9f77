"""A match that can be looked at, as JSON: what the viewers and scripts read. `replay.schema.json` is its form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.replay import SCHEMA, ReplayTurn
from ladder.views.turns.watched import WatchedMatch

SCHEMA_FILE = Path(__file__).with_name("replay.schema.json")


def replay_data(watched: WatchedMatch) -> dict[str, Any]:
    """Return a match as JSON has it. The seed is text: as a number it can be too long for its readers."""
    replay = watched.replay
    return {
        "schema": SCHEMA,
        "match": {
            **named(watched, "id", "game", "league", "rules_level"),
            "seed": str(watched.seed),
            **named(watched, "reason", "state"),
        },
        "seats": [named(seat, "seat", "version", "score", "result", "verdict", "message") for seat in watched.seats],
        "setup": replay.setup,
        "start": replay.start,
        "turns": [turn_data(turn) for turn in replay.turns],
        "curves": [
            {**named(curve.kind, "key", "title", "unit"), "values": list(map(list, curve.values))}
            for curve in replay.curves
        ],
        "views": [
            [{"turn": seen.turn, **named(seen.view, "cells", "others", "count", "exact")} for seen in of_seat]
            for of_seat in replay.views
        ],
        "turning_points": list(replay.turning_points),
        "fault": replay.fault,
        "damage": replay.damage and named(replay.damage, "kind", "title", "end_kind", "end_title"),
    }


def turn_data(turn: ReplayTurn) -> dict[str, Any]:
    return {
        **named(turn, "number", "seat", "own_number"),
        "input": None if turn.input is None else list(turn.input),
        **named(turn, "line", "limit_ms"),
        **named(turn.spent, "wall_us", "cpu_us", "wait_us", "late_us", "charged_us"),
        **named(turn, "ruling", "stderr", "state"),
        "events": [
            {**named(event, "kind", "seat"), "cells": list(event.cells), **named(event, "amount", "text")}
            for event in turn.events
        ],
        "advantage": turn.advantage,
    }


def named(of: object, *names: str) -> dict[str, Any]:
    return {name: getattr(of, name) for name in names}


def replay_schema() -> str:
    return SCHEMA_FILE.read_text("utf-8")
