"""Versions: what was submitted, and in which state it is."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import ClassVar

from psycopg.types.json import Jsonb

from engine.errors import Refused, UnknownName
from engine.immutable import immutable
from engine.toolchains.bot_folder import source_hash
from engine.toolchains.params import NO_PARAMS, Params
from engine.toolchains.source import Source
from ladder.bots.bots import Bot, find_bot
from ladder.bots.sources import store_source
from ladder.choices import VersionState
from ladder.database.connection import Connection, Rows, one
from ladder.ids import BotId, VersionId
from ladder.names import NamedVersion

MOST_NAMED = 5
"""An unknown version is answered with the names of up to this many; of more with the first and the last."""


@immutable
class Version:
    """One submission of a bot, numbered from 1. `state`: see ladder.choices.VersionState; `message`: why rejected.

    `warnings`: what the compiler said of a source that it took. `leaves_rival`: whether the version before it was to
    stay on the board as a rival. `note`: its author's own words on it. `params`: see engine.toolchains.params.
    `imported_from`, `imported_as`: the program that it came from, and its name there; None where it was submitted here.
    """

    PRIVATE: ClassVar = ("message", "warnings")

    id: VersionId
    bot_id: BotId
    bot: str
    game: str
    number: int
    language: str
    state: str
    message: str
    warnings: str
    leaves_rival: bool
    submitted_at: datetime
    note: str
    params: dict[str, str]
    imported_from: str | None = None
    imported_as: str | None = None

    @property
    def name(self) -> str:
        return f"{self.bot}@v{self.number}"


SELECT_VERSION = """
    SELECT versions.id, bot_id, bots.name AS bot, bots.game, number, language, state, message, warnings, leaves_rival,
        submitted_at, note, params, imported_from, imported_as
    FROM versions JOIN bots ON bots.id = versions.bot_id
"""


def insert_version(
    connection: Connection,
    bot_id: BotId,
    source: Source,
    language: str,
    *,
    leaves_rival: bool,
    note: str,
    params: Params,
) -> VersionId:
    """Add a locked bot's next version. `leaves_rival`: the one before stays. Raises DuplicateSource, UsageFault."""
    row = one(
        connection,
        """
        INSERT INTO versions (bot_id, number, source_hash, language, leaves_rival, note, params)
        SELECT %(bot_id)s, coalesce(max(number), 0) + 1, %(hash)s, %(language)s, %(leaves_rival)s, %(note)s, %(params)s
        FROM versions WHERE bot_id = %(bot_id)s
        RETURNING id
        """,
        {
            "bot_id": bot_id,
            "hash": store_source(connection, source),
            "language": language,
            "leaves_rival": leaves_rival,
            "note": note,
            "params": Jsonb(dict(params)),
        },
    )
    return VersionId(row[0])


def require_source(version: Version) -> None:
    if version.state == VersionState.RECORDED:
        raise Refused(f"{version.name} was imported without its source: it stays on record and never plays")


def same_source(
    connection: Connection, bot_id: BotId, source: Source, language: str, params: Params = NO_PARAMS
) -> Version | None:
    """Return the bot's version with this very source and these parameters that was not rejected, if there is one."""
    return Rows(connection, Version).first(
        SELECT_VERSION
        + """
        WHERE bot_id = %(bot_id)s AND source_hash = %(hash)s AND language = %(language)s AND params = %(params)s
            AND state <> 'rejected'
        """,
        {"bot_id": bot_id, "hash": source_hash(source), "language": language, "params": Jsonb(dict(params))},
    )


def find_version(connection: Connection, version_id: VersionId) -> Version:
    return Rows(connection, Version).one(SELECT_VERSION + "WHERE versions.id = %s", [version_id])


def known_version(connection: Connection, version_id: VersionId) -> Version:
    try:
        return find_version(connection, version_id)
    except LookupError as error:
        raise UnknownName(f"there is no version with the id {version_id}") from error


def versions_of(connection: Connection, bot_id: BotId) -> list[Version]:
    return Rows(connection, Version).all(SELECT_VERSION + "WHERE bot_id = %s ORDER BY number DESC", [bot_id])


def notes(connection: Connection, version_ids: Collection[VersionId]) -> dict[VersionId, str]:
    query = "SELECT id, note FROM versions WHERE id = ANY(%s)"
    return dict(connection.execute(query, [list(version_ids)]).fetchall())


def numbered(connection: Connection, bot: Bot, number: int) -> Version:
    versions = {version.number: version for version in versions_of(connection, bot.id)}
    if number not in versions:
        names = [f"v{other}" for other in sorted(versions)]
        several = [f"{names[0]} to {names[-1]}"] if len(names) > MOST_NAMED else names
        raise UnknownName.of(f"version of {bot.name}", f"v{number}", several)
    return versions[number]


def find_named(connection: Connection, named: NamedVersion, game: str | None = None) -> tuple[Bot, Version | None]:
    """Return a bot and, where its number is named, a version of it. Raises UnknownName, UsageFault."""
    bot = find_bot(connection, named.bot, game)
    return bot, None if named.number is None else numbered(connection, bot, named.number)


def find_versions(connection: Connection, version_ids: Sequence[VersionId]) -> list[Version]:
    return Rows(connection, Version).all(SELECT_VERSION + "WHERE versions.id = ANY(%s)", [list(version_ids)])


def newest_accepted(connection: Connection, bot_id: BotId) -> Version | None:
    accepted = (version for version in versions_of(connection, bot_id) if version.state == VersionState.ACCEPTED)
    return next(accepted, None)


def is_newest_let_in(connection: Connection, version_id: VersionId) -> bool:
    """Say whether no later version of the same bot was let into a league."""
    query = """
        SELECT NOT EXISTS (
            SELECT FROM versions AS later JOIN versions AS this ON this.bot_id = later.bot_id
            WHERE this.id = %(id)s AND later.number > this.number
              AND EXISTS (SELECT FROM standings WHERE standings.version_id = later.id))
        """
    return bool(one(connection, query, {"id": version_id})[0])
