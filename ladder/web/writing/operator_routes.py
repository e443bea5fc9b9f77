"""A player's own tokens; with the scope `operate` what operators do with accounts, games, leagues and seasons."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, ClassVar

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, Field
from starlette.responses import Response

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder import actions, audit
from ladder.access import Actor, Deed, Role, Scope, require
from ladder.accounts import accounts, links, tokens
from ladder.accounts.accounts import ListedAccount
from ladder.accounts.tokens import LONGEST_DAYS, USUAL_DAYS, Token
from ladder.actions.accounts import LARGEST_QUOTA, MOST_USES, ChangedAccount, Disabled, Invited
from ladder.actions.seasons import LastSeries
from ladder.actions.tokens import NewToken, WantedToken
from ladder.ids import LARGEST_ID
from ladder.leagues.file import read_table
from ladder.quotas.quotas import QuotaList
from ladder.quotas.rules import Quota
from ladder.row_limits import LARGEST_TOP, MOST_BATTLES
from ladder.seasons import seasons
from ladder.views.leagues import AppliedFile
from ladder.views.seasons import PlannedSeason, SeasonSoFar
from ladder.web.api.answers import MOST_NAME_CHARS, GameName, Limit, items
from ladder.web.api.description import rows_of
from ladder.web.site import Site, SiteHere
from ladder.web.writing.contract_routes import Do, Name, Nothing, Reason, answer_schema, body_schema, route
from ladder.web.writing.write_request import Body, WriteHere, WriteRequest, answer_with, once, read_body, require_actor

router = APIRouter()
Limited = Annotated[int, Field(ge=0, le=LARGEST_QUOTA)]
OfActor = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="Only what this player did.")]
OfAction = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="Only this, as in `match void`.")]
USUAL_TOP = 10


@router.get("/tokens", responses=rows_of(Token))
def own_tokens(site: SiteHere) -> Response:
    """One's own tokens that are not revoked, without their secrets: `ladder token list --json`. The scope `read`."""
    actor = require_actor(site)
    require(actor, Deed.LIST_TOKENS, owner=actor.player)
    with site.reading() as connection:
        return items(tokens.of_player(connection, actor.player), None)


@immutable
class WantedOfMine(Body):
    """What a token is to be for. `game`, `bot`: what alone; null for all."""

    name: Name
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1)]
    days: Annotated[int, Field(ge=1, le=LONGEST_DAYS)] = USUAL_DAYS
    game: Name | None = None
    bot: Name | None = None


@route(router, "POST /tokens", NewToken, status=201, is_secret=True)
def create_token(body: WantedOfMine, write: WriteRequest) -> Do:
    """Make a token, as `ladder token create` does. Only for sessions: no token makes another one."""
    game = None if body.game is None else write.site.games.find(body.game).name
    token = WantedToken(body.name, frozenset(body.scopes), body.days, game, body.bot)
    return lambda actor, pool, _: actions.tokens.create(actor, pool, token)


@route(router, "DELETE /tokens/{number}", Token)
def revoke_token(_body: Nothing, _write: WriteRequest, number: int) -> Do:
    """End a token of one's own, as `ladder token revoke` does. The scope `read`."""
    return lambda actor, pool, _: actions.tokens.revoke_numbered(actor, pool, number)


@immutable
class LinkFor:
    """A one-time link, which is shown once."""

    MERGED: ClassVar = ("invited",)

    link: str
    invited: Invited


def with_link(site: Site, invited: Invited) -> LinkFor:
    return LinkFor(site.web.link(f"/join/{invited.secret}"), invited)


def operator(site: Site, deed: Deed) -> Actor:
    """Return the operator who asks. Raises NotLoggedIn, NotAllowed; the audit then has a line of that."""
    actor = require_actor(site)
    with audit.written_down(actor, site.pool):
        require(actor, deed)
    return actor


@router.get("/players", responses=rows_of(ListedAccount))
def players(site: SiteHere) -> Response:
    """All players: `ladder player list --json`. The scope `operate`."""
    operator(site, Deed.CHANGE_PLAYERS)
    with site.reading() as connection:
        return items(accounts.players(connection), None)


@immutable
class NewPlayer(Body):
    """A player by name, who gets an account by following the link. `team`: the player whose member it is to be."""

    name: Name
    role: Role = Role.PLAYER
    team: Name | None = None


@route(router, "POST /players", LinkFor, status=201, is_secret=True)
def invite(body: NewPlayer, write: WriteRequest) -> Do:
    """Let a player in by a one-time link, as `ladder player invite` does. The scope `operate`."""
    return lambda actor, pool, _: with_link(
        write.site, actions.accounts.invite(actor, pool, body.name, body.role, body.team)
    )


@router.get("/invitations", responses=rows_of(links.Invitation))
def open_invitations(site: SiteHere) -> Response:
    """The links that can be followed still, without their secrets. The scope `operate`."""
    operator(site, Deed.INVITE)
    with site.reading() as connection:
        return items(links.still_open(connection), None)


@immutable
class NewLink(Body):
    """A link for a class with so many `uses`, or one for a new password of `player`: the other is null."""

    uses: Annotated[int, Field(ge=1, le=MOST_USES)] | None = None
    player: Name | None = None


@route(router, "POST /invitations", LinkFor, status=201, is_secret=True)
def new_link(body: NewLink, write: WriteRequest) -> Do:
    """Make a link as `ladder player join-code` or `ladder player reset` does. The scope `operate`."""
    uses, player = body.uses, body.player
    if uses is not None and player is None:
        return lambda actor, pool, _: with_link(write.site, actions.accounts.join_code(actor, pool, uses))
    if player is not None and uses is None:
        return lambda actor, pool, _: with_link(write.site, actions.accounts.reset(actor, pool, player))
    raise UsageFault("say either uses, for a link that many can follow, or player, for a new password")


@immutable
class AccountChange(Body):
    """One change of an account. `why`: the reason, where it is disabled; `quotas`: by name, null for no limit."""

    disabled: bool | None = None
    why: Reason | None = None
    role: Role | None = None
    quotas: Annotated[dict[Quota, Limited | None], Field(min_length=1)] | None = None


@route(router, "PATCH /players/{player}", ChangedAccount, Disabled, QuotaList)
def change_player(body: AccountChange, _write: WriteRequest, player: str) -> Do:
    """Disable or enable an account, or change its role or its quotas, as `ladder player` does. The scope `operate`."""
    role, quotas, why = body.role, body.quotas, body.why
    if sum(change is not None for change in (body.disabled, role, quotas)) != 1:
        raise UsageFault("say one of disabled, role and quotas")
    if (body.disabled is True) != (why is not None):
        raise UsageFault("why goes with disabled: true, and has to be said there")
    if quotas is not None:
        return lambda actor, pool, _: actions.accounts.change_quotas(actor, pool, player, quotas)
    if role is not None:
        return lambda actor, pool, _: actions.accounts.set_role(actor, pool, player, role)
    if why is not None:
        return lambda actor, pool, _: actions.accounts.disable(actor, pool, player, why)
    return lambda actor, pool, _: actions.accounts.enable(actor, pool, player)


@router.get("/audit", responses=rows_of(audit.AuditLine))
def what_was_done(site: SiteHere, limit: Limit = 100, actor: OfActor = None, action: OfAction = None) -> Response:
    """What was done, the latest first: `ladder audit --json`. The scope `operate`."""
    operator(site, Deed.READ_AUDIT)
    with site.reading() as connection:
        return items(audit.latest(connection, limit, actor, action), None)


@immutable
class LeagueChanges(Body):
    """Settings of leagues by their names, as in a league file. `dry_run`: do it, and take it back."""

    leagues: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    dry_run: bool = False


@route(router, "PUT /games/{game}/leagues", AppliedFile)
def apply(body: LeagueChanges, write: WriteRequest, game: str) -> Do:
    """Change settings of a game's leagues, as `ladder league apply` does. The scope `operate`."""
    file = read_table({"game": game, "leagues": body.leagues}, write.site.games)
    return lambda actor, pool, _: actions.games.apply(actor, pool, file, dry_run=body.dry_run)


@immutable
class End(Body):
    """How the season ends: at once, after a last series, or by a plan with `submit_until`.

    `number`: only if it is that season. `series`: battles for each of the first `top` of every board. `only_settled`:
    only if nothing waits to be played.
    """

    number: Annotated[int, Field(ge=1, le=LARGEST_ID)] | None = None
    series: Annotated[int, Field(ge=1, le=MOST_BATTLES)] | None = None
    top: Annotated[int, Field(ge=2, le=LARGEST_TOP)] | None = None
    only_settled: bool = False
    submit_until: AwareDatetime | None = None


@router.post("/games/{game}/seasons", **answer_schema(SeasonSoFar, PlannedSeason), **body_schema(End))
def end_season(write: WriteHere, game: GameName) -> Response:
    """Close the season that is on, or plan that, as `ladder season close` and `plan` do. The scope `operate`."""
    body = read_body(End, write.body)
    name = write.site.games.find(game).name
    if body.top is not None and body.series is None:
        raise UsageFault("top says who plays the series: say series too, with how many battles")
    series = None if body.series is None else LastSeries(body.series, body.top or USUAL_TOP)
    submit_until = body.submit_until
    if submit_until is None:
        return once(
            write,
            lambda actor, pool, _: answer_with(
                actions.seasons.close(actor, pool, name, body.number, series, only_settled=body.only_settled)
            ),
            begin=seasons.hold,
        )
    if body.number is not None or body.only_settled:
        raise UsageFault("number and only_settled are for closing at once: leave them out beside submit_until")
    return once(
        write, lambda actor, pool, _: answer_with(actions.seasons.plan(actor, pool, name, submit_until, series))
    )
