"""`ladder player`: who there is, letting people in, shutting accounts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from cli import texts
from cli.answer import Answer, Found, Remark, Whole
from cli.context import Context, this
from cli.options.names import ByOption, operator_named
from cli.options.numbers import reason_in
from engine.errors import Refused
from ladder import actions
from ladder.access import Role

if TYPE_CHECKING:
    from ladder.actions.accounts import Invited

NameArgument = Annotated[str, typer.Argument(help="The player's name.", show_default=False)]
ONLY_SERVED = (
    "accounts are for a served ladder, and this one is yours alone: set LADDER_WEB_MODE=served and LADDER_PUBLIC_URL "
    "to let others in"
)


@dataclass(frozen=True, slots=True)
class InvitedBy:
    """A link, as `--json` prints it."""

    link: str
    kind: str
    player: str | None
    role: str
    uses: int
    expires_at: datetime


def require_served(context: Context) -> None:
    """Raise Refused where nobody but this person uses the ladder."""
    if not context.is_served:
        raise Refused(ONLY_SERVED)


def list_players(typer_context: typer.Context) -> Found:
    """List the players: what they may do, how many bots and tokens they have, when they were there last.

    Example: ladder player list
    """
    return texts.accounts.show_players(this(typer_context))


def invite_player(
    typer_context: typer.Context,
    name: NameArgument,
    operator: Annotated[bool, typer.Option("--operator", help="The account is an operator's.")] = False,
    player: ByOption = None,
) -> Found:
    """Make a one-time link with which a player gets an account; a new name becomes a player's by that.

    A player who has submitted already keeps all bots. The link is valid for 7 days, once; a new one takes its place.
    Send it by a way that only this player reads: who opens it first chooses the password.

    Example: ladder player invite kim --operator
    """
    context = this(typer_context)
    require_served(context)
    role = Role.OPERATOR if operator else Role.PLAYER
    return show_link(context, context.act(actions.accounts.invite, operator_named(player), name, role))


def make_join_code(
    typer_context: typer.Context,
    uses: Annotated[int, typer.Option("--uses", min=1, max=1000, help="How many people it lets in.")],
    player: ByOption = None,
) -> Found:
    """Make one link for a class: each person who opens it chooses a name and a password.

    It is valid for 7 days. A name that somebody has already cannot be chosen.

    Example: ladder player join-code --uses 30
    """
    context = this(typer_context)
    require_served(context)
    return show_link(context, context.act(actions.accounts.join_code, operator_named(player), uses))


def reset_password(typer_context: typer.Context, name: NameArgument, player: ByOption = None) -> Found:
    """Make a one-time link with which a player chooses a new password, which ends all sessions of the old one.

    Example: ladder player reset kim
    """
    context = this(typer_context)
    require_served(context)
    return show_link(context, context.act(actions.accounts.reset, operator_named(player), name))


def show_link(context: Context, done: Invited) -> Answer:
    link = texts.accounts.link_of(context.public_url, done)
    return Answer(
        InvitedBy(link, done.kind, done.player, done.role, done.uses, done.expires_at),
        lambda: [Remark(texts.accounts.invited_text(done)), Whole(link)],
    )


def disable_player(
    typer_context: typer.Context,
    name: NameArgument,
    why: Annotated[str, typer.Option("--why", help="The reason, which the player sees.")],
    player: ByOption = None,
) -> Found:
    """Shut an account: its sessions, tokens, gauntlets and requests end, its bots leave the boards, its results stay.

    The last operator cannot be disabled. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder player disable kim --why "shared a password"
    """
    context = this(typer_context)
    done = context.act(actions.accounts.disable, operator_named(player), name, reason_in(why))
    return Answer(done, lambda: texts.accounts.disabled_text(done))


def enable_player(typer_context: typer.Context, name: NameArgument, player: ByOption = None) -> Found:
    """Open an account again. Its bots come back to the boards, with their ratings; tokens have to be made anew.

    A version that was built meanwhile stays off the board until its player activates it. It is an operator's deed,
    which `ladder deeds` shows with a name.

    Example: ladder player enable kim
    """
    context = this(typer_context)
    done = context.act(actions.accounts.enable, operator_named(player), name)
    return Answer(done, lambda: texts.accounts.enabled_text(done))


def change_role(
    typer_context: typer.Context,
    name: NameArgument,
    role: Annotated[Role, typer.Argument(help="`operator`, or `player` again.", show_default=False)],
    player: ByOption = None,
) -> Found:
    """Make a player an operator, or an operator a player again.

    The last operator stays one. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder player role kim operator
    """
    context = this(typer_context)
    done = context.act(actions.accounts.set_role, operator_named(player), name, role)
    words = f"{done.player} is {'an operator' if done.role == 'operator' else 'a player'} from now on"
    return Answer(done, words)
