"""A league's board, as a page and as a file; all boards of a game on one screen, frozen ones revealed there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from engine.game import Games
from ladder.access import Actor, Deed, require
from ladder.database.connection import moment_seen
from ladder.leagues import leagues
from ladder.plots.gauges import Rated, Share, contender_plot
from ladder.plots.svg import Scale, Svg
from ladder.promotions.outlook import missing_text
from ladder.ratings.frozen import resolution
from ladder.ratings.standings import BoardCursor
from ladder.views.boards import LiveBoard, live_board, live_boards
from ladder.views.contests import timetables
from ladder.views.progress import Contender, contenders
from ladder.web import addresses
from ladder.web.accounts.identity import ASKING
from ladder.web.files import file_of
from ladder.web.shown import LOGGED_IN, html, page, scale_of
from ladder.web.site import SiteHere
from ladder.web.watcher import MOST_TOPICS

router = APIRouter()
ROWS = 50
ROWS_PROJECTED = 12


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
    shares = [Share("its own battles", had / outlook.battles, f"{had} of {outlook.battles}")]
    if outlook.wins_needed:
        won = f"{outlook.boss_wins} of {outlook.wins_needed}"
        shares.insert(0, Share(f"wins against {boss}", outlook.boss_wins / outlook.wins_needed, won))
    elif outlook.chance_above_boss is not None:
        chance = outlook.chance_above_boss
        shares.insert(0, Share(f"chance of being above {boss}", chance, f"{100 * chance:.1f} %", outlook.sure))
    return contender_plot([Rated(row.name, row.mu, row.sigma, row.score, class_) for row, class_ in rows], shares)


def scale_for(board: LiveBoard) -> Scale:
    """Return the scale on which all ratings of a board are drawn, whichever of its pages is shown."""
    return scale_of(((row.mu, row.sigma) for row in board.shown), board.ends)


def here(league: leagues.League, **query: Any) -> str:
    return addresses.board(league.game, league.name, **query)
