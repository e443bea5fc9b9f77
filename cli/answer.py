"""What a command takes and answers, and the one place that prints that: as tables and sentences, or as JSON or CSV.

How this works. A command reads something or does something, and returns an `Answer`. Its return type says what help has
about `--json`, as in `-> Rows`; `printing` adds that option to the command. A command that has to know how its answer
is printed has the parameter `as_json` itself. For a parameter of a class of `Options` it has the options of that class.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from enum import IntEnum
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args, get_origin, get_type_hints

import typer

from cli.context import Context, this
from engine.errors import UsageFault
from engine.immutable import immutable

if TYPE_CHECKING:
    from rich.console import RenderableType


class ExitStatus(IntEnum):
    """What a command's exit status means; the errors of `engine.errors` carry the same numbers."""

    OK = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    UNAVAILABLE = 4
    MISSING_TOOL = 5
    UNDECIDED = 6
    BUSY = 7
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    """The reader of the output is gone, as after `| head`; shells use this for programs that end by SIGPIPE."""


OF_VERDICTS = {"passed": ExitStatus.OK, "failed": ExitStatus.FAILED, "undecided": ExitStatus.UNDECIDED}
"""Of commands that follow a gauntlet, by its verdict."""


@immutable
class Remark:
    """Words that are not part of the result; they go to stderr."""

    words: RenderableType


@immutable
class Whole:
    """A line that a terminal folds rather than wraps, so that a command or an address in it is copied as one."""

    line: RenderableType


if TYPE_CHECKING:
    Part = RenderableType | Remark | Whole
    Parts = Part | Iterable[Part]


@immutable
class Answer:
    """What a command has found or done.

    `found`: is printed as JSON, a list also as CSV; `shown`: what people see of it, or what makes that, where that
    takes a while; `after`: remarks that are made in either case; `status`: the command's exit status.
    """

    found: object
    shown: Parts | Callable[[], Parts]
    after: Iterable[RenderableType] = ()
    status: int = 0

    def print(self, context: Context, *, as_json: bool = False, as_csv: bool = False) -> int:
        if as_json:
            context.show_json(self.found)
        elif as_csv:
            context.show_csv(cast("list[object]", self.found))
        else:
            parts = self.shown() if callable(self.shown) else self.shown
            show_parts(context, parts if isinstance(parts, (list, tuple, Iterator)) else [cast("Part", parts)])
        context.say(*self.after)
        return self.status


def listing(
    rows: Sequence[object], table: Callable[[], Parts], nothing: str, after: Iterable[RenderableType] = ()
) -> Answer:
    """Answer with rows; `nothing`: is said in place of their table where there are none; `after`: see `Answer`."""
    return Answer(rows, lambda: table() if rows else Remark(nothing), after)


def show_parts(context: Context, parts: Iterable[Part]) -> None:
    """Print what people see; tables that follow each other look alike."""
    waiting: list[RenderableType] = []
    for part in parts:
        if isinstance(part, (Remark, Whole)):
            context.show(*waiting)
            waiting.clear()
            if isinstance(part, Remark):
                context.say(part.words)
            else:
                context.show_whole(part.line)
        else:
            waiting.append(part)
    context.show(*waiting)


def option(names: str, purpose: str, **settings: Any) -> Any:
    """Return an option. `names`: with a blank between them; `purpose`: its help; `settings`: as of `typer.Option`."""
    return typer.Option(*names.split(), help=purpose, **settings)


def argument(purpose: str, **settings: Any) -> Any:
    return typer.Argument(help=purpose, **settings)


Found = Annotated[Answer, "Print it as JSON."]
"""What commands return: the type's note is what help says of `--json`."""
Rows = Annotated[Answer, "Print rows as JSON."]
Done = Annotated[Answer, "Print what was done as JSON."]
BY_NAME = inspect.Parameter.KEYWORD_ONLY


class Options:
    """Options that a command takes as one object of a class of its own: each field is one."""

    @property
    def values(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(cast("Any", self))}


def options_of(hint: Any) -> tuple[type[Options], dict[str, inspect.Parameter]] | None:
    """Return a class of options, and them as parameters, but for those named in `Annotated[ITS, names]`."""
    kind = hint.__origin__ if get_origin(hint) is Annotated else hint
    if not (isinstance(kind, type) and issubclass(kind, Options)):
        return None
    left_out = () if kind is hint else get_args(hint)[1]
    hints = get_type_hints(kind, include_extras=True)
    return kind, {
        name: parameter.replace(annotation=hints[name], kind=BY_NAME)
        for name, parameter in inspect.signature(kind).parameters.items()
        if name not in left_out
    }


def printing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command as Typer calls it: with the context of this run or Typer's, and its answer printed, if any.

    Its annotations are types. One that answers has the option `--json`. In place of `Options` it has their fields.
    """
    hints = dict(command.__annotations__)
    own = dict(inspect.signature(command).parameters)
    takes_ours = own.pop("context", None) is not None
    takes_typers = "typer_context" in own
    returned = hints.pop("return", None)
    answers = get_origin(returned) is Annotated and get_args(returned)[0] is Answer
    if not (takes_ours or takes_typers or answers):
        return command
    classes = {name: of for name in own if (of := options_of(hints[name]))}
    parameters = {"typer_context": inspect.Parameter("typer_context", BY_NAME, annotation=typer.Context)}
    for name, parameter in own.items():
        of_name = {name: parameter.replace(annotation=hints[name], kind=BY_NAME)}
        parameters |= classes[name][1] if name in classes else of_name
    adds_form = answers and "as_json" not in parameters
    if adds_form:
        json = Annotated[bool, typer.Option("--json", help=get_args(returned)[1])]
        parameters["as_json"] = inspect.Parameter("as_json", BY_NAME, default=False, annotation=json)

    @wraps(command)
    def run(*, typer_context: typer.Context, **words: Any) -> Any:
        context = this(typer_context)
        as_json, as_csv = words.get("as_json", False), words.get("as_csv", False)
        if as_json and as_csv:
            raise UsageFault("--json and --csv cannot be used together: choose one")
        if adds_form:
            del words["as_json"]
        for name, (kind, options) in classes.items():
            words[name] = kind(**{option: words.pop(option) for option in options})
        if takes_ours:
            words["context"] = context
        if takes_typers:
            words["typer_context"] = typer_context
        answer = command(**words)
        return answer.print(context, as_json=as_json, as_csv=as_csv) if answers else answer

    vars(run).update(__signature__=inspect.Signature(list(parameters.values())))
    run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    run.__annotations__["return"] = int if answers else returned
    return run
