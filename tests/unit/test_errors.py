"""The tree of errors."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

import pytest

import cli
import engine
import engine.errors
import ladder
import ladder.errors
import workers
from cli.status import ExitStatus
from engine.errors import ArenaError

for package in (engine, ladder, workers, cli):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        import_module(module.name)


def kinds(kind: type[ArenaError] = ArenaError) -> Iterator[type[ArenaError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


@pytest.mark.parametrize("kind", list(kinds()))
def test_every_error_is_explained_drawn_and_has_a_documented_exit_status(kind: type[ArenaError]) -> None:
    assert kind.__doc__
    assert kind.__name__ in (engine.errors.__doc__ or "") + (ladder.errors.__doc__ or "")
    assert ExitStatus(kind.exit_status) in set(ExitStatus) - {ExitStatus.OK, ExitStatus.INTERRUPTED}
