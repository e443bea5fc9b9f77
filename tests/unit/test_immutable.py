"""Immutable data classes do what `dataclass(frozen=True, slots=True)` does; the tree of errors."""

import errno
import os
import pickle
import pkgutil
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import TypeAdapter

import cli
import engine
import engine.errors
import ladder
import ladder.errors
import workers
from cli.answer import ExitStatus
from engine.errors import ArenaError, Unavailable, plain_words
from engine.immutable import immutable
from workers.embedded.home import LadderHome


@immutable
class Point:
    """A place."""

    kind: ClassVar[str] = "point"
    x: int
    y: int = 2
    names: list[str] = field(default_factory=list[str], hash=False)
    note: str = field(default="", repr=False, compare=False)
    total: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", self.x + self.y)


@immutable
class Named(Point):
    name: str = "a"


@immutable
class Nothing:
    pass


@immutable
class Alone:
    value: float


@dataclass(frozen=True, slots=True)
class LibraryAlone:
    value: float


def test_objects_are_printed_compared_and_hashed_by_their_fields() -> None:
    assert repr(Named(1, names=["n"], note="x")) == "Named(x=1, y=2, names=['n'], total=3, name='a')"
    assert Point(1, note="x") == Point(1, 2, [], note="y")
    assert Point(1) != Point(2)
    assert Point(1) != Named(1)
    assert hash(Point(1, names=["n"])) == hash(Point(1, note="y"))
    assert {Nothing(), Nothing()} == {Nothing()}
    assert (repr(Nothing()), Point.kind, Nothing.__doc__) == ("Nothing()", "point", "Nothing")
    nan = float("nan")
    assert (Alone(nan) == Alone(nan)) is (LibraryAlone(nan) == LibraryAlone(nan)) is True
    assert hash(Alone(1.0)) == hash(LibraryAlone(1.0))


def test_objects_cannot_be_changed() -> None:
    before: Any = Point(1)
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        before.x = 5
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del before.x
    assert before == Point(1)
    assert not hasattr(before, "__dict__")
    assert Point(1).names is not Point(1).names


def test_copies_are_equal() -> None:
    before = Named(1, 5, ["n"], name="b")
    copies = pickle.loads(pickle.dumps(before)), deepcopy(before), replace(before)  # noqa: S301 - our own
    assert [(copy, copy.total) for copy in copies] == [(before, 6)] * 3


def test_the_library_and_pydantic_know_their_fields() -> None:
    assert [one.name for one in fields(Named)] == ["x", "y", "names", "note", "total", "name"]
    assert asdict(Alone(1.0)) == {"value": 1.0}
    assert TypeAdapter(Alone).validate_python({"value": "2.5"}) == Alone(2.5)
    match Point(7):
        case Point(x):
            assert x == 7


def test_methods_of_the_class_itself_stay() -> None:
    @immutable
    class Owner:
        name: str

        def __init__(self, first: str, last: str) -> None:
            object.__setattr__(self, "name", f"{first} {last}")

        def __repr__(self) -> str:
            return self.name

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    owner = Owner("Ada", "L")
    assert (repr(owner), owner == 3, hash(owner)) == ("Ada L", True, 7)


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
