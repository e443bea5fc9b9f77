"""A player: all versions of all bots with how they did, and their latest matches.

Of versions those are shown that everybody sees: not what was rejected, nor what is being built.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from engine.errors import UnknownName
from engine.immutable import immutable
from engine.text import shortened
from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.versions import Version
from ladder.choices import VersionState
from ladder.database.connection import Connection
from ladder.gauntlets.automatic_gauntlets import gates
from ladder.ids import VersionId
from ladder.matches.match_rows import latest_matches
from ladder.names import NamedVersion
from ladder.ratings import standings
from ladder.ratings.standings import LeagueStay
from ladder.seasons.seasons import SeasonRank
from ladder.views.matches import ListedMatch, with_seats

MOST_MATCHES = 20
UNSEEN = frozenset({VersionState.BUILDING, VersionState.REJECTED})


@immutable
class PlayersVersion:
    """A version: its `stays`, the latest first, its rank on a board, its `final` line if asked for, and its `gates`."""

    version: Version
    stays: list[LeagueStay]
    rank: int | None
    final: SeasonRank | None = None
    gate: str = ""


@immutable
class PlayersBot:
    """A bot of a player with its versions, newest first, and its latest matches."""

    MERGED: ClassVar = ("bot",)

    bot: Bot
    versions: list[PlayersVersion]
    matches: list[ListedMatch]


@immutable
class OnePlayer:
    """A player with the bots of all games, or of one."""

    player: str
    bots: list[PlayersBot]


def one_player(
    connection: Connection,
    name: str,
    game: str | None = None,
    most_matches: int = MOST_MATCHES,
    final: Mapping[VersionId, SeasonRank] | None = None,
) -> OnePlayer:
    """Read a player. `final`: lines of a closed season. Raises UnknownName for a player without a bot."""
    own_bots = bots.bots_of_player(connection, name, game)
    if not own_bots:
        raise UnknownName(f"there is no player {shortened(name)!r} who has a bot")
    return OnePlayer(own_bots[0].player, [bot_of(connection, bot, most_matches, final or {}) for bot in own_bots])


def bot_of(connection: Connection, bot: Bot, most_matches: int, final: Mapping[VersionId, SeasonRank]) -> PlayersBot:
    stays = standings.stays_of(connection, bot.id)
    ranks = ranks_of(connection, stays)
    shown_versions = [version for version in versions.versions_of(connection, bot.id) if version.state not in UNSEEN]
    gate_of = gates(connection, [version.id for version in shown_versions])
    return PlayersBot(
        bot,
        [
            PlayersVersion(
                version,
                [stay for stay in stays if stay.version_id == version.id],
                ranks.get(version.id),
                final.get(version.id),
                gate_of.get(version.id, ""),
            )
            for version in shown_versions
        ],
        with_seats(connection, latest_matches(connection, most_matches, bot.id), NamedVersion(bot.name)),
    )


def ranks_of(connection: Connection, stays: Sequence[LeagueStay]) -> dict[VersionId, int]:
    on_boards = [stay for stay in stays if stay.on_board]
    rank_of: dict[VersionId, int] = {}
    for league_id in {stay.league_id for stay in on_boards}:
        version_ids = [stay.version_id for stay in on_boards if stay.league_id == league_id]
        ranks = standings.ranks_around(connection, league_id, version_ids, small=0).by_version
        rank_of |= {version_id: ranks[version_id] for version_id in version_ids}
    return rank_of
