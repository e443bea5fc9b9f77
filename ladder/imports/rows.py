"""What was imported, as rows: versions by the names that they had elsewhere, matches without a record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from engine.conversation import Verdict
from ladder.bots.bots import Bot
from ladder.bots.sources import store_source
from ladder.choices import MatchState, VersionState
from ladder.database.connection import Connection, one, without_nul
from ladder.ids import LeagueId, VersionId
from ladder.imports.foreign import ForeignBot, ForeignMatch
from ladder.matches.results import result_word

MOST_NOTE_CHARS = 200
REASON = "imported"


@dataclass(frozen=True, slots=True)
class KnownVersion:
    """A version that was imported before. `name`: the one that it had there; `source_hash`: None without a source."""

    id: VersionId
    name: str
    bot: str
    number: int
    source_hash: str | None


def known_versions(connection: Connection, game: str, origin: str) -> list[KnownVersion]:
    """Return the versions of a game that were imported from that program, in the order in which they were."""
    with connection.cursor(row_factory=class_row(KnownVersion)) as cursor:
        return cursor.execute(
            """
            SELECT versions.id, imported_as AS name, bots.name AS bot, number, source_hash
            FROM versions JOIN bots ON bots.id = versions.bot_id
            WHERE bots.game = %s AND imported_from = %s
            ORDER BY versions.id
            """,
            [game, origin],
        ).fetchall()


def known_keys(connection: Connection, game: str, origin: str) -> set[str]:
    """Return the keys of the matches of a game that were imported from that program."""
    rows = connection.execute(
        """
        SELECT import_key FROM matches
        WHERE imported_from = %s AND league_id IN (SELECT id FROM leagues WHERE game = %s)
        """,
        [origin, game],
    )
    return {key for (key,) in rows}


def former_names(connection: Connection, game: str) -> list[str]:
    """Return the names that bots of a game had before, and which lead to them."""
    return [name for (name,) in connection.execute("SELECT name FROM former_names WHERE game = %s", [game])]


def insert_version(connection: Connection, bot: Bot, number: int, origin: str, foreign: ForeignBot) -> VersionId:
    """Add a version with that number; without a source it is on record only. The caller has locked the bot."""
    row = one(
        connection,
        """
        INSERT INTO versions (
            bot_id, number, source_hash, language, state, note, imported_from, imported_as, submitted_at)
        VALUES (%(bot_id)s, %(number)s, %(hash)s, %(language)s, %(state)s, %(note)s, %(origin)s, %(name)s,
            least(now(), %(created_at)s))
        RETURNING id
        """,
        {
            "bot_id": bot.id,
            "number": number,
            "hash": None if foreign.source is None else store_source(connection, foreign.source),
            "language": foreign.language,
            "state": VersionState.RECORDED if foreign.source is None else VersionState.BUILDING,
            "note": without_nul(" ".join(foreign.note.split()))[:MOST_NOTE_CHARS],
            "origin": origin,
            "name": without_nul(foreign.name),
            "created_at": foreign.created_at,
        },
    )
    return VersionId(row[0])


def await_on_board(connection: Connection, version_id: VersionId, league_id: LeagueId) -> None:
    """Let a version come onto its league's board as soon as it is built; see ladder.promotions.lifecycle.let_in.

    Another one of its bot that waits for that waits no more.
    """
    connection.execute(
        """
        UPDATE standings SET comes_back = standings.version_id = %(version)s
        FROM versions, versions AS chosen
        WHERE versions.id = standings.version_id AND chosen.id = %(version)s AND versions.bot_id = chosen.bot_id
          AND standings.league_id = %(league)s AND NOT on_board
        """,
        {"version": version_id, "league": league_id},
    )


def lacking_standings(connection: Connection, league_id: LeagueId, version_ids: Iterable[VersionId]) -> list[VersionId]:
    """Return those of the versions that have no standing in a league."""
    rows = connection.execute(
        """
        SELECT id FROM unnest(%s::bigint[]) AS id
        WHERE NOT EXISTS (SELECT FROM standings WHERE version_id = id AND league_id = %s) ORDER BY id
        """,
        [list(version_ids), league_id],
    )
    return [VersionId(version_id) for (version_id,) in rows]


def insert_matches(
    connection: Connection,
    league_id: LeagueId,
    origin: str,
    matches: Sequence[ForeignMatch],
    versions: Mapping[str, VersionId],
    finished_at: datetime | None,
) -> None:
    """Add finished matches, in their order. `versions`: by the players' names; `finished_at`: at the latest.

    They count for ratings and for no promotion: nobody knows under which conditions they were played.
    """
    numbers = connection.execute(
        "SELECT nextval('matches_id_seq'), nextval('pairs') FROM generate_series(1, %s)", [len(matches)]
    ).fetchall()
    at = one(connection, "SELECT now(), least(now(), %(finished_at)s)", {"finished_at": finished_at})
    numbered = list(zip(sorted(numbers), matches, strict=True))
    with connection.cursor().copy(COPY_MATCHES) as copy:
        for (match_id, pair_id), match in numbered:
            count = len(match.players)
            copy.write_row([match_id, league_id, pair_id, match.seed, FINISHED, REASON, *at, count, origin, match.key])
    with connection.cursor().copy(COPY_SEATS) as copy:
        for (match_id, _), match in numbered:
            for row in seat_rows(match, versions):
                copy.write_row([match_id, *row])


def count_anew(connection: Connection, *tables: str) -> None:
    """Let the database count tables that have grown, for it plans by these counts, and by itself it comes later.

    As long as it takes a league for a handful of rows, it looks at all of them for each match.
    """
    connection.execute(SQL("ANALYZE {}").format(SQL(", ").join(map(Identifier, tables))))


FINISHED = MatchState.FINISHED.value
COPY_MATCHES = """
    COPY matches (id, league_id, pair_id, seed, state, reason, created_at, finished_at, players, imported_from,
        import_key)
    FROM STDIN
"""
COPY_SEATS = "COPY seats (match_id, seat, version_id, place, result, verdict, metrics, discounted) FROM STDIN"


def seat_rows(match: ForeignMatch, versions: Mapping[str, VersionId]) -> Iterator[list[Any]]:
    """Give what is written of each seat of a match but its number."""
    places = match.places
    for seat, player in enumerate(match.players):
        verdict = Verdict.UNKNOWN if match.faults[seat] else Verdict.OK
        metrics = {without_nul(key): without_nul(value) for key, value in match.metrics[seat].items()}
        result = result_word(places, seat)
        yield [seat, versions[player], places[seat], result, verdict.value, Jsonb(metrics), True]
