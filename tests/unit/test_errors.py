"""The tree of errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import engine.errors
import ladder.errors
from cli.status import ExitStatus
from engine.errors import ArenaError


def kinds(kind: type[ArenaError] = ArenaError) -> Iterator[type[ArenaError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


@pytest.mark.parametrize("kind", list(kinds()))
def test_every_error_is_explained_drawn_and_has_a_documented_exit_status(kind: type[ArenaError]) -> None:
    assert kind.__doc__
    assert kind.__name__ in (engine.errors.__doc__ or "") + (ladder.errors.__doc__ or "")
    assert ExitStatus(kind.exit_status) in set(ExitStatus) - {ExitStatus.OK, ExitStatus.INTERRUPTED}
