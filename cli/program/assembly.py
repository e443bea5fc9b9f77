"""The program of one command line: how only those commands that it names are put together.

How this works. Typer reads the signature of every command that is registered, several times, which takes longer than
most commands do. So if the command line names a command, that one alone is imported and registered. For the list of
commands or of a group's, and words that are not a command, none is: see `command_list`. A line that is being completed
names what stands before the word in question.

Typer also has pydantic turn every word into a value, even those that were left out, and pydantic takes a quarter of a
short command's time to import. Here what was left out, texts, whole numbers and what a parser of ours reads are values
without it. Everything else goes Typer's way, above all what is wrong, which it says in its own words.

Bash takes a word with a colon, such as play:1, for three, and replaces only what is behind the colon. So while it
completes a line such words are put together again before the program reads them, and of what the program offers only
the part behind the colon is printed.
"""

import inspect
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cache, partial
from importlib import import_module
from typing import Annotated, Any, NewType, get_origin, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from cli.answer import option, printing
from cli.context import this
from cli.ladders.server import LOCAL, SERVER, server_meant
from cli.program.command_list import COMMANDS, SECTIONS, TAKE_DASHES, WITH_NO_LADDER, CommandGroup, help_of, is_local
from engine.errors import ArenaError, UsageFault
from engine.immutable import immutable
from ladder.version import VERSION

MOST_DIGITS = 18
NOT_PLAIN = object()


@immutable
class PlainFirst:
    """Turns the words of one parameter into its value. `typers`: gives what does so by Typer's own means."""

    parameter: TyperArgument | TyperOption
    typers: Callable[[], Any]

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        result = plain(self.parameter, value)
        return self.typers().coerce(value, param=param, ctx=ctx) if result is NOT_PLAIN else result


def plain(parameter: TyperArgument | TyperOption, typed: Any) -> Any:
    """Return the value that words of a command line stand for; NOT_PLAIN where Typer is to say that."""
    if typed is None:
        return () if parameter.multiple or parameter.nargs == -1 else None
    kind, info = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
    if info.parser is not None:
        try:
            return info.parser(typed)
        except (ValueError, AssertionError):
            return NOT_PLAIN
    if kind is str and type(typed) is str:
        return typed
    return whole_number(typed, info.min, info.max) if kind is int and not info.clamp else NOT_PLAIN


def whole_number(typed: Any, least: float | None, most: float | None) -> Any:
    """Return a number between bounds, None for no bound; NOT_PLAIN for anything else."""
    if type(typed) is str and typed.isascii() and typed.isdecimal() and len(typed) <= MOST_DIGITS:
        typed = int(typed)
    is_inside = type(typed) is int and (least is None or typed >= least) and (most is None or typed <= most)
    return typed if is_inside else NOT_PLAIN


class QuickCommand(TyperCommand):
    """A command whose plain words are values without pydantic."""

    def get_params(self, ctx: Any) -> list[Any]:
        return list(map(reading_plain_first, super().get_params(ctx)))


class QuickGroup(TyperGroup):
    """A group of commands, likewise."""

    def get_params(self, ctx: Any) -> list[Any]:
        return list(map(reading_plain_first, super().get_params(ctx)))


class LadderProgram(QuickGroup):
    """The program, whose help lists commands by what they are for."""

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        return [name for names in SECTIONS.values() for name in names if name in self.commands]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        del ctx
        for section, names in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name, help_of(COMMANDS[name])) for name in names])


def reading_plain_first(parameter: Any) -> Any:
    typers = parameter.get_runtime_param
    if isinstance(parameter, (TyperArgument, TyperOption)) and not isinstance(typers, partial):
        vars(parameter)["get_runtime_param"] = partial(PlainFirst, parameter, typers)
    return parameter


DEBUG_VARIABLE = "LADDER_DEBUG"
COMPLETION_VARIABLE = "_LADDER_COMPLETE"
"""Set by the shell that wants to complete a command line."""
GROUPS_THAT_SAY = frozenset({"game"})
"""Groups that find out themselves which ladder each of their commands means."""


def program_for(words: list[str]) -> typer.Typer:
    """Return as much of the program as a command line needs, or one that is being completed."""
    return program(*named_in(words_before() if COMPLETION_VARIABLE in os.environ else words))


@cache
def program(name: str | None = None, command: str | None = None) -> typer.Typer:
    """Return the program: whole, or with one command, or one of a group; for "" with their list in their place."""
    app = empty()
    for word, entry in COMMANDS.items():
        if name == "":
            app.command(word, help=help_of(entry))(lambda: None)
        elif name in {None, word}:
            if isinstance(entry, CommandGroup):
                app.add_typer(group(word, entry, command), name=word)
            else:
                join(app, word, entry)
    return app


def group(name: str, entry: CommandGroup, command: str | None) -> typer.Typer:
    """Return a group of commands: whole, with this command alone, or for "" with their list."""
    kind = LedGroup if entry.leads else QuickGroup
    words = f"{entry.help}\n\nExample: {entry.example}"
    app = typer.Typer(cls=kind, no_args_is_help=True, rich_markup_mode=None, help=words)
    if name in GROUPS_THAT_SAY:
        app.callback()(group_that_says)
    for word, its in entry.commands.items():
        if command == "":
            app.command(word, help=help_of(its))(lambda: None)
        elif command in {None, word}:
            join(app, word, its)
    return app


class LedGroup(QuickGroup):
    """A group one of whose commands is meant where the line names none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        entry = COMMANDS[str(self.name)]
        words = {*self.commands, *ctx.help_option_names}
        if isinstance(entry, CommandGroup) and (args[0] not in words if args else entry.stands_alone):
            args = [entry.leads, *args]
        return super().parse_args(ctx, args)


def empty() -> typer.Typer:
    app = typer.Typer(
        name="ladder",
        cls=LadderProgram,
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


def join(app: typer.Typer, name: str, place: str) -> None:
    module, _, attribute = place.partition(":")
    settings = {"ignore_unknown_options": True} if place in TAKE_DASHES else None
    command = with_its_types(getattr(import_module(module), attribute))
    examples_apart = re.sub("\n+Example: ", "\n\nExample: ", inspect.getdoc(command) or "")
    app.command(name, cls=QuickCommand, context_settings=settings, help=examples_apart)(printing(command))


def with_its_types(command: Callable[..., Any]) -> Callable[..., Any]:
    """Put a command's types in the place of the words for them, which Typer would look up again and again."""
    for name, hint in get_type_hints(command, include_extras=True).items():
        own = get_origin(hint) is Annotated and hint.__origin__
        # Help shows a type by its name, so an id is to be a plain number.
        plain_hint = Annotated[own.__supertype__, *hint.__metadata__] if isinstance(own, NewType) else hint
        command.__annotations__[name] = plain_hint
    return command


def named_in(arguments: list[str]) -> tuple[str, str]:
    """Return the command that a line names, and which one of a group; "" for none, as where all help is asked for."""
    values = {number + 1 for number, word in enumerate(arguments) if word == "--server"}
    words = iter([word for number, word in enumerate(arguments) if number not in values])
    name = first_name(words)
    entry = COMMANDS.get(name)
    if not isinstance(entry, CommandGroup):
        return ("" if entry is None else name), ""
    command = first_name(words)
    leads = entry.leads if command or (entry.stands_alone and "--help" not in arguments) else ""
    return name, command if command in entry.commands else leads


def first_name(words: Iterator[str]) -> str:
    """Return the first word that is not an option; "" where there is none, or help is asked for before it."""
    first = next((word for word in words if word == "--help" or not word.startswith("-")), "")
    return "" if first == "--help" else first


def show_version(is_asked_for: bool) -> None:
    if is_asked_for:
        typer.echo(f"ladder {VERSION}")
        raise typer.Exit


def ladder(
    typer_context: typer.Context,
    server: Annotated[
        str | None, option("--server", "The ladder behind a server that is meant, or `local`.", envvar=SERVER)
    ] = None,
    debug: Annotated[bool, option("--debug", "Show the traceback of an error.", envvar=DEBUG_VARIABLE)] = False,
    version: Annotated[
        bool, option("--version", "Print the version and exit.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Play bots against each other in fair, sandboxed matches and rate them."""
    del server, version
    typer_context.call_on_close(this(typer_context).at_end.close)
    if typer_context.invoked_subcommand not in GROUPS_THAT_SAY:
        choose_ladder(typer_context, typer_context.invoked_subcommand or "")
    if debug:
        os.environ[DEBUG_VARIABLE] = "1"
    else:
        os.environ.pop(DEBUG_VARIABLE, None)  # "0", say


def group_that_says(typer_context: typer.Context) -> None:
    choose_ladder(typer_context, f"{typer_context.info_name} {typer_context.invoked_subcommand}")


def choose_ladder(typer_context: typer.Context, command: str) -> None:
    """Find out which ladder a command means; one about this machine says if that is another. Raises UsageFault."""
    context, root = this(typer_context), typer_context.find_root()
    if command in WITH_NO_LADDER:
        return
    source = root.get_parameter_source("server")
    typed = root.params["server"] if source is not None and source.name == "COMMANDLINE" else None
    if not is_local(command):
        context.server = server_meant(typed)
    elif typed and typed != LOCAL:
        raise UsageFault(f"`ladder {command}` is about this machine, whichever ladder is meant: leave --server out")
    else:
        with suppress(ArenaError):  # other commands say what is wrong with the server that they mean
            if (server := server_meant(None)) is not None:
                context.say(f"`ladder {command}` is about this machine, not about {server.url}")


def join_at_colons(words: Sequence[str], place: int) -> tuple[list[str], int, str]:
    """Return words joined around colons, the place of the completed one, and what of it bash leaves as it is."""
    whole: list[str] = []
    is_open = False
    for word in words[: place + 1]:
        is_colon = bool(word) and not word.strip(":")
        if whole and word and (is_colon or is_open):
            whole[-1] += word
        else:
            whole.append(word)
        is_open = is_colon
    head, colon, _ = whole[-1].rpartition(":")
    return whole, len(whole) - 1, head + colon


def words_before() -> list[str]:
    """Return the words before the one that a shell completes. Bash hands over a list and a place, others the line."""
    place = os.environ.get("COMP_CWORD", "")
    if place.isdecimal():
        return os.environ.get("COMP_WORDS", "").split()[1 : int(place)]
    line = os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return line.split()[1 : None if line.endswith(" ") else -1]


@contextmanager
def colons_joined(variable: str) -> Iterator[None]:
    """Do all this in the block where bash completes a line; else nothing. `variable`: that of completion."""
    words = os.environ.get("COMP_WORDS", "").split("\n")
    place = os.environ.get("COMP_CWORD", "")
    if os.environ.get(variable) != "complete_bash" or ":" not in words or not place.isdecimal():
        yield
        return
    whole, at, typed = join_at_colons(words, int(place))
    os.environ |= {"COMP_WORDS": "\n".join(whole), "COMP_CWORD": str(at)}
    offered = io.StringIO()
    try:
        with redirect_stdout(offered):
            yield
    finally:
        sys.stdout.writelines(f"{line.removeprefix(typed)}\n" for line in offered.getvalue().splitlines())
