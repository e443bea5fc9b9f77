"""What a referee program said in a match, as it is stored in the match's record: values that JSON has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.referees.notes import Notes, Question, Tooltip


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
    """Return notes that were stored. Raises KeyError, TypeError or ValueError for what is none."""
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
    """Return the texts that are not empty, each with its place."""
    return {str(place): text for place, text in enumerate(texts) if text}


def in_places(texts: Mapping[str, str], count: int) -> tuple[str, ...]:
    """Return that many texts, those that are not there being empty."""
    return tuple(texts.get(str(place), "") for place in range(count))
