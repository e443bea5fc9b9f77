"""A bot: its versions, its rating over time, its opponents, why it ranks where it does, and of what it dies.

And a player: all versions with how they did, as a page and as a file.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from engine.game import Games
from engine.immutable import immutable
from ladder.bots import bots, versions
from ladder.choices import MoveKind, VersionState
from ladder.database.connection import Connection
from ladder.gauntlets import gauntlets
from ladder.gauntlets.automatic_gauntlets import gates
from ladder.ids import VersionId
from ladder.leagues import leagues
from ladder.matches.match_rows import latest_matches
from ladder.names import NamedVersion, read_version
from ladder.plots.curves import Mark, Point, rating_plot
from ladder.plots.svg import Svg
from ladder.ratings import standings
from ladder.views.boards import frozen_since
from ladder.views.bots import MOST_MATCHES, ExplainedPlace, OnePlayer, explained, latest_opponents, one_player
from ladder.views.matches import latest, wanted_by, with_seats
from ladder.views.ratings import LeagueMove, RatingHistory, RatingPoint, rating_history
from ladder.views.turns.lost_matches import By, defeats_of, groups
from ladder.views.turns.match import watch_match
from ladder.web.identity import ASKING
from ladder.web.pages.versions import shows_source
from ladder.web.rendering import InFolder, file_of, html, page
from ladder.web.site import SiteHere

LATEST_MATCHES = 10
MOST_GAUNTLETS = 10
MOST_LOOKED_THROUGH = 100
"""Of a bot's latest gauntlets, for those between a version and the one before it."""
MOST_LED = 40
"""Lost matches by which the page says what a bot dies of. Each takes some hundredths of a second."""
COUNTED_BY = (By.KIND, By.TURN, By.OPPONENT, By.UNUSED)
EXPLAINED_BY = 500
"""Matches by which the page explains a rating; `ladder bot why` looks at all."""
MOVES = {
    MoveKind.PROMOTION: ("up to", "good"),
    MoveKind.DEMOTION: ("back to", "bad"),
    MoveKind.REWIND: ("taken back to", "open"),
}
"""How a move between leagues is said, and its class."""
router = APIRouter()
MOST_OPPONENTS = 40
MOST_COLUMNS = 8
"""Of the table of opponents: one for each of the latest versions, the latest first; none of a single one."""
MOST_PAST = 100
MOST_TOPICS = 20
WithRetired = Annotated[bool, Query(description="Show the versions, too, that no longer play.")]


@immutable
class VersionLine:
    """A version in a list. `stay`: its latest; `is_past`: on no board, not built now, and a newer one has come.

    `before`: the number of the version before it, None of the first; `against_it`: its latest gauntlet against that.
    """

    version: versions.Version
    stay: standings.LeagueStay | None
    is_past: bool
    gate: str = ""
    before: int | None = None
    against_it: gauntlets.Gauntlet | None = None


def version_lines(
    of_bot: Sequence[versions.Version],
    stays: Sequence[standings.LeagueStay],
    held: Mapping[VersionId, str],
    played: Sequence[gauntlets.Gauntlet] = (),
) -> list[VersionLine]:
    """Return versions as lines of a list. `of_bot`: newest first; `stays`, gauntlets `played`: the latest first."""
    latest_stays: dict[VersionId, standings.LeagueStay] = {}
    for stay in stays:
        if stay.on_board or stay.version_id not in latest_stays:
            latest_stays[stay.version_id] = stay
    lines: list[VersionLine] = []
    for version, before in zip_longest(of_bot, of_bot[1:]):
        latest_stay = latest_stays.get(version.id)
        lines.append(
            VersionLine(
                version,
                latest_stay,
                is_past=is_past(version, of_bot[0], latest_stay),
                gate=held.get(version.id, ""),
                before=before.number if before else None,
                against_it=next((row for row in played if before and is_between(row, version, before)), None),
            )
        )
    return lines


def is_between(gauntlet: gauntlets.Gauntlet, version: versions.Version, before: versions.Version) -> bool:
    opponent_ids = gauntlet.deciding_ids or gauntlet.opponent_ids
    compared_ids = opponent_ids if gauntlet.baseline_id is None else [gauntlet.baseline_id]
    return gauntlet.candidate_id == version.id and compared_ids == [before.id] and not gauntlet.variants


def is_past(version: versions.Version, newest: versions.Version, stay: standings.LeagueStay | None) -> bool:
    plays = stay is not None and stay.on_board
    return not plays and version.id != newest.id and version.state not in {VersionState.BUILDING, VersionState.RECORDED}


def explained_or_none(connection: Connection, bot: bots.Bot, lines: Sequence[VersionLine]) -> ExplainedPlace | None:
    """Explain the place of the version that plays for a bot, or that was last in a league; None without a match."""
    rated = [(line.version, line.stay) for line in lines if line.stay is not None and line.stay.record.matches]
    playing = [version for version, stay in rated if stay.on_board and not stay.is_rival]
    version = next(iter([*playing, *(version for version, _ in rated)]), None)
    if version is None:
        return None
    return explained(connection, NamedVersion(bot.name, version.number), bot.game, None, EXPLAINED_BY)


def plot_of_rating(history: RatingHistory) -> Svg | None:
    if not history.points:
        return None
    points = [Point(f"{point.version} in {point.league}", point.at, point.mu, point.sigma) for point in history.points]
    first: dict[str, int] = {}
    for number, point in enumerate(history.points):
        first.setdefault(point.version, number)
    came = [Mark(number, 0, f"v{read_version(version)[1]}") for version, number in first.items()]
    moves = [mark for move in history.moves if (mark := mark_of_move(move, history.points)) is not None]
    return rating_plot(history.name, points, [*came, *moves])


def mark_of_move(move: LeagueMove, points: Sequence[RatingPoint]) -> Mark | None:
    """Mark where a version went to another league; None where it has played no match since."""
    of_version = [number for number, point in enumerate(points) if point.version == move.version]
    place = bisect_left(of_version, move.at, key=lambda number: points[number].at)
    if place == len(of_version):
        return None
    words, class_ = MOVES[MoveKind(move.kind)]
    return Mark(of_version[place], 1, f"{words} {move.to_league}", class_)


def one_bot(connection: Connection, bot: str, game: str) -> dict[str, Any]:
    bot_row = bots.find_bot(connection, bot, game)
    named = NamedVersion(bot_row.name)
    of_bot = versions.versions_of(connection, bot_row.id)
    gate_of = gates(connection, [version.id for version in of_bot])
    played = gauntlets.latest(connection, MOST_LOOKED_THROUGH, bot_row.id)
    lines = version_lines(of_bot, standings.stays_of(connection, bot_row.id), gate_of, played)
    history = rating_history(connection, named, bot_row.game)
    opponents = latest_opponents(connection, named, bot_row.game)
    return {
        "bot": bot_row,
        "named": named,
        "league": next(
            league for league in leagues.leagues(connection, bot_row.game) if league.id == bot_row.league_id
        ),
        "former_names": bots.former_names(connection, bot_row.id),
        "frozen": frozen_since(connection, bot_row.game),
        "present": [line for line in lines if not line.is_past],
        "past": [line for line in lines if line.is_past],
        "most_past": MOST_PAST,
        "history": history,
        "plot": plot_of_rating(history),
        "opponents": opponents,
        "columns": opponents.numbers[: -MOST_COLUMNS - 1 : -1] if len(opponents.numbers) > 1 else [],
        "most_matches": MOST_MATCHES,
        "most_opponents": MOST_OPPONENTS,
        "why": explained_or_none(connection, bot_row, lines),
        "explained_by": EXPLAINED_BY,
        "matches": with_seats(connection, latest_matches(connection, LATEST_MATCHES, bot_row.id), named),
        "gauntlets": played[:MOST_GAUNTLETS],
        "shows_source": shows_source(connection, bot_row),
        "topics": [f"bot:{bot_row.id}"],
    }


@router.get("/games/{game}/bots/{bot}")
def show_bot(site: SiteHere, game: str, bot: str, retired: WithRetired = False) -> Response:
    with site.reading() as connection:
        values = one_bot(connection, bot, game)
    return page("bot.html", shows_past=retired, **values)


@router.get("/games/{game}/bots/{bot}/losses")
def show_losses(site: SiteHere, game: str, bot: str) -> Response:
    """Lead the latest lost matches again, which is done once for as long as they are the latest."""
    with site.reading() as connection:
        bot_row = bots.find_bot(connection, bot, game)
        lost = wanted_by([("--lost", "result", "=", "lost")], None)
        listing = latest(connection, MOST_LED, bot_row.name, bot_row.game, lost)
        match_ids = [listed.match.id for listed in listing.matches]
        key, moment = ("losses", bot_row.id, ASKING.get().sight), f"{bot_row.name} {match_ids}"
        kept_page = site.kept.find(key, moment)
        if kept_page is not None:
            return html(kept_page)
        matches = [watch_match(connection, site.games, match_id) for match_id in match_ids]
    defeats = defeats_of(site.games, matches, bot_row.name)
    tables = [(by.value, groups(defeats, by)) for by in COUNTED_BY] if defeats else []
    name, topics = bot_row.name, [f"bot:{bot_row.id}"]
    answer = page("losses.html", game=bot_row.game, bot=name, defeats=defeats, tables=tables, topics=topics)
    site.kept.keep(key, moment, bytes(answer.body))
    return answer


@router.get("/players/{player}")
def show_player(site: SiteHere, player: str) -> Response:
    with site.reading() as connection:
        player_view = one_player(connection, player)
    topics = [f"bot:{of_player.bot.id}" for of_player in player_view.bots[:MOST_TOPICS]]
    return page("player.html", found=player_view, named=NamedVersion, topics=topics)


def player_file(found: OnePlayer, games: Games, place: InFolder) -> str:
    return file_of("player.html", place, found=found, named=NamedVersion, title_of=games.title_of)
