"""The routes whose bodies need a class of their own: what players do, their tokens, and what operators do.

Players submit versions, go back a league, show sources, and ask for battles and gauntlets, by themselves too. With the
scope `operate` operators change accounts, games, leagues and seasons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from typing import Annotated, Any, ClassVar

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, Base64Bytes, Field
from starlette.responses import Response

from engine.errors import UsageFault
from engine.immutable import immutable
from engine.toolchains.given_bot import GivenBot, sent_bot
from engine.toolchains.params import check_params
from ladder import actions, audit
from ladder.access import Deed, Role, Scope, require
from ladder.accounts import accounts, links, tokens
from ladder.actions.accounts import LARGEST_QUOTA, MOST_USES, ChangedAccount, Disabled, Invited
from ladder.actions.bots import SourceVisibility, SubmittedVersion
from ladder.actions.gauntlets import BegunGauntlet, NoLongerAutomatic
from ladder.actions.seasons import LastSeries
from ladder.actions.tokens import NewToken, WantedToken
from ladder.database.connection import Connection
from ladder.flows.submission import Submission
from ladder.gauntlets.automatic_gauntlets import GauntletTerms
from ladder.gauntlets.lineup import GauntletRequest, asked_or_usual, words_or_usual
from ladder.gauntlets.order import number_of_pairs
from ladder.gauntlets.plan import LEAST_MINUTES, MOST_MINUTES
from ladder.ids import LARGEST_ID
from ladder.leagues.file import read_table
from ladder.matchmaking.requests import BattleRequest
from ladder.names import read_name
from ladder.promotions.lifecycle import Rewind
from ladder.quotas.quotas import QuotaList
from ladder.quotas.rules import Quota
from ladder.row_limits import LARGEST_TOP, MOST_BATTLES, MOST_PAIRS
from ladder.seasons import seasons
from ladder.statistics.sprt_settings import ELO_MODEL, ERROR_RATE, SprtSettings
from ladder.views.gauntlets import Automatic
from ladder.views.leagues import AppliedFile
from ladder.views.seasons import PlannedSeason, SeasonSoFar
from ladder.web.api.answers import MOST_NAME_CHARS, GameName, Limit, items, rows_of
from ladder.web.site import Site, SiteHere
from ladder.web.writing.contract_routes import Do, Name, Nothing, Reason, Seed, answer_schema, body_schema, route
from ladder.web.writing.write_request import (
    Body,
    WriteHere,
    WriteOfBot,
    WriteRequest,
    answer_with,
    once,
    read_body,
    require_actor,
)

player_router = APIRouter()
MOST_NOTE_CHARS = 200
Pairs = Annotated[int, Field(ge=1, le=MOST_PAIRS)]
Words = Annotated[tuple[Name, ...], Field(max_length=100)]
operator_router = APIRouter()
Limited = Annotated[int, Field(ge=0, le=LARGEST_QUOTA)]
OfActor = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="Only what this player did.")]
OfAction = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="Only this, as in `match void`.")]
USUAL_TOP = 10


@immutable
class NewVersion(Body):
    """A bot: the text of its `source`, or the bytes of a `file` in base64: a source, an archive or a program.

    `language`: what it is written in; null: by the ending of `file_name`, or as its `ladder.toml` says. `keep`: the
    version before stays on the board, as its rival. `new_game`: it is a new bot although one of its name plays another
    game. `league`: where a new bot begins, for operators; null: in the lowest.
    """

    source: str | None = None
    file: Base64Bytes | None = None
    file_name: Name | None = None
    language: Name | None = None
    keep: bool = False
    note: Annotated[str, Field(max_length=MOST_NOTE_CHARS)] = ""
    params: dict[str, str] = field(default_factory=dict[str, str])
    new_game: bool = False
    league: Annotated[str, Field(max_length=MOST_NAME_CHARS)] | None = None


@route(player_router, "POST /games/{game}/bots/{bot}/versions", SubmittedVersion, status=201, gate=WriteOfBot)
def submit(body: NewVersion, write: WriteRequest, game: str, bot: str) -> Do:
    """Submit the next version of a bot, as `ladder submit` does. The scope `submit`."""
    sent = bot_in(body, write.site.source_chars)
    new = Submission(
        write.site.games.find(game).name,
        bot,
        sent.source,
        sent.language.name,
        leaves_rival=body.keep,
        note=body.note,
        params=body.params,
        new_game=body.new_game,
        league=body.league,
    )
    return lambda actor, pool, queue: actions.bots.submit(actor, pool, queue, new)


def bot_in(body: NewVersion, source_chars: int) -> GivenBot:
    content = body.file if body.source is None else body.source.encode()
    if content is None or (body.source is not None and body.file is not None):
        raise UsageFault("say either source, the text of one file, or file, its bytes in base64")
    if body.language is None and body.file_name is None:
        raise UsageFault("say language, or file_name, whose ending says it")
    return sent_bot(body.file_name or "", content, source_chars, body.language)


@immutable
class Back(Body):
    """To which league; null: the one below."""

    to: Annotated[str, Field(max_length=MOST_NAME_CHARS)] | None = None


@route(player_router, "POST /games/{game}/bots/{bot}/rewind", Rewind)
def rewind(body: Back, _write: WriteRequest, game: str, bot: str) -> Do:
    """Send a bot back a league, as `ladder bot rewind` does. The scope `play`."""
    return lambda actor, pool, _: actions.bots.rewind(actor, pool, bot, game, to_league=body.to)


@immutable
class SourceSight(Body):
    """Whether everybody who may read sees the sources of a bot."""

    source_is_public: bool


@route(player_router, "PATCH /games/{game}/bots/{bot}", SourceVisibility)
def show_sources(body: SourceSight, _write: WriteRequest, game: str, bot: str) -> Do:
    """Let everybody see a bot's sources, or its player alone. The scope `play`."""
    return lambda actor, pool, _: actions.bots.show_sources(actor, pool, bot, body.source_is_public, game)


@immutable
class BattlesWanted(Body):
    """Who is to meet, as in kraken@v3, how often, and from which seed on; null: by chance."""

    versions: Annotated[tuple[Name, ...], Field(min_length=2, max_length=8)]
    battles: Annotated[int, Field(ge=1, le=MOST_BATTLES)] = 1
    seed: Seed | None = None


@route(player_router, "POST /games/{game}/requests", BattleRequest, status=201)
def ask(body: BattlesWanted, write: WriteRequest, game: str) -> Do:
    """Ask for battles, as `ladder match request` does. The scope `play`."""
    sides = [read_name(version) for version in body.versions]
    name = write.site.games.find(game).name
    return lambda actor, pool, _: actions.matches.request(actor, pool, sides, body.battles, name, body.seed)


@immutable
class WantedGauntlet(Body):
    """A gauntlet, as the options of `ladder gauntlet run` say it. `elo0` and `elo1`: of its sequential test.

    `minutes`, in their place: how long it may take where both are equally good. Without these, it is the usual test, or
    of a fixed length where `pairs` or `seeds` are given.
    """

    candidate: Name
    against: Words = ()
    baseline: Name | None = None
    pairs: Pairs | None = None
    elo0: float | None = None
    elo1: float | None = None
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE
    elo_model: Name = ELO_MODEL
    seed: Seed | None = None
    seeds: Annotated[tuple[Seed, ...], Field(min_length=1, max_length=20_000)] | None = None
    league: Name | None = None
    context: Words | None = None
    variants: Annotated[tuple[dict[str, str], ...], Field(max_length=20)] = ()
    players: Annotated[int, Field(ge=2, le=8)] | None = None
    minutes: Annotated[float, Field(ge=LEAST_MINUTES, le=MOST_MINUTES)] | None = None


@route(player_router, "POST /games/{game}/gauntlets", BegunGauntlet, status=201)
def begin(body: WantedGauntlet, write: WriteRequest, game: str) -> Do:
    """Begin a gauntlet, as `ladder gauntlet run --detach` does. The scope `play`."""
    if body.minutes is not None and (body.elo0 is not None or body.elo1 is not None or body.variants):
        raise UsageFault("minutes choose the bounds of the test: leave elo0, elo1 and variants out")
    for params in body.variants:
        check_params(params)
    request = GauntletRequest(
        body.candidate,
        write.actor.player,
        body.against,
        body.baseline,
        pairs=body.pairs,
        test=test_of(body),
        seed=body.seed,
        seeds=body.seeds,
        league=body.league,
        game=write.site.games.find(game).name,
        context=body.context,
        variants=body.variants,
        players=body.players,
        minutes=body.minutes,
    )
    return lambda actor, pool, queue: actions.gauntlets.begin(actor, pool, queue, request)


def test_of(body: WantedGauntlet | WantedAlways) -> SprtSettings | None:
    if body.elo0 is None and body.elo1 is None:
        return None
    if body.elo0 is None or body.elo1 is None:
        raise UsageFault("elo0 and elo1 go together: give both, or neither")
    return SprtSettings(body.elo0, body.elo1, body.alpha, body.beta, body.elo_model)


@immutable
class WantedAlways(Body):
    """What is played for each new version, as the options of `ladder gauntlet auto` say it."""

    against: Words = ()
    context: Words | None = None
    pairs: Pairs | None = None
    elo0: float | None = None
    elo1: float | None = None
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE
    elo_model: Name = ELO_MODEL
    gate: bool = False


@route(player_router, "PUT /games/{game}/bots/{bot}/gauntlet", Automatic)
def automate(body: WantedAlways, write: WriteRequest, game: str, bot: str) -> Do:
    """Have a gauntlet played for each new version of a bot, as `ladder gauntlet auto` does. The scope `play`."""
    test = asked_or_usual(test_of(body), body.pairs)
    words = words_or_usual(body.against, body.context, has_baseline=False)
    terms = GauntletTerms(words, number_of_pairs(body.pairs, None, test), test, body.gate, write.actor.player)
    return lambda actor, pool, _: actions.gauntlets.automate(actor, pool, bot, None, game, terms)


@route(player_router, "DELETE /games/{game}/bots/{bot}/gauntlet", NoLongerAutomatic)
def end_automatic(_body: Nothing, _write: WriteRequest, game: str, bot: str) -> Do:
    """Have nothing played by itself any more, as `ladder gauntlet auto --off` does. The scope `play`."""
    return lambda actor, pool, _: actions.gauntlets.end_automatic(actor, pool, bot, None, game)


@operator_router.get("/tokens", responses=rows_of(tokens.Token))
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
    days: Annotated[int, Field(ge=1, le=tokens.LONGEST_DAYS)] = tokens.USUAL_DAYS
    game: Name | None = None
    bot: Name | None = None


@route(operator_router, "POST /tokens", NewToken, status=201, is_secret=True)
def create_token(body: WantedOfMine, write: WriteRequest) -> Do:
    """Make a token, as `ladder token create` does. Only for sessions: no token makes another one."""
    game = None if body.game is None else write.site.games.find(body.game).name
    token = WantedToken(body.name, frozenset(body.scopes), body.days, game, body.bot)
    return lambda actor, pool, _: actions.tokens.create(actor, pool, token)


@route(operator_router, "DELETE /tokens/{number}", tokens.Token)
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


def rows_for_operators(site: Site, deed: Deed, read: Callable[[Connection], Sequence[object]]) -> Response:
    """Answer an operator with rows. Raises NotLoggedIn, NotAllowed; the audit then has a line of that."""
    actor = require_actor(site)
    with audit.written_down(actor, site.pool):
        require(actor, deed)
    with site.reading() as connection:
        return items(read(connection), None)


@operator_router.get("/players", responses=rows_of(accounts.ListedAccount))
def players(site: SiteHere) -> Response:
    """All players: `ladder player list --json`. The scope `operate`."""
    return rows_for_operators(site, Deed.CHANGE_PLAYERS, accounts.players)


@immutable
class NewPlayer(Body):
    """A player by name, who gets an account by following the link. `team`: the player whose member it is to be."""

    name: Name
    role: Role = Role.PLAYER
    team: Name | None = None


@route(operator_router, "POST /players", LinkFor, status=201, is_secret=True)
def invite(body: NewPlayer, write: WriteRequest) -> Do:
    """Let a player in by a one-time link, as `ladder player invite` does. The scope `operate`."""
    act = actions.accounts.invite
    return lambda actor, pool, _: with_link(write.site, act(actor, pool, body.name, body.role, body.team))


@operator_router.get("/invitations", responses=rows_of(links.Invitation))
def open_invitations(site: SiteHere) -> Response:
    """The links that can be followed still, without their secrets. The scope `operate`."""
    return rows_for_operators(site, Deed.INVITE, links.still_open)


@immutable
class NewLink(Body):
    """A link for a class with so many `uses`, or one for a new password of `player`: the other is null."""

    uses: Annotated[int, Field(ge=1, le=MOST_USES)] | None = None
    player: Name | None = None


@route(operator_router, "POST /invitations", LinkFor, status=201, is_secret=True)
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


@route(operator_router, "PATCH /players/{player}", ChangedAccount, Disabled, QuotaList)
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


@operator_router.get("/audit", responses=rows_of(audit.AuditLine))
def what_was_done(site: SiteHere, limit: Limit = 100, actor: OfActor = None, action: OfAction = None) -> Response:
    """What was done, the latest first: `ladder audit --json`. The scope `operate`."""
    return rows_for_operators(site, Deed.READ_AUDIT, partial(audit.latest, limit=limit, actor=actor, action=action))


@immutable
class LeagueChanges(Body):
    """Settings of leagues by their names, as in a league file. `dry_run`: do it, and take it back."""

    leagues: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    dry_run: bool = False


@route(operator_router, "PUT /games/{game}/leagues", AppliedFile)
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


@operator_router.post("/games/{game}/seasons", **answer_schema(SeasonSoFar, PlannedSeason), **body_schema(End))
def end_season(write: WriteHere, game: GameName) -> Response:
    """Close the season that is on, or plan that, as `ladder season close` and `plan` do. The scope `operate`."""
    body = read_body(End, write.body)
    name = write.site.games.find(game).name
    if body.top is not None and body.series is None:
        raise UsageFault("top says who plays the series: say series too, with how many battles")
    series = None if body.series is None else LastSeries(body.series, body.top or USUAL_TOP)
    if body.submit_until is None:
        close = partial(actions.seasons.close, number=body.number, series=series, only_settled=body.only_settled)
        return once(write, lambda actor, pool, _: answer_with(close(actor, pool, name)), begin=seasons.hold)
    if body.number is not None or body.only_settled:
        raise UsageFault("number and only_settled are for closing at once: leave them out beside submit_until")
    plan = partial(actions.seasons.plan, submit_until=body.submit_until, series=series)
    return once(write, lambda actor, pool, _: answer_with(plan(actor, pool, name)))
