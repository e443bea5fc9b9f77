"""A game's contest: until when, by which rules, who takes part; the boards of a closed season, as a page and a file.

And announcements and questions: what stands above every page, and the page that has all of them.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from engine.errors import ArenaError
from engine.game import Games
from ladder.actions.clarifications import MOST_CHARS
from ladder.leagues import leagues
from ladder.quotas import quotas
from ladder.quotas.rules import Quota
from ladder.seasons import clarifications, ending, seasons
from ladder.views import contests
from ladder.views.seasons import FinalSeason, final_season, given_up_line, series_text
from ladder.web.identity import ASKING
from ladder.web.pages.home import own_versions
from ladder.web.problems import status_beside
from ladder.web.rendering import ANNOUNCED, IS_SERVED, LOGGED_IN, NOWHERE, OPERATES, Nowhere, file_of, page, scale_of
from ladder.web.site import Site, SiteHere
from ladder.web.watcher import MOST_TOPICS

router = APIRouter()
ROWS = 50
LARGEST_NUMBER = 1_000_000
"""Of a season, and of a row of its boards."""
After = Annotated[int, Query(ge=0, le=LARGEST_NUMBER)]
MOST_LISTED = 100
"""Of announcements, and of questions."""


@router.get("/games/{game}/contest")
def show_contest(site: SiteHere, game: str) -> Response:
    """Show the contest that is on, or the one that is over last; where there was none, say so with the status 404."""
    looker = LOGGED_IN.get()
    may_grade = OPERATES.get() or not IS_SERVED.get()
    with site.reading() as connection:
        leagues.check_game(connection, game)
        in_order = leagues.leagues(connection, game)
        contest = contests.timetables(connection, game).get(game)
        season = contests.number_of_contest(connection, game)
        versions = [] if looker is None else own_versions(connection, looker.player)
        over = None
        if contest is None and seasons.was_contest(connection, game, season):
            begun = {row.number: row for row in seasons.begun(connection, game)}
            over = begun.get(season, seasons.Season(None, game, season, None))  # where its end is still hidden
        lines = [] if looker is None else quotas.of_player(connection, looker.player).lines
        plan = ending.find(connection, game) if contest else None
        grades = contests.grades(connection, game, season) if over and over.closed_at and may_grade else []
        players = contests.participants(connection, game, season)
    return page(
        "contest.html",
        status=404 if contest is None and over is None else 200,
        server=site.web.public_url,
        game=game,
        contest=contest,
        plan=plan,
        season=season,
        over=over,
        grades=grades,
        lowest=in_order[0].name,
        leagues=[league for league in in_order[::-1] if league.is_open],
        own=next((version for version in versions if version.game == game), None),
        quotas=[line for line in lines if line.quota is not Quota.TOKENS],
        players=players,
        topics=[f"board:{league.id}" for league in in_order[-MOST_TOPICS:]],
    )


@router.get("/games/{game}/seasons/{number}")
def season(site: SiteHere, game: str, number: int, league: str | None = None, after: After = 0) -> Response:
    """Show the boards of a closed season. `after`: how many rows of a board are left out."""
    with site.reading() as connection:
        found = final_season(connection, game, number, league, after, ROWS)
    return page("season.html", **of_season(found, site.games), league=league, after=after, rows=ROWS)


def season_file(found: FinalSeason, games: Games, place: Nowhere = NOWHERE) -> str:
    whole = {"league": None, "after": 0, "rows": ROWS}
    return file_of("season.html", place, **of_season(found, games), **whole)


def of_season(found: FinalSeason, games: Games) -> dict[str, Any]:
    return {
        "found": found,
        "title": games.title_of(found.season.game),
        "scale": scale_of((line.mu, line.sigma) for board in found.boards for line in board.lines),
        "series_text": series_text,
        "given_up_line": given_up_line,
    }


async def tell(request: Request, site: SiteHere) -> None:
    """Let the page that is asked for show what was told lately, to those who may read this ladder.

    The pages of a game show nothing that is about another one.
    """
    asking = ASKING.get()
    if asking.actor is not None or not site.web.is_served or site.web.read == "everyone":
        sight = asking.sight
        player = None if sight.game or sight.bot else sight.player
        with suppress(ArenaError):  # the page says itself that the database does not answer
            ANNOUNCED.set(await run_in_threadpool(told, site, player, request.path_params.get("game")))


def told(site: Site, player: str | None, game: str | None) -> list[clarifications.Clarification]:
    with site.watching() as connection:
        return clarifications.latest(connection, player, game)


@router.get("/clarifications")
def all_clarifications(site: SiteHere) -> Response:
    return listed_clarifications(site)


def listed_clarifications(
    site: Site, typed: Mapping[str, str] | None = None, fault: ArenaError | None = None
) -> Response:
    """Return the page. `fault`: what was wrong with a form, and `typed`, what it sent."""
    with site.reading() as connection:
        announcements = clarifications.announcements(connection)
        questions = clarifications.questions(connection)
        games = leagues.games_in(connection)
    return page(
        "clarifications.html",
        status=status_beside(fault),
        announcements=announcements[:MOST_LISTED],
        questions=sorted(questions, key=lambda question: question.state != "open")[:MOST_LISTED],
        more=max(len(announcements), len(questions)) > MOST_LISTED,
        games=games,
        most_chars=MOST_CHARS,
        days=clarifications.LATEST_DAYS,
        typed={"text": "", "game": "", "number": "", **(typed or {})},
        fault="" if fault is None else str(fault),
        topics=["clarifications"],
    )
