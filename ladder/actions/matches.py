"""What people do with matches: ask for battles, show a match to others, and as operators take one back."""

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import ClassVar

from engine.errors import Refused, UnknownName, UsageFault
from engine.immutable import immutable
from ladder import audit
from ladder.access import Actor, Deed, require, require_bot
from ladder.accounts import links
from ladder.accounts.links import Shared
from ladder.accounts.secrets import new_secret
from ladder.choices import GauntletState
from ladder.database.connection import Pool, transaction
from ladder.flows import pruning
from ladder.flows.pruning import PrunedAmount, Pruning
from ladder.gauntlets import gauntlets
from ladder.ids import GauntletId, MatchId, RequestId, ShareId
from ladder.matches import match_rows
from ladder.matchmaking import requests
from ladder.matchmaking.requests import BattleRequest
from ladder.names import NamedVersion, read_name
from ladder.quotas.quotas import require_room
from ladder.quotas.rules import Quota
from ladder.ratings import replay
from ladder.ratings.replay import Voided
from ladder.retention import Retention
from ladder.visibility import boards_shown_to

DAY_S = 86_400
USUAL_SHARE_S, LONGEST_SHARE_S = 30 * DAY_S, 365 * DAY_S


def void(actor: Actor, pool: Pool, match_id: MatchId, why: str) -> Voided:
    """Take back a finished match, and rate its league again without it. Raises NotAllowed, UnknownName, Refused."""
    with audit.transaction_for(actor, pool, Deed.VOID_MATCH) as connection:
        voided = replay.void_match(connection, match_id, actor.player, why)
        audit.write_deed(connection, actor, "match void", f"match {match_id} of {voided.league}: {why}")
    return voided


def prune(
    actor: Actor,
    pool: Pool,
    retention: Retention,
    *,
    gauntlet: GauntletId | None = None,
    is_dry_run: bool = False,
    on_batch: Callable[[PrunedAmount], None] = lambda _: None,
) -> PrunedAmount:
    """Let go of what is old, in small transactions; `on_batch` hears of each. Raises NotAllowed, Refused."""
    require(actor, Deed.PRUNE)
    if gauntlet is not None:
        with transaction(pool) as connection:
            state = gauntlets.find(connection, gauntlet).state
        if state == GauntletState.RUNNING:
            raise Refused(
                f"gauntlet {gauntlet} is still running and needs its matches: wait for its end, or stop it by "
                f"`ladder gauntlet stop {gauntlet}`"
            )
    what = Pruning(retention, gauntlet, is_dry_run=is_dry_run)
    amount, _ = pruning.prune_for(pool, what, after=0, limit_s=inf, on_batch=on_batch)
    if not is_dry_run and amount.stderr + amount.records:
        with transaction(pool) as connection:
            about = f"the records of {amount.records} matches and the stderr of {amount.stderr}, {amount.bytes} bytes"
            audit.write_deed(connection, actor, "prune", about)
    return amount


@immutable
class NewShare:
    """A link that was just made. `path`: where it leads, with its secret, which is shown once and kept by nobody."""

    MERGED: ClassVar = ("share",)

    path: str
    share: Shared


def share(actor: Actor, pool: Pool, match_id: MatchId, expires_in_s: int = USUAL_SHARE_S) -> NewShare:
    """Make a link with which others see a match as the actor does, who has a bot in it. Raises NotAllowed."""
    if not 1 <= expires_in_s <= LONGEST_SHARE_S:
        raise UsageFault(f"a link to a match is valid for 1 s to {LONGEST_SHARE_S // DAY_S} days, not {expires_in_s} s")
    with transaction(pool) as connection:
        row = match_rows.find_match(connection, match_id)
        if row is None:
            raise UnknownName(f"there is no match {match_id}")
        own_bots = links.bots_in(connection, match_id, actor.player)
        sentence = f"no bot of {actor.player} plays in match {match_id}, so it is not theirs to share"
        require(actor, Deed.SHARE_MATCH, sentence, actor.player if own_bots else None)
        for bot in own_bots:
            require_bot(actor, row.game, bot)
        secret = new_secret()
        share_row = links.insert_share(connection, secret, match_id, actor.player, expires_in_s)
        audit.write(connection, actor, "match share", f"match {match_id}", share=share_row.id)
    return NewShare(f"/r/{secret}", share_row)


def revoke_share(actor: Actor, pool: Pool, share_id: ShareId) -> Shared:
    """Let a link to a match lead to nothing from now on: one's own, or as an operator. Raises UnknownName."""
    with transaction(pool) as connection:
        share_row = links.find_share(connection, share_id)
        if share_row is None or not (actor.operates or actor.is_(share_row.player)):
            raise UnknownName(f"{actor.player} has no share {share_id}")
        require(actor, Deed.REVOKE_SHARE, owner=share_row.player)
        links.revoke_share(connection, share_id)
        audit.write(connection, actor, "match unshare", f"match {share_row.match_id}", share=share_id)
    return share_row


def request(
    actor: Actor,
    pool: Pool,
    sides: Sequence[NamedVersion],
    battles: int,
    game: str | None = None,
    seed: int | None = None,
    league: str | None = None,
) -> BattleRequest:
    """Ask for battles between two versions or more. Raises as `ladder.matchmaking.requests.ask`, and QuotaUsed."""
    with audit.transaction_for(actor, pool, Deed.REQUEST_BATTLES) as connection:
        require_room(connection, actor, Quota.BATTLES_PER_DAY, Quota.CPU_S_PER_DAY, much=battles)
        request_row = requests.ask(
            connection, sides, battles, actor.player, game, seed, partial(boards_shown_to, connection, actor), league
        )
        require_bot(actor, request_row.game, *bots_of(request_row))
        audit.write(connection, actor, "match request", described(request_row))
    return request_row


def cancel(actor: Actor, pool: Pool, request_id: RequestId) -> BattleRequest:
    """Take back what a player asked for: battles that are not made yet are not made any more. Raises Refused."""
    with transaction(pool) as connection:
        request_row = requests.cancel(connection, actor, request_id)
        require_bot(actor, request_row.game, *bots_of(request_row))
        audit.write(connection, actor, "match cancel", described(request_row))
    return request_row


def described(request_row: BattleRequest) -> str:
    return f"request {request_row.id}: {' against '.join(request_row.versions)}, {request_row.game}"


def bots_of(request_row: BattleRequest) -> list[str]:
    return [read_name(version).bot for version in request_row.versions]
