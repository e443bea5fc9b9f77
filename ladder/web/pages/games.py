"""A game with its leagues, and the rules of a league as its players read them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from engine.game import ENGLISH
from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.leagues.settings import SETTINGS
from ladder.quotas import quotas
from ladder.views import contests, matches, seasons
from ladder.views import leagues as league_views
from ladder.web import addresses
from ladder.web.pages.guide import html_of
from ladder.web.pages.home import at_a_glance
from ladder.web.shown import page
from ladder.web.site import SiteHere
from ladder.web.watcher import MOST_TOPICS

MOST_SEASONS = 20
MOST_MATCHES = 10


router = APIRouter()


def one_game(connection: Connection, game: str) -> dict[str, Any]:
    leagues.check_game(connection, game)
    rows = {row.league: row for row in league_views.listed(connection, game)}
    shown = at_a_glance(connection, leagues.leagues(connection, game)[::-1])
    begun = seasons.with_the_one_on(connection, game)
    return {
        "game": game,
        "leagues": [(one, rows[one.league.name]) for one in shown],
        "settings": SETTINGS.values(),
        "promotion_text": league_views.promotion_text,
        "limits_text": league_views.limits_text,
        "seasons": [seasons.so_far(connection, season) for season in reversed(begun[-MOST_SEASONS:])],
        "earlier": [season.number for season in reversed(begun[:-MOST_SEASONS])],
        "contest": contests.timetables(connection, game).get(game),
        "lock": quotas.find(connection, game),
        "series_text": seasons.series_text,
        "matches": matches.latest(connection, MOST_MATCHES, game=game).matches,
        "topics": [f"board:{one.league.id}" for one in shown[-MOST_TOPICS:]],
    }


@router.get("/games/{game}")
def show_game(site: SiteHere, game: str) -> Response:
    with site.reading() as connection:
        found = one_game(connection, game)
    return page("game.html", **found)


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


def rules_in(league: leagues.League, language: str) -> str:
    return addresses.rules(league.game, league.name, None if language == ENGLISH else language)
