"""What runs and waits, who asks; games, boards, bots and gauntlets in lists; a gauntlet as JUnit XML."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.access import ALL_SCOPES, Role, Scope
from ladder.accounts.tokens import token_with
from ladder.database.connection import one
from ladder.errors import NotLoggedIn
from ladder.gauntlets.junit import junit_of
from ladder.gauntlets.rendering import ComparisonReport
from ladder.ids import GauntletId
from ladder.ratings.standings import BoardCursor
from ladder.views.boards import BoardRow, read_pages
from ladder.views.bots import ListedBot, listed_after
from ladder.views.fleet import Status, ladder_state, whole_status
from ladder.views.games import ListedGame
from ladder.views.games import listed as listed_games
from ladder.views.gauntlets import ListedGauntlet, latest, read_report
from ladder.visibility import sees_everything
from ladder.web.api import answers
from ladder.web.api.answers import (
    MOST_NAME_CHARS,
    Cursor,
    GameName,
    LeagueName,
    Limit,
    Number,
    items,
    json_answer,
    one_of,
    rows_of,
    text_as,
)
from ladder.web.identity import ASKING
from ladder.web.site import SiteHere

router = APIRouter()
health = APIRouter()
JUNIT = "application/xml"
WithRetired = Annotated[bool, Query(description="Also bots that are retired.")]
OfBot = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="Only those of this bot's versions.")]
OfGame = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="The bot's game.")]


@router.get("/status", responses=one_of(Status))
def status(site: SiteHere) -> Response:
    """What runs and what waits.

    The body is that of `ladder status --json`.
    """
    services = site.services()
    with site.reading() as connection:
        if not sees_everything(connection):
            services = replace(services, home=None, supervisor=None, worker_ended=None)
        return json_answer(whole_status(services, ladder_state(connection)))


@immutable
class Health:
    """That the ladder can be looked at. `database`: `answers`; where it does not, the answer is 503."""

    database: str


@health.get("/healthz", responses=one_of(Health, what="The database answers"))
def healthz(site: SiteHere) -> Response:
    """Whether the database answers: 200, or else 503. No key is needed."""
    with site.reading() as connection:
        one(connection, "SELECT 1", {})
    return json_answer(Health("answers"))


@router.get("/games", responses=rows_of(ListedGame))
def games(site: SiteHere, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """All games and their leagues: the rows of `ladder game list --json`."""
    names = site.games.names
    all_games = listed_games(site.games.all)
    return items(*answers.part(all_games, "games", lambda game: (names.index(game.game),), cursor, limit))


@immutable
class Me:
    """Who asks, and what that may do. `player`: None where a ladder is one person's, who is let in by its key.

    `token`: its name, where one was shown; `game`, `bot`: what alone it is for, None for all; `expires_at`: of it.
    `member`: of a player that is a team, who of it asks.
    """

    player: str | None
    role: Role
    scopes: list[Scope]
    token: str | None = None
    game: str | None = None
    bot: str | None = None
    expires_at: datetime | None = None
    member: str | None = None


@router.get("/me", responses=one_of(Me, what="Who asks"))
def me(site: SiteHere) -> Response:
    """Who asks, by which token, and what it may do.

    `ladder whoami` prints it.
    """
    if not site.web.is_served:
        return json_answer(Me(None, Role.OPERATOR, sorted(ALL_SCOPES)))
    actor = ASKING.get().actor
    if actor is None:
        raise NotLoggedIn(f"log in at {site.web.link('/login')}, or show a token")
    scopes = sorted(actor.scopes)
    if actor.token_id is None:
        return json_answer(Me(actor.player, actor.role, scopes, member=actor.member))
    with site.reading() as connection:
        token = token_with(connection, actor.token_id)
    of_token = token.name, token.game, token.bot, token.expires_at
    return json_answer(Me(actor.player, actor.role, scopes, *of_token, actor.member))


@router.get("/games/{game}/leagues/{league}/board", responses=rows_of(BoardRow))
def board(site: SiteHere, game: GameName, league: LeagueName, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """A league's board, best first: the rows of `ladder board --game GAME --league LEAGUE --json`.

    The `cursor` of every row leads to what comes after it.
    """
    after = None if cursor is None else BoardCursor.read(cursor)
    with site.reading() as connection:
        (page,) = read_pages(connection, game, league, after, limit)
    return items(page.rows, page.rows[-1].cursor if page.more else None)


@router.get("/games/{game}/bots", responses=rows_of(ListedBot))
def bots(
    site: SiteHere, game: GameName, retired: WithRetired = False, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """The bots of a game by name: the rows of `ladder bot list --game GAME --json`, with `retired` also of `--all`."""
    list_name = f"bots of {game}"
    (after,) = answers.read(cursor, list_name, str) or ("",)
    with site.reading() as connection:
        listed = listed_after(connection, game, after, limit + 1, with_retired=retired)
    return answers.first_items(listed, list_name, lambda row: row.bot.name, limit)


@router.get("/gauntlets", responses=rows_of(ListedGauntlet))
def gauntlets(
    site: SiteHere, bot: OfBot = None, game: OfGame = None, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """The gauntlets, the latest first: the rows of `ladder gauntlet list --json`."""
    if game is not None and bot is None:
        raise UsageFault("game says which game the bot of `bot` plays: say `bot` too")
    (below,) = answers.read(cursor, "gauntlets", int) or (None,)
    with site.reading() as connection:
        listed = latest(connection, limit + 1, bot, game, below)
    return answers.first_items(listed, "gauntlets", lambda row: row.gauntlet.id, limit)


@router.get("/gauntlets/{number}/junit", responses=text_as(JUNIT), response_class=Response)
def junit(site: SiteHere, number: Number) -> Response:
    """One gauntlet as JUnit XML: the file of `ladder gauntlet show GAUNTLET --junit`."""
    with site.reading() as connection:
        report = read_report(connection, GauntletId(number))
    if isinstance(report, ComparisonReport):
        raise UsageFault(f"gauntlet {number} compares variants for no verdict, so there is no JUnit XML of it")
    return Response(junit_of(report), media_type=JUNIT)
