"""Numbers that no command can work with: each numeric option and argument of all commands, status 2 and a sentence."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

import pytest
import typer
from typer.models import ArgumentInfo, OptionInfo

from cli.options.matches import MatchName
from cli.program.assembly import program
from tests.acceptance.conftest import Shell

TOO_LARGE = str(10**20)
OF_WHOLE, OF_REAL = (TOO_LARGE,), ("nan", "inf", "1e300")
WITH_TEST = {"--alpha": ("--sprt", "0,10"), "--beta": ("--sprt", "0,10")}
"""What makes a command look at the option at all."""


@dataclass(frozen=True)
class Number:
    """A number on the command line: the words up to it, and values that it cannot have."""

    words: tuple[str, ...]
    values: tuple[str, ...]


def numbers() -> Iterator[Number]:
    for path, command in commands():
        parameters = parameters_of(command)
        given = [filler(kind) for kind, info in parameters if isinstance(info, ArgumentInfo)]
        arguments = 0
        for kind, info in parameters:
            values = OF_REAL if kind is float else OF_WHOLE
            if isinstance(info, ArgumentInfo):
                arguments += 1
                if is_number(kind):
                    yield Number((*path, *sum(given[: arguments - 1], ())), values)
            elif is_number(kind):
                name = str(info.default)  # in an annotation the first word stands there
                below = () if info.min is None else (str(int(info.min) - 1),)
                needed = WITH_TEST.get(name, ()) if path[-1] != "stats" else ()
                yield Number((*path, *sum(given, ()), *needed, name), values + below)


def commands() -> Iterator[tuple[tuple[str, ...], Callable[..., Any]]]:
    groups: list[tuple[tuple[str, ...], typer.Typer]] = [((), program())]
    groups += [
        ((str(group.name),), group.typer_instance) for group in program().registered_groups if group.typer_instance
    ]
    for path, group in groups:
        for command in group.registered_commands:
            if command.callback is not None:
                yield (*path, command.name or command.callback.__name__), command.callback


def parameters_of(command: Callable[..., Any]) -> list[tuple[Any, OptionInfo | ArgumentInfo]]:
    hints = [get_args(hint) for hint in get_type_hints(command, include_extras=True).values()]
    return [(hint[0], hint[1]) for hint in hints if len(hint) == 2 and isinstance(hint[1], (OptionInfo, ArgumentInfo))]


def is_number(kind: Any) -> bool:
    return kind in (int, float, MatchName) or bool({int, float} & set(get_args(kind)))


def filler(kind: Any) -> tuple[str, ...]:
    if kind == list[int]:
        return ("1", "1", "1")
    return ("1",) if is_number(kind) else ("x",)


ALL = list(numbers())


@pytest.mark.parametrize("number", ALL, ids=lambda number: "-".join(number.words))
def test_a_number_that_cannot_be_is_refused_in_a_sentence_before_anything_is_done(desk: Shell, number: Number) -> None:
    for value in number.values:
        done = desk.run(*number.words, value)
        assert (done.returncode, done.stdout) == (2, ""), (value, done.stderr)
        assert done.stderr.startswith("ladder: "), value
        assert done.stderr.count("\n") == 1, done.stderr
        assert "unexpected" not in done.stderr, value
    assert not desk.home.exists()


def test_the_numbers_of_all_kinds_of_commands_were_found() -> None:
    kinds = {("simulate", "--tau"), ("match", "show"), ("match", "--limit"), ("game", "--seed"), ("up", "--workers")}
    assert kinds <= {(number.words[0], number.words[-1]) for number in ALL}


def test_the_largest_numbers_that_are_taken_can_be_worked_with(desk: Shell) -> None:
    small = ("simulate", "--bots", "3", "--battles", "2", "--repeats", "1", "--resubmissions", "1", "--jobs", "1")
    for words in (("--tau", "10000"), ("--spread", "100"), ("--draws", "0.9"), ("--near-ranks", "100000")):
        assert "trueskill" in desk.ok(*small, *words)
    assert "nan" not in desk.ok("gauntlet", "stats", "1000000000", "1", "1", "--alpha", "0.000001")
