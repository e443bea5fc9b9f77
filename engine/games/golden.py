"""Golden records: what the official referees did. Whether ours do the same, `engine.records.repeat_match` finds out.

How this works. A record of a match holds every question that was asked and the answer that was given. Playing it means
starting the game's referee with the recorded seed and rules level, comparing each of its questions with the recorded
one, and giving it the recorded answer. A record of a map holds what a seed gives, and is compared as it is.

A file is UTF-8, packed with gzip if its name ends in `.gz`, and has one of two forms. In the packed form each line is
a record, one JSON object. In the open form, which people can read and compare line by line, a match is several lines:
an object with `game`, `id`, `league` (the rules level) and `seed`; for each question a list of the seat, the lines and
the answer; and an object with `scores`, `winner` and `end`. Both may stand in one file. Where a referee program's match
is made again by parameters that the program gave back, the record has these, too: an object `parameters`.
"""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from engine.conversation import MOST_PLAYERS
from engine.errors import UsageFault
from engine.immutable import immutable

_LONGEST_QUOTE = 200
_MOST_LINE_MB = 64
NO_WINNER = -1


@immutable
class RecordedAsk:
    """A question that was asked: all lines since the seat's last answer, and its answer (None: none came in time)."""

    seat: int
    lines: tuple[str, ...]
    answer: str | None


@immutable
class MatchRecord:
    """`winner`: None for a draw; `end`: the game's word for why. `parameters`: what makes a referee program's again."""

    game: str
    id: str
    rules_level: int
    seed: int
    asks: tuple[RecordedAsk, ...]
    scores: tuple[int, ...]
    winner: int | None
    end: str
    parameters: tuple[tuple[str, str], ...] = ()


@immutable
class MapRecord:
    """What a seed gives. `facts`: everything that the record says besides game and seed, as it stands in the JSON."""

    game: str
    seed: int
    facts: Mapping[str, Any]


Record: TypeAlias = MatchRecord | MapRecord


@immutable
class GoldenDifference:
    """The first that is not as recorded. `what`: "question", "line 2", "scores", "winner", "end", or a key of a map
    record. `ask` counts from 1; it and `seat` are None where none was due.
    """

    what: str
    expected: str
    got: str
    ask: int | None = None
    seat: int | None = None

    def __str__(self) -> str:
        where = "" if self.ask is None else f"ask {self.ask}, seat {self.seat}, "
        return f"{where}{self.what}: expected {self.expected}, got {self.got}"


def numbered_records(path: Path) -> Iterator[tuple[int, Record]]:
    """Give each with the number of its first line. Raises UsageFault, naming file and line."""
    number = first_line = 0
    fields: dict[str, Any] | None = None
    for number, line in _numbered_lines(path):
        try:
            value = json.loads(line.decode("utf-8-sig"))
            if fields is not None and isinstance(value, list):
                fields["asks"].append(value)
            elif fields is not None:
                record, fields = _record(fields | _end_in(value)), None
                yield first_line, record
            elif isinstance(value, dict) and set(value) - {"parameters"} == {"game", "id", "league", "seed"}:
                first_line, fields = number, {**value, "asks": []}
            else:
                yield number, _record(value)
        except json.JSONDecodeError as error:
            raise UsageFault(f"{path}, line {number}: not JSON ({error.msg}, column {error.colno})") from None
        except (ValueError, RecursionError) as error:
            raise UsageFault(f"{path}, line {number}: not a golden record ({error})") from None
    if fields is not None:
        raise UsageFault(f"{path}: the match that begins in line {first_line} has no end; was the file cut off?")
    if number == 0:
        raise UsageFault(f"{path}: the file is empty")


def _end_in(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != {"scores", "winner", "end"}:
        raise ValueError("inside a match a line is a question, or an object with scores, winner and end")
    return value


def open_lines(record: MatchRecord) -> Iterator[str]:
    parameters = {"parameters": dict(record.parameters)} if record.parameters else {}
    yield _json({"game": record.game, "id": record.id, "league": record.rules_level, "seed": record.seed, **parameters})
    for ask in record.asks:
        yield _json([ask.seat, ask.lines, ask.answer])
    winner = NO_WINNER if record.winner is None else record.winner
    yield _json({"scores": record.scores, "winner": winner, "end": record.end})


def map_difference(record: MapRecord, facts: Mapping[str, Any]) -> GoldenDifference | None:
    for key in sorted({*record.facts, *facts}):
        expected, fact = record.facts.get(key), facts.get(key)
        if expected != fact:
            return GoldenDifference(f"{key} of seed {record.seed}", repr(expected), repr(fact))
    return None


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(_MOST_LINE_MB * 2**20):
                number += 1
                if len(line) == _MOST_LINE_MB * 2**20:
                    raise UsageFault(f"{path}, line {number}: it has more than {_MOST_LINE_MB} MB")
                yield number, line
    except EOFError:
        raise UsageFault(f"{path}, line {number + 1}: the gzip data end too early; was the file cut off?") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise UsageFault(f"{path}, line {number + 1}: not gzip data ({error})") from None
    except OSError as error:
        raise UsageFault(f"{path}: cannot be read ({error.strerror})") from None


def _record(value: Any) -> Record:
    match value:
        case {"game": str(game), "seed": int(seed), "map": _}:
            _check_seed(seed)
            return MapRecord(game, seed, {key: fact for key, fact in value.items() if key not in {"game", "seed"}})
        case {
            "game": str(game),
            "league": int(rules_level),
            "seed": int(seed),
            "id": str(name),
            "asks": list(asks),
            "scores": [_, _, *_] as scores,
            "winner": int(winner),
            "end": str(end),
        } if (
            len(scores) <= MOST_PLAYERS
            and all(type(score) is int for score in scores)
            and NO_WINNER <= winner < len(scores)
        ):
            _check_seed(seed)
            recorded = tuple(_recorded_ask(number, ask) for number, ask in enumerate(asks, 1))
            for number, ask in enumerate(recorded, 1):
                if ask.seat >= len(scores):
                    raise ValueError(f"ask {number} is of seat {ask.seat}, and scores has {len(scores)} seats")
            parameters = value.get("parameters", {})
            if not isinstance(parameters, dict) or not all(isinstance(word, str) for word in parameters.values()):
                raise ValueError("parameters is not an object of texts")
            seat = None if winner == NO_WINNER else winner
            given = tuple(parameters.items())
            return MatchRecord(game, name, rules_level, seed, recorded, tuple(scores), seat, end, given)
    raise ValueError("it has neither the fields of a match nor those of a map")


def _check_seed(seed: int) -> None:
    if not -(1 << 63) <= seed < 1 << 63:
        raise ValueError(f"seed {seed} does not fit 64 bits")


def _recorded_ask(number: int, value: Any) -> RecordedAsk:
    match value:
        case [int(seat), [*lines], str() | None as answer] if 0 <= seat < MOST_PLAYERS and all(
            isinstance(line, str) for line in lines
        ):
            return RecordedAsk(seat, tuple(lines), answer)
    raise ValueError(f"ask {number} is not [seat, [lines], answer or null]")


def quoted(text: str | None) -> str:
    if text is None:
        return "no such line"
    quoted = repr(text)
    return quoted if len(quoted) <= _LONGEST_QUOTE else quoted[: _LONGEST_QUOTE - 3] + "..."
