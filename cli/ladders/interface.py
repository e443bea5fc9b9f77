"""What commands ask of a ladder. They do not know how it is reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from ladder.access import Actor
    from ladder.database.connection import Connection, Pool

P = ParamSpec("P")
T = TypeVar("T")


class Assumed(str):
    """A player's name that nobody has typed: on a ladder behind a server one is whom that knows, whatever it says."""

    __slots__ = ()


class Ladder(Protocol):
    """A ladder, with its database here or behind a server."""

    def read(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function of `ladder.views` reads in one transaction, whether the ladder runs or not.

        Raises what the view raises, and Unavailable where there is no ladder or it does not answer.
        """
        ...

    def watch(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Read a view as `read` does, of a ladder that runs: what is watched would not change otherwise."""
        ...

    def known_as(self) -> str | None:
        """Return the player whom a server takes this person for, "" for nobody; None where people name themselves.

        Raises Unavailable.
        """
        ...

    def act(
        self, action: Callable[Concatenate[Actor, Pool, P], T], actor: Actor, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Let somebody do something of `ladder.actions` and return what came of it. Raises what the action raises."""
        ...
