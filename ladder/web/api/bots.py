"""Bots: in lists, one in detail, why one ranks where it does, its opponents; all those of a player; who asks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from ladder.access import ALL_SCOPES, Role, Scope
from ladder.accounts.tokens import token_with
from ladder.ids import LARGEST_ID
from ladder.names import read_name
from ladder.ratings.versus import Versus
from ladder.views.bots import BotInDetail, Explained, ListedBot, explained, listed_after, opponents_of, read_bot
from ladder.views.players import OnePlayer, one_player
from ladder.views.rating_history import RatingHistory, rating_history
from ladder.views.timing import Timing, read_timing
from ladder.web.accounts.identity import unauthorized, visitor
from ladder.web.api import answers
from ladder.web.api.answers import MOST_NAME_CHARS, BotName, Cursor, GameName, InLeague, Limit, items, json_answer
from ladder.web.api.description import one_of, rows_of
from ladder.web.problems import answer_to
from ladder.web.site import SiteHere

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Me:
    """Who asks, and what that may do. `player`: None where a ladder is one person's, who is let in by its key.

    `token`: its name, where one was shown; `game`, `bot`: what alone it is for, None for all; `expires_at`: of it.
    """

    player: str | None
    role: Role
    scopes: list[Scope]
    token: str | None = None
    game: str | None = None
    bot: str | None = None
    expires_at: datetime | None = None


@router.get("/me", responses=one_of(Me, what="Who asks"))
def me(request: Request, site: SiteHere) -> Response:
    """Who asks, by which token, and what it may do.

    `ladder whoami` prints it.
    """
    if not site.web.is_served:
        return json_answer(Me(None, Role.OPERATOR, sorted(ALL_SCOPES)))
    actor = visitor(request).actor
    if actor is None:
        return answer_to(request.scope, unauthorized(f"log in at {site.web.link('/login')}, or show a token"))
    scopes = sorted(actor.scopes)
    if actor.token_id is None:
        return json_answer(Me(actor.player, actor.role, scopes))
    with site.reading() as connection:
        token = token_with(connection, actor.token_id)
    return json_answer(Me(actor.player, actor.role, scopes, token.name, token.game, token.bot, token.expires_at))


PlayerName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A player, as in kim.")]
WithRetired = Annotated[bool, Query(description="Also bots that are retired.")]
Latest = Annotated[int | None, Query(ge=1, le=LARGEST_ID, description="Only by this many of its latest matches.")]
First = Annotated[str, Query(max_length=MOST_NAME_CHARS, description="A bot, or a version of it, as in kraken@v3.")]
Second = Annotated[
    str | None, Query(max_length=MOST_NAME_CHARS, description="Another one, to see each version against each.")
]


@router.get("/games/{game}/bots", responses=rows_of(ListedBot))
def bots(
    site: SiteHere, game: GameName, retired: WithRetired = False, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """The bots of a game by name: the rows of `ladder bot list --game GAME --json`, with `retired` also of `--all`."""
    of = f"bots of {game}"
    (after,) = answers.read(cursor, of, str) or ("",)
    with site.reading() as connection:
        found = listed_after(connection, game, after, limit + 1, with_retired=retired)
    return items(found[:limit], answers.written(of, found[limit - 1].bot.name) if len(found) > limit else None)


@router.get("/games/{game}/bots/{bot}", responses=one_of(BotInDetail))
def one_bot(site: SiteHere, game: GameName, bot: BotName) -> Response:
    """A bot, or one version of it: the body of `ladder bot show BOT --json`."""
    named = read_name(bot)
    with site.reading() as connection:
        return json_answer(read_bot(connection, named, game))


@router.get("/games/{game}/bots/{bot}/why", responses=one_of(Explained))
def why(site: SiteHere, game: GameName, bot: BotName, league: InLeague = None, latest: Latest = None) -> Response:
    """Why a bot ranks where it does: the body of `ladder bot why BOT --json`.

    Of a version with a hundred thousand matches that takes a second; `latest` asks for less.
    """
    named = read_name(bot)
    with site.reading() as connection:
        return json_answer(explained(connection, named, game, league, latest))


@router.get("/games/{game}/bots/{bot}/ratings", responses=one_of(RatingHistory, what="Points of the ledger, and moves"))
def ratings(site: SiteHere, game: GameName, bot: BotName) -> Response:
    """How the rating of a bot, or of one version, has moved: up to 500 points, and its moves between leagues."""
    named = read_name(bot)
    with site.reading() as connection:
        return json_answer(rating_history(connection, named, game))


@router.get("/games/{game}/bots/{bot}/timing", responses=one_of(Timing, what="Times, and the slowest turns"))
def timing(site: SiteHere, game: GameName, bot: BotName) -> Response:
    """What the turns of a version took in its latest 100 matches: how often which time, and the slowest of them."""
    named = read_name(bot)
    with site.reading() as connection:
        return json_answer(read_timing(connection, named, game))


@router.get("/games/{game}/versus", responses=rows_of(Versus))
def versus(
    site: SiteHere, game: GameName, a: First, b: Second = None, limit: Limit = 100, cursor: Cursor = None
) -> Response:
    """How a bot did against each opponent, or each of its versions against another's.

    The rows of `ladder bot versus A [B] --json`, the opponent that was met most first. `b` can be one version too.
    """
    named = read_name(a)
    with site.reading() as connection:
        found = opponents_of(connection, named, b, game).rows
    of = f"opponents of {a} of {game}, {b}"
    return items(*answers.part(found, of, lambda row: (-row.matches, row.opponent, row.version), cursor, limit))


@router.get("/players/{player}", responses=one_of(OnePlayer, what="A player with the bots of all games"))
def one_players_bots(site: SiteHere, player: PlayerName) -> Response:
    """A player: each version of each bot with how it did, and the latest matches of each bot."""
    with site.reading() as connection:
        return json_answer(one_player(connection, player))
