"""A game with its leagues; a league's board, as a page and as a file, and its rules as its players read them.

All boards of a game are on one screen too, and frozen ones are revealed there.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from engine.game import ENGLISH, Games
from ladder.access import Actor, Deed, require
from ladder.database.connection import moment_seen
from ladder.leagues import leagues
from ladder.leagues.settings import SETTINGS
from ladder.plots.gauges import RatingGauge, ShareGauge, contender_plot
from ladder.plots.svg import Scale, Svg
from ladder.promotions.outlook import missing_text
from ladder.quotas import quotas
from ladder.ratings.frozen import resolution
from ladder.ratings.standings import BoardCursor
from ladder.views import leagues as league_views
from ladder.views import matches, seasons
from ladder.views.boards import LiveBoard, live_board, live_boards
from ladder.views.contests import timetables
from ladder.views.progress import Contender, contenders
from ladder.web import addresses
from ladder.web.identity import ASKING
from ladder.web.pages.guide import html_of
from ladder.web.pages.home import at_a_glance
from ladder.web.rendering import LOGGED_IN, file_of, html, page, scale_of
from ladder.web.site import SiteHere
from ladder.web.watcher import MOST_TOPICS

router = APIRouter()
ROWS = 50
ROWS_PROJECTED = 12
MOST_SEASONS = 20
MOST_MATCHES = 10


@router.get("/games/{game}/leagues/{league}")
def board(
    site: SiteHere, game: str, league: str, after: str | None = None, name: str = "", *, retired: bool = False
) -> Response:
    begin = None if after is None else BoardCursor.read(after)
    asked = (game, league, begin, retired, ASKING.get().sight)
    with site.reading() as connection:
        moment = None if name else moment_seen(connection)  # no two search for the same words
        kept = site.kept.find(asked, moment)
        if kept is not None:
            return html(kept)
        found, beside = leagues.league_and_others(connection, game, league)
        shown = live_board(connection, found, begin, ROWS, name, retired=retired)
        contest = timetables(connection, game).get(game)
        me = LOGGED_IN.get()
        is_mine = not site.web.is_served or me is not None
        is_first = begin is None and not name.strip()
        ahead = contenders(connection, found, me.player if me else None) if is_mine and is_first else []
    made = page(
        "board.html",
        board=shown,
        contest=contest,
        scale=scale_for(shown),
        ahead=[(one, picture_of(one), missing_text(one.outlook)) for one in ahead],
        tabs=[(one.title, here(one), one.id == found.id) for one in reversed(beside)],
        name=name.strip(),
        after=after,
        retired=retired,
        here=partial(here, found, name=name.strip(), after=after, retired=int(retired) or None),
        topics=[f"board:{found.id}"],
    )
    site.kept.keep(asked, moment, bytes(made.body))
    return made


@router.get("/games/{game}/projector")
def projector(site: SiteHere, game: str) -> Response:
    """Show the beginnings of all boards on which players are, the highest league first; a script turns them over."""
    with site.reading() as connection:
        boards = live_boards(connection, game, limit=ROWS_PROJECTED)[::-1]
    topics = [f"board:{board.league.id}" for board in boards[:MOST_TOPICS]]
    return page("projector.html", boards=boards, game=game, topics=topics)


@router.get("/games/{game}/resolver")
def resolver(site: SiteHere, game: str) -> Response:
    """Show operators what became of frozen boards, which a script reveals place by place."""
    if site.web.is_served:
        require(ASKING.get().actor or Actor(""), Deed.FREEZE_BOARDS)
    with site.reading() as connection:
        freeze, boards = resolution(connection, game)
    return page("resolver.html", freeze=freeze, boards=boards, game=game)


def boards_file(boards: Sequence[LiveBoard], games: Games) -> str:
    names = {board.league.game for board in boards}
    title = " and ".join(game.title for game in games.all if game.name in names) or "Ladder"
    pages = [(board, scale_for(board)) for board in boards]
    return file_of("boards_file.html", pages=pages, title=title)


def picture_of(one: Contender) -> Svg:
    outlook, boss = one.outlook, one.outlook.boss
    rows = [(one.own, "mark"), *([] if one.boss is None else [(one.boss, "open")])]
    had = outlook.battles - outlook.lacking_battles
    shares = [ShareGauge("its own battles", had / outlook.battles, f"{had} of {outlook.battles}")]
    if outlook.wins_needed:
        won = f"{outlook.boss_wins} of {outlook.wins_needed}"
        shares.insert(0, ShareGauge(f"wins against {boss}", outlook.boss_wins / outlook.wins_needed, won))
    elif outlook.chance_above_boss is not None:
        chance = outlook.chance_above_boss
        shares.insert(0, ShareGauge(f"chance of being above {boss}", chance, f"{100 * chance:.1f} %", outlook.sure))
    return contender_plot([RatingGauge(row.name, row.mu, row.sigma, row.score, class_) for row, class_ in rows], shares)


def scale_for(board: LiveBoard) -> Scale:
    """Return the scale on which all ratings of a board are drawn, whichever of its pages is shown."""
    return scale_of(((row.mu, row.sigma) for row in board.shown), board.ends)


def here(league: leagues.League, **query: Any) -> str:
    return addresses.board(league.game, league.name, **query)


@router.get("/games/{game}")
def show_game(site: SiteHere, game: str) -> Response:
    with site.reading() as connection:
        leagues.check_game(connection, game)
        rows = {row.league: row for row in league_views.listed(connection, game)}
        shown = at_a_glance(connection, leagues.leagues(connection, game)[::-1])
        begun = seasons.with_the_one_on(connection, game)
        values: dict[str, Any] = {
            "leagues": [(one, rows[one.league.name]) for one in shown],
            "settings": SETTINGS.values(),
            "promotion_text": league_views.promotion_text,
            "limits_text": league_views.limits_text,
            "seasons": [seasons.so_far(connection, season) for season in reversed(begun[-MOST_SEASONS:])],
            "earlier": [season.number for season in reversed(begun[:-MOST_SEASONS])],
            "contest": timetables(connection, game).get(game),
            "lock": quotas.find(connection, game),
            "series_text": seasons.series_text,
            "matches": matches.latest(connection, MOST_MATCHES, game=game).matches,
            "topics": [f"board:{one.league.id}" for one in shown[-MOST_TOPICS:]],
        }
    return page("game.html", game=game, **values)


@router.get("/games/{game}/rules/{league}")
def rules(site: SiteHere, game: str, league: str, lang: str = ENGLISH) -> Response:
    """Show the rules of a league, in a language that its game has; in any other they are in English."""
    with site.reading() as connection:
        shown, beside = leagues.league_and_others(connection, game, league)
    known = site.games.find(game)
    languages = known.statement_languages
    language = lang if lang in languages else ENGLISH

    def address(of: leagues.League, language: str) -> str:
        return addresses.rules(game, of.name, lang=None if language == ENGLISH else language)

    tabs = [(one.title, address(one, language), one.id == shown.id) for one in reversed(beside)]
    links = [(one, address(shown, one)) for one in languages]
    statement, title = html_of(known.statement(shown.rules_level, language), known.folder), known.title
    return page(
        "rules.html", league=shown, title=title, statement=statement, tabs=tabs, language=language, languages=links
    )
