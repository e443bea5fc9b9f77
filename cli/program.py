"""The program's commands: where each of them is, and how only those that are needed are put together.

How this works. Typer reads the signature of every command that is registered, several times, which takes longer than
most commands do. So if the command line names a command, that one alone is imported and registered. For the list of
commands, and words that are no command, none is: their names and a line about each stand here. For completion all are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NewType, get_origin, get_type_hints

import typer

from cli.context import this
from cli.ladders.server import SERVER
from cli.meant import mean
from ladder.version import VERSION

DEBUG_VARIABLE = "LADDER_DEBUG"
COMPLETION_VARIABLE = "_LADDER_COMPLETE"
"""Set by the shell that wants to complete a command line."""


@dataclass(frozen=True, slots=True)
class Command:
    """Module and name of a command or a group of commands, and what the list of commands says of it."""

    place: str
    help: str


COMMANDS: Mapping[str, Command] = {
    "up": Command("cli.services:up", "Start the embedded services and workers."),
    "down": Command("cli.services:down", "Stop what `ladder up` started."),
    "new": Command("cli.bot.new:new_bot", "Make a folder for a new bot."),
    "submit": Command("cli.submit:submit", "Submit the next version of a bot."),
    "board": Command("cli.board.commands:board", "Show the leaderboards."),
    "play": Command(
        "cli.play.command:play", "Play bots against each other here: two, or as many as the game has seats."
    ),
    "simulate": Command("cli.simulate.command:simulate", "Simulate ladders to choose their settings."),
    "status": Command("cli.services:status", "Show what runs and what waits."),
    "web": Command("cli.web.command:web", "Show the ladder in a browser, until Ctrl-C."),
    "doctor": Command("cli.doctor.command:doctor", "Check what this machine can do."),
    "worker": Command("cli.services:worker", "Run one more worker here, until Ctrl-C."),
    "scheduler": Command("cli.services:scheduler", "Run the scheduler here, until Ctrl-C."),
    "demo": Command("cli.demo.command:demo", "Show the whole thing once, in a minute."),
    "deeds": Command("cli.account.deeds:show_deeds", "Show what was done that concerns others: who, when and what."),
    "audit": Command("cli.account.audit:show_audit", "Show every change that was made: who, when, what, from where."),
    "login": Command(
        "cli.account.login:login", "Log in to a ladder on another machine; afterwards commands mean that one."
    ),
    "logout": Command("cli.account.login:logout", "Log out: the token is forgotten here and no longer valid."),
    "whoami": Command("cli.account.login:whoami", "Say which ladder commands mean, and whom it knows you as."),
    "export": Command("cli.transfer:export_ladder", "Write the whole ladder into a folder or a tar file."),
    "import": Command("cli.imports.commands:app", "Move in: from an export, or from psyleague or cgarena."),
    "bot": Command("cli.bot.commands:app", "Bots and their versions."),
    "match": Command("cli.match.commands:app", "Matches: list them, look at one, or ask for some."),
    "game": Command("cli.game.commands:app", "The games: rules, maps, recorded matches, games of your own."),
    "league": Command("cli.league:app", "Leagues and their settings, as files."),
    "rating": Command("cli.rating.commands:app", "Ratings: check the ledger, or rate again."),
    "season": Command("cli.season.commands:app", "Seasons: close one, or look at a closed one's boards."),
    "contest": Command(
        "cli.contest.commands:app", "A class or a contest: open one, see how it goes, write its results."
    ),
    "gauntlet": Command("cli.gauntlet.commands:app", "Is this version better than the ones before it?"),
    "player": Command("cli.account.players:app", "Players: let them in, shut accounts, make operators."),
    "token": Command("cli.account.tokens:app", "Tokens: what programs show in your place."),
    "db": Command("cli.database:app", "The database."),
}
"""Each command or group of commands, in the order in which help lists them."""

GROUPS_THAT_SAY = frozenset({"game"})
"""Groups that find out themselves which ladder each of their commands means."""


def program_for(words: list[str]) -> typer.Typer:
    """Return as much of the program as a command line needs."""
    command = named_in(words)
    return overview() if command is None and COMPLETION_VARIABLE not in os.environ else program(command)


@cache
def program(command: str | None = None) -> typer.Typer:
    """Return the program, with this command alone or with all."""
    app = empty()
    for name in COMMANDS if command is None else [command]:
        module, _, attribute = COMMANDS[name].place.partition(":")
        join(app, name, getattr(import_module(module), attribute))
    return app


@cache
def overview() -> typer.Typer:
    """Return a program that lists all commands and has none."""
    app = empty()
    for name, command in COMMANDS.items():
        app.command(name, help=command.help)(listed)
    return app


def listed() -> None:
    """Stand for a command in the list of commands."""


def empty() -> typer.Typer:
    """Return the program without commands."""
    app = typer.Typer(
        name="ladder",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        help="The CodinGame arena that you run yourself: submit bots, watch them climb from Wood to Legend.\n\n"
        "Example: ladder demo",
        epilog="Exit status: 0 ok, 1 failed, 2 usage, 3 refused, 4 unavailable, 5 missing tool, 6 undecided, "
        "130 interrupted, 141 output closed (for example by `| head`).",
    )
    app.callback()(ladder)
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
    hints = get_type_hints(command, include_extras=True)
    command.__annotations__ = {name: with_plain_number(hint) for name, hint in hints.items()}
    return command


def with_plain_number(hint: Any) -> Any:
    """Return a parameter's type, with `int` in the place of an id's own: help shows the type by its name."""
    own = get_origin(hint) is Annotated and hint.__origin__
    return Annotated[own.__supertype__, *hint.__metadata__] if isinstance(own, NewType) else hint


def named_in(arguments: list[str]) -> str | None:
    """Return the command that a command line names, if it names one and does not ask for help about all."""
    values = {number + 1 for number, word in enumerate(arguments) if word == "--server"}
    words = [word for number, word in enumerate(arguments) if number not in values]
    first = next((word for word in words if word == "--help" or not word.startswith("-")), None)
    return first if first in COMMANDS else None


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        typer.echo(f"ladder {VERSION}")
        raise typer.Exit


def ladder(
    typer_context: typer.Context,
    server: Annotated[
        str | None,
        typer.Option("--server", envvar=SERVER, help="The ladder behind a server that is meant, or `local`."),
    ] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error.", envvar=DEBUG_VARIABLE)
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Play bots against each other in fair, sandboxed matches and rate them."""
    del server, version
    typer_context.call_on_close(this(typer_context).at_end.close)
    if typer_context.invoked_subcommand not in GROUPS_THAT_SAY:
        mean(typer_context, typer_context.invoked_subcommand or "")
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"
    else:
        os.environ.pop(DEBUG_VARIABLE, None)  # "0", say
