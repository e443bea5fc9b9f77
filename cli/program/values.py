"""Words of a command line as values, without Typer's own library where they are plain.

How this works. Typer has pydantic turn every word into a value, also words that were left out, and pydantic takes a
quarter of a short command's time to import. Here what was left out, texts, whole numbers and what a parser of ours
reads are values without it. Everything else goes Typer's way, above all what is wrong, which it says in its own words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

MOST_DIGITS = 18
NOT_PLAIN = object()


@dataclass(frozen=True, slots=True)
class PlainFirst:
    """Turns the words of one parameter into its value. `typers`: gives what does so by Typer's own means."""

    parameter: TyperArgument | TyperOption
    typers: Callable[[], Any]

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        found = plain(self.parameter, value)
        return self.typers().coerce(value, param=param, ctx=ctx) if found is NOT_PLAIN else found


def plain(parameter: TyperArgument | TyperOption, given: Any) -> Any:
    """Return the value that words of a command line stand for; NOT_PLAIN where Typer is to say that."""
    if given is None:
        return () if parameter.multiple or parameter.nargs == -1 else None
    kind, info = parameter.type_descriptor.annotation, parameter.type_descriptor.parameter_info
    if info.parser is not None:
        return parsed(info.parser, given)
    if kind is str and type(given) is str:
        return given
    if kind is int and not info.clamp:
        return whole_number(given, info.min, info.max)
    return NOT_PLAIN


def parsed(parser: Callable[[str], Any], given: Any) -> Any:
    """Return what a parser of ours makes of a word; NOT_PLAIN where it says that the word is wrong."""
    try:
        return parser(given)
    except (ValueError, AssertionError):
        return NOT_PLAIN


def whole_number(given: Any, least: float | None, most: float | None) -> Any:
    """Return a number between bounds, None for no bound; NOT_PLAIN for anything else."""
    if type(given) is str and given.isascii() and given.isdecimal() and len(given) <= MOST_DIGITS:
        given = int(given)
    is_inside = type(given) is int and (least is None or given >= least) and (most is None or given <= most)
    return given if is_inside else NOT_PLAIN


class QuickCommand(TyperCommand):
    """A command whose plain words are values without pydantic."""

    def get_params(self, ctx: Any) -> list[Any]:
        return [reading_plain_first(parameter) for parameter in super().get_params(ctx)]


class QuickGroup(TyperGroup):
    """A group of commands, likewise."""

    def get_params(self, ctx: Any) -> list[Any]:
        return [reading_plain_first(parameter) for parameter in super().get_params(ctx)]


def reading_plain_first(parameter: Any) -> Any:
    """Return a parameter with `PlainFirst` in the place of what Typer asks for when it reads its words."""
    typers = parameter.get_runtime_param
    if isinstance(parameter, (TyperArgument, TyperOption)) and not isinstance(typers, partial):
        vars(parameter)["get_runtime_param"] = partial(PlainFirst, parameter, typers)
    return parameter
