"""The tree of errors."""

import errno
import os
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import cli
import engine
import engine.errors
import ladder
import ladder.errors
import workers
from cli.answer import ExitStatus
from engine.errors import ArenaError, Unavailable, plain_words
from workers.embedded.home import LadderHome


def kinds(kind: type[ArenaError] = ArenaError) -> Iterator[type[ArenaError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


def test_every_error_is_explained_drawn_and_has_a_documented_exit_status() -> None:
    for package in (engine, ladder, workers, cli):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    for kind in kinds():
        assert kind.__doc__, kind
        assert kind.__name__ in (engine.errors.__doc__ or "") + (ladder.errors.__doc__ or "")
        assert ExitStatus(kind.exit_status) in set(ExitStatus) - {ExitStatus.OK, ExitStatus.INTERRUPTED}, kind


def test_the_message_about_an_error_of_the_system_leaves_out_its_number() -> None:
    missing = FileNotFoundError(2, "No such file or directory", "/nowhere")
    assert plain_words(missing) == "No such file or directory: /nowhere"
    assert plain_words(OSError(18, "Invalid link", "/a", None, "/b")) == "Invalid link: /a -> /b"
    assert plain_words(OSError(9, "Bad file descriptor", 987)) == "Bad file descriptor"
    assert plain_words(PermissionError(13, "Permission denied", Path("/secret"))) == "Permission denied: /secret"
    assert plain_words(ValueError("no such thing")) == "no such thing"
    assert plain_words(OSError()) == "OSError"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.EACCES, "no permission to use the ladder in /home/kim/ladder: Permission denied: /home/kim"),
        (errno.EIO, "the folder /home/kim/ladder cannot be used for a ladder: Input/output error: /home/kim"),
    ],
)
def test_the_message_about_an_unusable_home_leaves_out_the_systems_numbers(number: int, words: str) -> None:
    trouble = LadderHome(Path("/home/kim/ladder")).trouble(OSError(number, os.strerror(number), "/home/kim"))
    assert isinstance(trouble, Unavailable)
    assert str(trouble) == words
