"""What a command prints when it has played a match: one score for each player, or JSON as other tools take it.

    {"ranks": [0, 1], "errors": [0, 1], "attributes": [{"name": "map", "player": null, "value": "small"}]}
    {"ranks": [0, 1], "errors": [0, 0], "test_data": {"map": "small"}, "player_data": [{"moves": 17}, {}]}
    12 7

Ranks begin with 0, and level players share one. Scores are whole numbers, higher is better, a negative one is a fault.
JSON may have several lines where nothing else is printed; else the last line counts, or as many as there are players.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.conversation import OK, Outcome, SeatVerdict, Verdict
from engine.errors import RefereeFault
from engine.metrics import LONGEST_WORD, keep
from engine.referees.answers import SCORES_BELOW
from engine.text import one_line, shortened

END = "end"
SCORE = re.compile(r"[+-]?[0-9]{1,18}")
FAULT = SeatVerdict(Verdict.UNKNOWN, "the command that played the match reports an error of this player")


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command printed. `metrics`: of each seat; `text`: the JSON as it was printed, "" where scores were."""

    outcome: Outcome
    metrics: tuple[Mapping[str, str], ...]
    text: str = ""


def read_printed(text: str, players: int, *, negative_is_fault: bool = True) -> Printed:
    """Read what a command printed. Raises RefereeFault where that is no result of a match."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise RefereeFault("the command printed no result")
    for candidate in (text.strip(), lines[-1].strip()):
        if candidate.startswith(("{", "[")):
            found = as_json(candidate)
            if found is not None:
                return from_json(found, candidate, players)
    return from_scores(scores_in(lines, players), negative_is_fault=negative_is_fault)


def as_json(text: str) -> Any:
    """Return what a text is as JSON; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def scores_in(lines: Sequence[str], players: int) -> list[int]:
    """Return the scores in the last line, or in as many lines as there are players. Raises RefereeFault."""
    for words in (lines[-1].split(), [line.strip() for line in lines[-players:]]):
        if len(words) == players and all(SCORE.fullmatch(word) for word in words):
            scores = [int(word) for word in words]
            if all(-SCORES_BELOW <= score < SCORES_BELOW for score in scores):
                return scores
            raise RefereeFault(f"the command printed a score that is too large: {shortened(' '.join(words))}")
    raise RefereeFault(f"the command printed neither JSON nor {players} scores at the end, but: {shortened(lines[-1])}")


def from_scores(scores: Sequence[int], *, negative_is_fault: bool) -> Printed:
    """Return a result that was printed as scores."""
    verdicts = [
        SeatVerdict(Verdict.UNKNOWN, f"the command gave it a score of {score}")
        if score < 0 and negative_is_fault
        else OK
        for score in scores
    ]
    return Printed(Outcome(tuple(scores), END, tuple(verdicts)), tuple({} for _ in scores))


def from_json(found: Any, text: str, players: int) -> Printed:
    """Return a result that was printed as JSON. Raises RefereeFault."""
    if not isinstance(found, dict):
        raise RefereeFault("the command printed JSON that is no object with `ranks`; a command plays one match")
    ranks = numbers(found, "ranks", players)
    errors = numbers(found, "errors", players) if found.get("errors") is not None else [0] * players
    scores = tuple(sum(other > rank for other in ranks) for rank in ranks)
    verdicts = tuple(FAULT if error else OK for error in errors)
    metrics = tuple(metrics_of_seat(found, seat) for seat in range(players))
    return Printed(Outcome(scores, END, verdicts), metrics, text)


def numbers(found: Mapping[str, Any], key: str, players: int) -> list[int]:
    """Return a list of whole numbers, one for each player. Raises RefereeFault."""
    value = found.get(key)
    if not isinstance(value, list) or len(value) != players:
        raise RefereeFault(f"the command printed {key} that are no list of {players} numbers: {shortened(str(value))}")
    if not all(isinstance(one, int) and abs(one) < SCORES_BELOW for one in value):
        raise RefereeFault(f"the command printed {key} that are no whole numbers: {shortened(str(value))}")
    return [int(one) for one in value]


def metrics_of_seat(found: Mapping[str, Any], seat: int) -> dict[str, str]:
    """Return what was printed about the match and about a seat; what cannot be a metric is left out."""
    kept: dict[str, str] = {}
    own = found.get("player_data")
    of_seat = own[seat] if isinstance(own, list) and seat < len(own) else None
    for key, value in (*pairs(found.get("test_data")), *pairs(of_seat), *attributes(found.get("attributes"), seat)):
        keep(kept, one_line(key)[:LONGEST_WORD], one_line(str(value))[:LONGEST_WORD])
    return kept


def pairs(values: object) -> Iterable[tuple[str, str | int | float]]:
    """Give keys and values that are words or numbers."""
    if isinstance(values, dict):
        yield from ((str(key), value) for key, value in values.items() if isinstance(value, str | int | float))


def attributes(values: object, seat: int) -> Iterable[tuple[str, str | int | float]]:
    """Give the attributes of the whole match, and those of a seat; those of a turn are none of either."""
    for one in values if isinstance(values, list) else []:
        if isinstance(one, dict) and one.get("turn") is None and (one.get("player") is None or one["player"] == seat):
            yield from pairs({one.get("name"): one.get("value")})
