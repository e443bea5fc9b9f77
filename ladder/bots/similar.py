"""Bots of different players whose sources are alike."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from engine.game import Games
from engine.new_bot import starters_of
from engine.toolchains.bot_folder import PROGRAM, contents_of
from engine.toolchains.source import Source
from ladder.bots.sources import sources_of
from ladder.database.connection import Connection, Rows
from ladder.ids import VersionId
from ladder.leagues import leagues
from ladder.statistics.similarity import fingerprints, likenesses


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two versions of different players. `first_share`: how much of the first's source is in the second's, 0 to 1."""

    first: str
    first_player: str
    second: str
    second_player: str
    language: str
    first_share: float
    second_share: float


@dataclass(frozen=True, slots=True)
class Compared:
    """A version that is compared, or one of a boss, which everybody may have looked at."""

    id: VersionId
    name: str
    player: str
    language: str
    is_boss: bool


NEWEST = """
    SELECT DISTINCT ON (bots.id) versions.id, version_name(versions.id) AS name, players.name AS player, language,
           boss_of IS NOT NULL AS is_boss
    FROM versions JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
    WHERE game = %s AND source_hash IS NOT NULL AND state <> 'rejected'
    ORDER BY bots.id, number DESC
"""


def similar_sources(connection: Connection, games: Games, game: str) -> list[SimilarPair]:
    """Compare bots' newest versions across players, the most alike first, less what many have."""
    leagues.check_game(connection, game)
    found = {one.id: one for one in Rows(connection, Compared).all(NEWEST, [game]) if one.language != PROGRAM}
    prints = {
        one: fingerprints(text_of(source.source), source.language)
        for one, source in sources_of(connection, list(found)).items()
    }
    given = [
        one for name, path in starters_of(games.find(game)).items() for one in fingerprints(path.read_text(), name)
    ]
    given += [one for version in found.values() if version.is_boss for one in prints[version.id]]
    owners = {version.id: version.player for version in found.values() if not version.is_boss}
    by_language = [
        likenesses({one: prints[one] for one in owners if found[one].language == language}, owners, given)
        for language in sorted({version.language for version in found.values()})
    ]
    return [
        SimilarPair(
            first=found[alike.first].name,
            first_player=owners[alike.first],
            second=found[alike.second].name,
            second_player=owners[alike.second],
            language=found[alike.first].language,
            first_share=alike.first_share,
            second_share=alike.second_share,
        )
        for alike in sorted(chain.from_iterable(by_language), key=lambda one: -one.share)
    ]


def text_of(source: Source) -> str:
    files = contents_of(source)
    return "\n".join(files[name].decode(errors="replace") for name in sorted(files) if b"\0" not in files[name])
