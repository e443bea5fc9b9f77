"""Whose a bot is, and who does something: options that name people, by default the one at the keyboard."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import default_player

ByOption = Annotated[
    str | None,
    typer.Option("--player", "-p", help="Who does it; it is written down. [default: LADDER_PLAYER or your login name]"),
]


def doer_named(player: str | None) -> str:
    """Return by which name a deed is written down, by default this person's. Raises UsageFault for an empty one."""
    from engine.errors import UsageFault

    if player == "":
        raise UsageFault("--player is empty: name who does it, or leave it out to be yourself")
    return default_player() if player is None else player


def player_named(player: str | None) -> str:
    """Return whose a bot is said to be, by default this person's.

    Raises UsageFault for a name that is empty, Refused for that of the player whose bots come with Ladder.
    """
    from engine.errors import Refused, UsageFault
    from ladder.bots.players import HOUSE

    if player == "":
        raise UsageFault("--player is empty: name a player, or leave it out to be yourself")
    name = default_player() if player is None else player
    if name.lower() == HOUSE:
        raise Refused(f"the bots of {HOUSE} come with Ladder and are nobody else's: name yourself with --player")
    return name
