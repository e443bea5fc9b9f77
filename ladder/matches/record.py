"""What is kept of a match so that it can be played again: the lines that were said, and what each turn took.

How this works. A record is compressed JSON, one list for each thing that is known of a turn: what is alike packs better
side by side. What an allowance bore of the runtime's work is only in records of matches in which it bore any, and what
a turn wrote to stderr only where a bot wrote anything. Where a referee program led the match, its questions and all
that it said besides are kept too, as no rules here lead to them again.

Imports inside functions: commands that look at no times of many matches need no orjson.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from engine.bot.clock import Spent, charged_us
from engine.immutable import immutable
from engine.match import Turn
from engine.referees.notes import Notes, Question, Tooltip
from ladder.errors import DamagedRecord


def stored_notes(notes: Notes) -> dict[str, Any]:
    """Return notes as JSON has them. Of texts for people only those that are not empty, by their place."""
    questions = notes.questions
    stored: dict[str, Any] = {
        "seat": [question.seat for question in questions],
        "text": [question.text for question in questions],
        "answer_lines": [question.answer_lines for question in questions],
        "limit_ms": [question.limit_ms for question in questions],
        "steps": len(notes.summaries),
        "summaries": by_place(notes.summaries),
        "infos": by_place(notes.infos),
        "tooltips": [[tooltip.seat, tooltip.text, tooltip.question] for tooltip in notes.tooltips],
        "parameters": notes.parameters,
        "metadata": notes.metadata,
        "stray": notes.stray,
        "is_monitored": notes.is_monitored,
    }
    seldom = {"views": notes.views, "metrics": notes.metrics}
    return stored | {name: values for name, values in seldom.items() if values}


def notes_of(stored: Mapping[str, Any]) -> Notes:
    columns = (stored[name] for name in ("seat", "text", "answer_lines", "limit_ms"))
    return Notes(
        questions=tuple(Question(*question) for question in zip(*columns, strict=True)),
        summaries=in_places(stored["summaries"], stored["steps"]),
        infos=in_places(stored["infos"], stored["steps"]),
        views=tuple(stored.get("views", ())),
        tooltips=tuple(Tooltip(*tooltip) for tooltip in stored["tooltips"]),
        parameters=tuple((key, value) for key, value in stored["parameters"]),
        metadata=stored["metadata"],
        stray=stored["stray"],
        is_monitored=stored["is_monitored"],
        metrics=tuple(stored.get("metrics", ())),
    )


def by_place(texts: Sequence[str]) -> dict[str, str]:
    return {str(place): text for place, text in enumerate(texts) if text}


def in_places(texts: Mapping[str, str], count: int) -> tuple[str, ...]:
    return tuple(texts.get(str(place), "") for place in range(count))


@immutable
class Recording:
    """The turns of a match, and by which rules of its game it was played. `notes`: what a referee program said."""

    turns: tuple[Turn, ...]
    rules_version: int = 1
    notes: Notes | None = None


TIMES = ("wall_us", "cpu_us", "wait_us", "late_us")
Times = tuple[int, int, int]
"""Of a turn: its number, counted from 1 through both seats; what it was charged and its wall time in microseconds."""


def pack(recording: Recording) -> bytes:
    turns = recording.turns
    columns: dict[str, Any] = {
        "rules_version": recording.rules_version,
        "seat": [turn.seat for turn in turns],
        "line": [turn.line for turn in turns],
        **{name: [getattr(turn.spent, name) for turn in turns] for name in TIMES},
    }
    if any(turn.spent.runtime_us for turn in turns):
        columns["runtime_us"] = [turn.spent.runtime_us for turn in turns]
    if any(turn.stderr_chars for turn in turns):
        columns["stderr_chars"] = [turn.stderr_chars for turn in turns]
    if recording.notes:
        columns["notes"] = stored_notes(recording.notes)
    return zlib.compress(json.dumps(columns, separators=(",", ":")).encode())


def unpack(record: bytes) -> Recording:
    """Unpack what `pack` packed. A record of before rules had versions is of the first. Raises DamagedRecord."""
    try:
        stored: Any = json.loads(zlib.decompress(record))
        none = [0] * len(stored["seat"])
        runtime_us, stderr_chars = stored.get("runtime_us", none), stored.get("stderr_chars", none)
        times = zip(*(stored[name] for name in TIMES), runtime_us, strict=True)
        rows = zip(stored["seat"], stored["line"], times, stderr_chars, strict=True)
        turns = tuple(Turn(seat, line, Spent(*spent), chars) for seat, line, spent, chars in rows)
        notes = notes_of(stored["notes"]) if "notes" in stored else None
        return Recording(turns, stored.get("rules_version", 1), notes)
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise DamagedRecord("the record of its turns is damaged") from error


def times_of_seat(record: bytes, seat: int) -> list[Times]:
    """None of one that cannot be read. It takes a tenth of the time of `unpack`, which makes objects."""
    import orjson

    try:
        stored: Any = orjson.loads(zlib.decompress(record))
    except (zlib.error, orjson.JSONDecodeError):
        return []
    runtime_us = stored.get("runtime_us") or [0] * len(stored["seat"])
    columns = zip(*(stored[name] for name in ("seat", *TIMES)), runtime_us, strict=True)
    return [
        (number, charged_us(wall_us, cpu_us, wait_us, late_us, borne_us), wall_us)
        for number, (whose, wall_us, cpu_us, wait_us, late_us, borne_us) in enumerate(columns, 1)
        if whose == seat
    ]
