"""A game with its leagues, and the rules of a league as its players read them."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from engine.game import ENGLISH
from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.leagues.settings import SETTINGS
from ladder.quotas import quotas
from ladder.quotas.quotas import GameLock
from ladder.seasons import ending
from ladder.seasons.ending import SeasonPlan
from ladder.views import leagues as league_views
from ladder.views import matches, seasons
from ladder.views.leagues import LeagueRow, limits_text, promotion_text
from ladder.views.matches import ListedMatch
from ladder.views.seasons import SeasonSoFar, series_text
from ladder.web import addresses
from ladder.web.pages.guide import html_of
from ladder.web.pages.home import LeagueAtAGlance, at_a_glance
from ladder.web.shown import page
from ladder.web.site import SiteHere
from ladder.web.watcher import MOST_TOPICS

MOST_SEASONS = 20
MOST_MATCHES = 10


@dataclass(frozen=True, slots=True)
class OneGame:
    """A game. `leagues`: the highest first, each with its settings; `seasons`: the latest first, at most MOST_SEASONS.

    `earlier`: the numbers of those before them. `plan`: how the season that is on is to end, None where nothing is
    planned; `lock`: why it takes no versions now, None where it is not locked.
    """

    game: str
    leagues: list[tuple[LeagueAtAGlance, LeagueRow]]
    seasons: list[SeasonSoFar]
    earlier: list[int]
    plan: SeasonPlan | None
    matches: list[ListedMatch]
    lock: GameLock | None = None


def one_game(connection: Connection, game: str) -> OneGame:
    leagues.check_game(connection, game)
    rows = {row.league: row for row in league_views.listed(connection, game)}
    found = at_a_glance(connection, leagues.leagues(connection, game)[::-1])
    on = seasons.with_the_one_on(connection, game)
    plan = ending.find(connection, game)
    return OneGame(
        game,
        [(one, rows[one.league.name]) for one in found],
        [seasons.so_far(connection, season) for season in reversed(on[-MOST_SEASONS:])],
        [season.number for season in reversed(on[:-MOST_SEASONS])],
        plan if plan is not None and plan.number == on[-1].number else None,
        matches.latest(connection, MOST_MATCHES, game=game).matches,
        quotas.find(connection, game),
    )


router = APIRouter()


@router.get("/games/{game}")
def show_game(site: SiteHere, game: str) -> Response:
    with site.reading() as connection:
        found = one_game(connection, game)
    return page(
        "game.html",
        found=found,
        title=site.title_of(game),
        settings=SETTINGS.values(),
        promotion_text=promotion_text,
        limits_text=limits_text,
        series_text=series_text,
        topics=[f"board:{one.league.id}" for one, _ in found.leagues[-MOST_TOPICS:]],
    )


@router.get("/games/{game}/rules/{league}")
def rules(site: SiteHere, game: str, league: str, lang: str = ENGLISH) -> Response:
    """Show the rules of a league, in a language that its game has; in any other they are in English."""
    with site.reading() as connection:
        shown, beside = leagues.league_and_others(connection, game, league)
    known = site.games.find(game)
    languages = known.statement_languages
    language = lang if lang in languages else ENGLISH
    return page(
        "rules.html",
        league=shown,
        title=known.title,
        statement=html_of(known.statement(shown.rules_level, language), known.folder),
        tabs=[(one.title, rules_in(one, language), one.id == shown.id) for one in reversed(beside)],
        language=language,
        languages=[(one, rules_in(shown, one)) for one in languages],
    )


def rules_in(league: League, language: str) -> str:
    return addresses.rules(league.game, league.name, None if language == ENGLISH else language)
