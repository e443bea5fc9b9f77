"""A game with its leagues, and the rules of a league as its players read them."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from engine.game import ENGLISH
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.leagues.settings import SETTINGS
from ladder.views.leagues import limits_text, promotion_text
from ladder.views.pages.one_game import one_game
from ladder.views.seasons import series_text
from ladder.web import addresses
from ladder.web.live.topics import MOST_TOPICS
from ladder.web.ready.documents import html_of
from ladder.web.shown import page
from ladder.web.site import SiteHere

router = APIRouter()


@router.get("/games/{game}")
def show_game(site: SiteHere, game: str) -> Response:
    """Show a game: leagues with their settings, seasons, latest matches."""
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
    """Return the address of a league's rules in a language."""
    return addresses.rules(league.game, league.name, None if language == ENGLISH else language)
