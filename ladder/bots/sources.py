"""Sources, each kept once by its hash, and what is needed to play versions elsewhere than on the ladder."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.errors import Refused
from engine.immutable import immutable
from engine.toolchains.bot_folder import source_hash
from engine.toolchains.params import params_text
from engine.toolchains.source import Source, Tree, unpacked_as_stored
from ladder.choices import VersionState
from ladder.database.connection import Connection, Rows, one
from ladder.errors import NotAllowed
from ladder.ids import MatchId, VersionId


@immutable
class VersionSource:
    """What a version was built from. `state`, `params`: see ladder.bots.versions."""

    version_id: VersionId
    bot: str
    name: str
    state: str
    language: str
    source: Source
    params: dict[str, str]


SELECT_SOURCE = """
    SELECT versions.id AS version_id, bots.name AS bot, version_name(versions.id) AS name, versions.state,
           versions.language, sources.content, sources.tree, versions.params
    FROM versions
    JOIN bots ON bots.id = versions.bot_id
    JOIN sources ON sources.hash = versions.source_hash
"""


def store_source(connection: Connection, source: Source) -> str:
    name = source_hash(source)
    content, tree = (None, source.packed) if isinstance(source, Tree) else (source, None)
    query = "INSERT INTO sources (hash, content, tree) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
    connection.execute(query, [name, content, tree])
    return name


def fetch_source(connection: Connection, hash_of_source: str) -> Source:
    return source_in(*one(connection, "SELECT content, tree FROM sources WHERE hash = %s", [hash_of_source]))


def source_in(content: str | None, tree: bytes | None) -> Source:
    return unpacked_as_stored(tree or b"") if content is None else content


def version_source(*, content: str | None, tree: bytes | None, **columns: Any) -> VersionSource:
    return VersionSource(source=source_in(content, tree), **columns)


def sources_of(connection: Connection, version_ids: Sequence[VersionId]) -> dict[VersionId, VersionSource]:
    """Return versions' sources by id. Raises Refused for one without, NotAllowed for one not for the reader to see."""
    rows = Rows(connection, version_source).all(SELECT_SOURCE + "WHERE versions.id = ANY(%s)", [list(version_ids)])
    by_id = {source.version_id: source for source in rows}
    if len(by_id) == len(set(version_ids)):
        return by_id
    query = """
        SELECT version_name(id), state FROM versions WHERE id = ANY(%s) AND source_hash IS NULL ORDER BY id LIMIT 1
        """
    name, state = one(connection, query, [list(version_ids)])
    if state != VersionState.RECORDED:
        raise NotAllowed(f"only its player and operators see the source of {name}")
    raise Refused(f"{name} was imported without its source: it stays on record and never plays")


def sources_in_seats(connection: Connection, match_id: MatchId) -> list[VersionSource]:
    """Return the sources of a match's two versions in the order of its seats, with the parameters they had there."""
    query = "SELECT version_id, params FROM seats WHERE match_id = %s ORDER BY seat"
    seated = connection.execute(query, [match_id]).fetchall()
    by_id = sources_of(connection, [version_id for version_id, _ in seated])
    sources: list[VersionSource] = []
    for version_id, params in seated:
        source = by_id[version_id]
        name = f"{source.name} ({params_text(params)})" if params else source.name
        sources.append(replace(source, name=name, params={**source.params, **params}))
    return sources
