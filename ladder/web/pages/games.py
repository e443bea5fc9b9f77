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
from ladder.quotas.rules import Quota
from ladder.seasons import ending, seasons
from ladder.views import contests, matches
from ladder.views import leagues as league_views
from ladder.views import seasons as season_views
from ladder.web import addresses
from ladder.web.pages.guide import html_of
from ladder.web.pages.home import at_a_glance, own_versions
from ladder.web.shown import IS_SERVED, LOGGED_IN, OPERATES, page
from ladder.web.site import SiteHere
from ladder.web.watcher import MOST_TOPICS

MOST_SEASONS = 20
MOST_MATCHES = 10


router = APIRouter()


def one_game(connection: Connection, game: str) -> dict[str, Any]:
    leagues.check_game(connection, game)
    rows = {row.league: row for row in league_views.listed(connection, game)}
    shown = at_a_glance(connection, leagues.leagues(connection, game)[::-1])
    begun = season_views.with_the_one_on(connection, game)
    return {
        "game": game,
        "leagues": [(one, rows[one.league.name]) for one in shown],
        "settings": SETTINGS.values(),
        "promotion_text": league_views.promotion_text,
        "limits_text": league_views.limits_text,
        "seasons": [season_views.so_far(connection, season) for season in reversed(begun[-MOST_SEASONS:])],
        "earlier": [season.number for season in reversed(begun[:-MOST_SEASONS])],
        "contest": contests.timetables(connection, game).get(game),
        "lock": quotas.find(connection, game),
        "series_text": season_views.series_text,
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


def one_contest(connection: Connection, game: str) -> dict[str, Any]:
    """Return what the page shows. `contest`: None where no end is planned; `over`: see below. Raises UnknownName."""
    leagues.check_game(connection, game)
    in_order = leagues.leagues(connection, game)
    contest, looker = contests.timetables(connection, game).get(game), LOGGED_IN.get()
    season = contests.number_of_contest(connection, game)
    versions = [] if looker is None else own_versions(connection, looker.player)
    over = None if contest else closed_contest(connection, game, season)
    may_grade = OPERATES.get() or not IS_SERVED.get()
    lines = [] if looker is None else quotas.of_player(connection, looker.player).lines
    return {
        "game": game,
        "contest": contest,
        "plan": ending.find(connection, game) if contest else None,
        "season": season,
        "over": over,
        "grades": contests.grades(connection, game, season) if over and over.closed_at and may_grade else [],
        "lowest": in_order[0].name,
        "leagues": [league for league in in_order[::-1] if league.is_open],
        "own": next((one for one in versions if one.game == game), None),
        "quotas": [line for line in lines if line.quota is not Quota.TOKENS],
        "players": contests.participants(connection, game, season),
        "topics": [f"board:{league.id}" for league in in_order[-MOST_TOPICS:]],
    }


def closed_contest(connection: Connection, game: str, number: int) -> seasons.Season | None:
    """Return the season that was a game's last contest, if any; without what it was where its end is still hidden."""
    if not seasons.was_contest(connection, game, number):
        return None
    known = seasons.Season(None, game, number, None)
    return next((one for one in seasons.begun(connection, game) if one.number == number), known)


@router.get("/games/{game}/contest")
def show_contest(site: SiteHere, game: str) -> Response:
    with site.reading() as connection:
        found = one_contest(connection, game)
    is_there = found["contest"] is not None or found["over"] is not None
    return page("contest.html", status=200 if is_there else 404, **found)
