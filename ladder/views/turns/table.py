"""All turns of a ladder's finished matches as a table: a row for each, with whose it was and how the match ended."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from psycopg.sql import SQL, Composable

from engine.conversation import own_turns, reason_word
from engine.immutable import immutable
from ladder.database.connection import Connection, one
from ladder.matches.filters import Filter, as_sql, check_names
from ladder.matches.match_rows import BOTH_SEATS, SeatRow, seats_by_match
from ladder.matches.record import unpack
from ladder.names import read_version
from ladder.views.matches import RESULT_WORDS

COLUMNS: Mapping[str, type] = {
    "match": int,
    **dict.fromkeys(("game", "league"), str),
    **dict.fromkeys(("seed", "seat"), int),
    "bot": str,
    **dict.fromkeys(("version", "turn", "own_turn"), int),
    "said": str,
    "ms": float,
    **dict.fromkeys(("verdict", "result", "reason"), str),
}
"""`turn` counts those of the match, `own_turn` those of its seat. `said`: None where no answer came in time.

`ms`: what the turn was charged. `verdict`: of the seat at the end of the match, `result`: won, drawn or lost, `reason`:
how the match ended.
"""
MATCHES_AT_ONCE = 100
FROM_MATCHES = SQL("FROM matches {seats} WHERE matches.state = 'finished' AND matches.record IS NOT NULL AND {where}")
NOBODY = dict.fromkeys(("bot", "version", "verdict", "result"))


@immutable
class TurnsWritten:
    """What was written into `file`."""

    file: str
    matches: int
    turns: int


def count_matches(connection: Connection, wanted: Filter | None) -> int:
    """Return of how many matches there are turns. `wanted`: only those that it picks. Raises FilterFault."""
    query, values = picked(wanted)
    return int(one(connection, SQL("SELECT count(*) ") + query, values)[0])


def rows_of_matches(connection: Connection, wanted: Filter | None) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of each match, by their numbers. Raises FilterFault for names that are not on this ladder."""
    if wanted is not None:
        check_names(connection, wanted)
    query, values = picked(wanted)
    columns = SQL("SELECT matches.id, leagues.game, leagues.title, matches.seed, matches.reason, matches.record ")
    with connection.cursor(name="turns") as cursor:
        cursor.execute(columns + query + SQL(" ORDER BY matches.id"), values)
        while matches := cursor.fetchmany(MATCHES_AT_ONCE):
            seats = seats_by_match(connection, [match[0] for match in matches])
            for match in matches:
                yield rows_of(match, seats[match[0]])


def picked(wanted: Filter | None) -> tuple[Composable, dict[str, Any]]:
    where, values = (SQL("true"), {}) if wanted is None else as_sql(wanted)
    return FROM_MATCHES.format(seats=BOTH_SEATS, where=where), values


def rows_of(match: Sequence[Any], seats: Sequence[SeatRow]) -> list[dict[str, Any]]:
    number, game, league, seed, reason, record = match
    turns = unpack(bytes(record)).turns
    ended = reason_word(reason, [seat.verdict for seat in seats])
    of_match = {"match": number, "game": game, "league": league, "seed": seed, "reason": ended}
    of_seat: dict[int, dict[str, Any]] = {}
    for seat in seats:
        bot, version = read_version(seat.version)
        result = RESULT_WORDS.get(seat.result or "")
        of_seat[seat.seat] = of_match | {"bot": bot, "version": version, "verdict": seat.verdict, "result": result}
    return [
        {**of_seat.get(turn.seat, of_match | NOBODY), "seat": turn.seat, "turn": place, "own_turn": nth}
        | {"said": turn.line, "ms": turn.spent.charged_us / 1000}
        for place, (turn, nth) in enumerate(zip(turns, own_turns(turn.seat for turn in turns), strict=True), 1)
    ]
