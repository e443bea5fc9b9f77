"""`ladder match share`, `shares` and `unshare`: links with which others see a match as its player does."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.account.players import ONLY_SERVED
from cli.account.tokens import days_in
from cli.answer import Answer, Found, Remark, Whole, listing
from cli.context import this
from cli.options.names import OwnerOption, owner_named
from cli.options.numbers import id_argument
from cli.terminal.words import moment_text
from engine.errors import Refused
from ladder import actions
from ladder.ids import MatchId, ShareId

DAY_S = 86_400


def share_match(
    typer_context: typer.Context,
    match: Annotated[MatchId, id_argument("match")],
    expires: Annotated[str, typer.Option("--expires", help="For how many days, 365d at most.")] = "30d",
    player: OwnerOption = None,
) -> Found:
    """Make a link with which others see a match as you do, and show it: once, as only its hash is kept.

    They see that match only, what your bot wrote to stderr too, until the link expires or you revoke it.

    Example: ladder match share 17 --expires 7d
    """
    context, actor = this(typer_context), owner_named(player)
    if not context.is_served:
        raise Refused(ONLY_SERVED.replace("accounts", "links to matches", 1))
    made = context.act(actions.matches.share, actor, match, days_in(expires) * DAY_S)
    until = moment_text(made.share.expires_at)
    return Answer(
        made,
        [
            Remark(f"share {made.share.id} shows match {match} as {made.share.player} sees it, until {until}:"),
            Whole(f"{context.public_url}{made.path}"),
        ],
    )


def list_shares(typer_context: typer.Context, player: OwnerOption = None) -> Found:
    """List your links to matches that are still valid.

    Example: ladder match shares
    """
    context, actor = this(typer_context), owner_named(player)
    found = context.read(actions.matches.shares_of, actor.player)
    return listing(
        found,
        lambda rows: [f"share {one.id}: match {one.match_id}, until {moment_text(one.expires_at)}" for one in rows],
        f"{actor.player} shares no match",
    )


def revoke_share(
    typer_context: typer.Context, share: Annotated[ShareId, id_argument("share")], player: OwnerOption = None
) -> Found:
    """Let a link to a match lead to nothing, from this moment on.

    Example: ladder match unshare 3
    """
    context, actor = this(typer_context), owner_named(player)
    done = context.act(actions.matches.revoke_share, actor, share)
    return Answer(done, f"share {done.id} no longer shows match {done.match_id}")
