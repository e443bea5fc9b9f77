"""The program's commands: where each of them is, and how only those that are needed are put together.

How this works. Typer reads the signature of every command that is registered, several times, which takes longer than
most commands do. So if the command line names a command, that one alone is imported and registered. For help,
completion, and words that are no command, all are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any, get_type_hints

import typer

VERSION = "0.1.0"
DEBUG_VARIABLE = "LADDER_DEBUG"

COMMANDS: Mapping[str, str] = {
    "up": "cli.services:up",
    "down": "cli.services:down",
    "new": "cli.bot.new:new_bot",
    "submit": "cli.submit:submit",
    "board": "cli.board:board",
    "play": "cli.play.command:play",
    "simulate": "cli.simulate.command:simulate",
    "status": "cli.services:status",
    "doctor": "cli.doctor.command:doctor",
    "worker": "cli.services:worker",
    "scheduler": "cli.services:scheduler",
    "demo": "cli.demo.command:demo",
    "bot": "cli.bot.commands:app",
    "match": "cli.match.commands:app",
    "game": "cli.game.commands:app",
    "league": "cli.league:app",
    "rating": "cli.rating.commands:app",
    "season": "cli.season.commands:app",
    "gauntlet": "cli.gauntlet.commands:app",
    "deeds": "cli.deeds:show_deeds",
    "export": "cli.transfer:export_ladder",
    "import": "cli.transfer:import_ladder",
    "db": "cli.database:app",
}
"""Module and name of each command or group of commands, in the order in which help lists them."""


@cache
def program(command: str | None = None) -> typer.Typer:
    """Return the program, with this command alone or with all."""
    app = typer.Typer(
        name="ladder",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        help="The CodinGame arena that you run yourself: submit bots, watch them climb from Wood to Legend.\n\n"
        "Example: ladder demo",
        epilog="Exit status: 0 ok, 1 failed, 2 usage, 3 refused, 4 unavailable, 5 missing tool, 6 undecided, "
        "130 interrupted, 141 the output was closed.",
    )
    app.callback()(ladder)
    for name in COMMANDS if command is None else [command]:
        module, _, attribute = COMMANDS[name].partition(":")
        join(app, name, getattr(import_module(module), attribute))
    return app


def join(app: typer.Typer, name: str, found: typer.Typer | Callable[..., Any]) -> None:
    """Register a command or a group of commands."""
    if not isinstance(found, typer.Typer):
        app.command(name)(with_its_types(found))
        return
    for command in found.registered_commands:
        if command.callback is not None:
            with_its_types(command.callback)
    app.add_typer(found, name=name)


def with_its_types(command: Callable[..., Any]) -> Callable[..., Any]:
    """Put a command's types in the place of the words for them, which Typer would look up again and again."""
    command.__annotations__ = get_type_hints(command, include_extras=True)
    return command


def named_in(arguments: list[str]) -> str | None:
    """Return the command that a command line names, if it names one and does not ask for help about all."""
    first = next((word for word in arguments if word == "--help" or not word.startswith("-")), None)
    return first if first in COMMANDS else None


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        typer.echo(f"ladder {VERSION}")
        raise typer.Exit


def ladder(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error.", envvar=DEBUG_VARIABLE)
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Play bots against each other in fair, sandboxed matches and rate them."""
    del version
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"
    else:
        os.environ.pop(DEBUG_VARIABLE, None)  # "0", say
