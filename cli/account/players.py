"""`ladder player`: who there is, letting people in, shutting accounts.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from cli.account.texts import disabled_text, enabled_text, invited_text, link_of
from cli.context import Context, this
from cli.options.numbers import reason_in
from cli.options.people import ByOption, operator_named
from engine.errors import Refused
from ladder import actions
from ladder.access import Role

if TYPE_CHECKING:
    from ladder.actions.accounts import Invited

NameArgument = Annotated[str, typer.Argument(help="The player's name.", show_default=False)]
JsonOption = Annotated[bool, typer.Option("--json", help="Print it as JSON.")]
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


def list_players(
    typer_context: typer.Context,
    as_json: JsonOption = False,
) -> None:
    """List the players: what they may do, how many bots and tokens they have, when they were there last.

    Example: ladder player list
    """
    from cli.account.shown import show_players

    show_players(this(typer_context), as_json=as_json)


def invite_player(
    typer_context: typer.Context,
    name: NameArgument,
    operator: Annotated[bool, typer.Option("--operator", help="The account is an operator's.")] = False,
    player: ByOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a one-time link with which a player gets an account; a new name becomes a player's by that.

    A player who has submitted already keeps all bots. The link is valid for 7 days, once; a new one takes its place.
    Send it by a way that only this player reads: who opens it first chooses the password.

    Example: ladder player invite kim --operator
    """
    context = this(typer_context)
    require_served(context)
    role = Role.OPERATOR if operator else Role.PLAYER
    show_link(context, context.act(actions.accounts.invite, operator_named(player), name, role), as_json=as_json)


def make_join_code(
    typer_context: typer.Context,
    uses: Annotated[int, typer.Option("--uses", min=1, max=1000, help="How many people it lets in.")],
    player: ByOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make one link for a class: each person who opens it chooses a name and a password.

    It is valid for 7 days. A name that somebody has already cannot be chosen.

    Example: ladder player join-code --uses 30
    """
    context = this(typer_context)
    require_served(context)
    show_link(context, context.act(actions.accounts.join_code, operator_named(player), uses), as_json=as_json)


def reset_password(
    typer_context: typer.Context,
    name: NameArgument,
    player: ByOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a one-time link with which a player chooses a new password, which ends all sessions of the old one.

    Example: ladder player reset kim
    """
    context = this(typer_context)
    require_served(context)
    show_link(context, context.act(actions.accounts.reset, operator_named(player), name), as_json=as_json)


def show_link(context: Context, done: Invited, *, as_json: bool) -> None:
    """Show a link and what it is for."""
    link = link_of(context.public_url, done)
    if as_json:
        context.show_json(InvitedBy(link, done.kind, done.player, done.role, done.uses, done.expires_at))
    else:
        context.say(invited_text(done))
        context.show_whole(link)


def disable_player(
    typer_context: typer.Context,
    name: NameArgument,
    why: Annotated[str, typer.Option("--why", help="The reason, which the player sees.")],
    player: ByOption = None,
    as_json: JsonOption = False,
) -> None:
    """Shut an account: its sessions, tokens, gauntlets and requests end, its bots leave the boards, its results stay.

    The last operator cannot be disabled. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder player disable kim --why "shared a password"
    """
    context = this(typer_context)
    done = context.act(actions.accounts.disable, operator_named(player), name, reason_in(why))
    context.show_json(done) if as_json else context.show(disabled_text(done))


def enable_player(
    typer_context: typer.Context,
    name: NameArgument,
    player: ByOption = None,
    as_json: JsonOption = False,
) -> None:
    """Open an account again. Its bots come back to the boards, with their ratings; tokens have to be made anew.

    A version that was built meanwhile stays off the board until its player activates it. It is an operator's deed,
    which `ladder deeds` shows with a name.

    Example: ladder player enable kim
    """
    context = this(typer_context)
    done = context.act(actions.accounts.enable, operator_named(player), name)
    context.show_json(done) if as_json else context.show(enabled_text(done))


def change_role(
    typer_context: typer.Context,
    name: NameArgument,
    role: Annotated[Role, typer.Argument(help="`operator`, or `player` again.", show_default=False)],
    player: ByOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a player an operator, or an operator a player again.

    The last operator stays one. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder player role kim operator
    """
    context = this(typer_context)
    done = context.act(actions.accounts.set_role, operator_named(player), name, role)
    words = f"{done.player} is {'an operator' if done.role == 'operator' else 'a player'} from now on"
    context.show_json(done) if as_json else context.show(words)
