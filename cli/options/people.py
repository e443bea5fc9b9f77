"""Whose a bot is, and who does something: options that name people, by default the one at the keyboard.

Imports inside functions: the library of the database is imported only where a player is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import default_player
from engine.errors import UsageFault
from ladder.access import Actor, Role

if TYPE_CHECKING:
    from ladder.access import Actor

OwnerOption = Annotated[
    str | None, typer.Option("--player", "-p", help="Whose it is. [default: LADDER_PLAYER or your login name]")
]
ByOption = Annotated[
    str | None,
    typer.Option("--player", "-p", help="Who does it; it is written down. [default: LADDER_PLAYER or your login name]"),
]


def operator_named(player: str | None) -> Actor:
    """Return who does something that is written down, by default this person. Raises UsageFault for an empty name.

    Everybody who reaches the database from a terminal is an operator and may name any player.
    """
    if player == "":
        raise UsageFault("--player is empty: name who does it, or leave it out to be yourself")
    return Actor(default_player() if player is None else player, Role.OPERATOR)


def operator_if(is_operator: bool, player: str | None) -> Actor:
    """Return who does something as an operator or as a player, by default this person. Raises UsageFault as above."""
    actor = operator_named(player)
    return actor if is_operator else Actor(actor.player, Role.PLAYER)


def owner_named(player: str | None) -> Actor:
    """Return the player in whose name something is done with bots, by default this person; see `operator_named`.

    Raises UsageFault for a name that is empty, Refused for that of the player whose bots come with Ladder.
    """
    from ladder.bots.players import require_other_than_house

    if player == "":
        raise UsageFault("--player is empty: name a player, or leave it out to be yourself")
    name = default_player() if player is None else player
    require_other_than_house(name)
    return Actor(name, Role.OPERATOR)
