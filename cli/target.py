"""Which ladder a command means: this machine's, or one behind a server.

How this works. Most commands mean whichever ladder is meant, some are about this machine whatever others mean, and say
so where that is another one. Of the group `game` only `lock` and `unlock` are about a ladder, so the group asks for its
commands when it knows which one was typed.
"""

from __future__ import annotations

import typer

from cli.context import this
from cli.ladders.server import LOCAL, server_meant
from engine.errors import ArenaError, UsageFault

LOCAL_BY_NATURE = frozenset(
    {"up", "down", "play", "simulate", "web", "doctor", "worker", "scheduler", "demo", "game", "db"}
)
"""Commands that are about this machine, whichever ladder others speak to."""
OF_A_LADDER = frozenset({"game lock", "game unlock"})
"""Those of their groups that are not."""
WITH_NO_LADDER = frozenset({"new", "login", "logout"})
"""Commands that speak to none, or to the one that they name."""


def is_local(command: str) -> bool:
    return command.partition(" ")[0] in LOCAL_BY_NATURE and command not in OF_A_LADDER


def choose_ladder(typer_context: typer.Context, command: str) -> None:
    """Find out which ladder a command means; one about this machine says if that is another. Raises UsageFault."""
    context, typed = this(typer_context), server_typed(typer_context)
    if command in WITH_NO_LADDER:
        return
    if not is_local(command):
        context.server = server_meant(typed)
    elif typed and typed != LOCAL:
        raise UsageFault(f"`ladder {command}` is about this machine, whichever ladder is meant: leave --server out")
    elif (url := elsewhere()) is not None:
        context.say(f"`ladder {command}` is about this machine, not about {url}")


def server_typed(typer_context: typer.Context) -> str | None:
    """Return what was typed for --server; None where it was left out, or came from the environment."""
    root = typer_context.find_root()
    source = root.get_parameter_source("server")
    return root.params["server"] if source is not None and source.name == "COMMANDLINE" else None


def elsewhere() -> str | None:
    """Return the server that other commands mean; None where they mean this machine, or cannot say."""
    try:
        found = server_meant(None)
    except ArenaError:
        return None
    return None if found is None else found.url
