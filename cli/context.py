"""What every command works with: settings, terminals, and the way to the services when it needs them.

Imports inside functions: each command imports only the services that it asks for, so that all others start fast.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import workers
from cli import ladders, terminal
from cli.ladders.direct import Direct, database_to_read
from cli.ladders.server import Assumed
from engine.errors import ArenaError, Refused, Unavailable, UsageFault
from engine.interrupts import interrupts_delayed
from engine.machine import account_name
from ladder import database, games, views
from ladder.settings import Settings, settings_from

if TYPE_CHECKING:
    import typer
    from rich.console import Console, RenderableType

    from cli.ladders.server import Server
    from engine.game import Game, Games
    from ladder.access import Actor
    from ladder.database.connection import Connection, Pool
    from ladder.queue import Queue

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE_S = 120.0
"""Who follows something outlasts so long a time without an answer: services that start anew, a network that is away."""
TRY_EVERY_S = 1.0


@dataclass
class Context:
    """One run of a command. Everything is opened when first used, so that a command pays for what it needs."""

    settings: Settings = field(default_factory=settings_from)
    server: Server | None = None
    at_end: ExitStack = field(default_factory=ExitStack)
    answered_s: float | None = None
    """When the ladder last did what was asked of it, or showed what is followed, by the monotonic clock."""

    @cached_property
    def home(self) -> workers.embedded.home.LadderHome:
        return workers.embedded.home.LadderHome.from_environment()

    @cached_property
    def games(self) -> Games:
        """The games that can be played here, and the ladder's own when one of these is asked for; see `game_named`."""
        if self.server is not None:
            return ladders.remote.games_beside(self.server.url)
        return games.catalogue.games_with_those_of(self._database_if_there)

    def game_named(self, name: str) -> str:
        """Return the name of a game of the ladder, for a command that needs no more of it. Raises UnknownName."""
        return self.games.find(name).name if self.server is None else ladders.remote.game_name(self, name)

    def know_game(self, game: Game) -> None:
        others = tuple(other for other in self.games.here if other.name != game.name)
        self.games = replace(self.games, here=(*others, game))

    def _database_if_there(self) -> str | None:
        try:
            return self.database_url
        except ArenaError:
            return None

    @cached_property
    def out(self) -> Console:
        return plain_console(stderr=False)

    @cached_property
    def err(self) -> Console:
        return plain_console(stderr=True)

    @cached_property
    def services(self) -> workers.embedded.state_file.Running | None:
        return workers.embedded.state_file.running(self.home)

    @cached_property
    def database_url(self) -> str:
        """The database: the one named by the environment, else the embedded one. Raises Unavailable, UsageFault."""
        self.require_here()
        return self.settings.database_url or self._embedded("LADDER_DATABASE_URL").database_url

    @property
    def is_served(self) -> bool:
        return self.server is not None or self.settings.web.is_served

    @property
    def public_url(self) -> str:
        return self.settings.web.public_url if self.server is None else self.server.url

    def require_here(self) -> None:
        if self.server is not None:
            instead = "type it where its database is, or name this machine's ladder with `ladder --server local`"
            raise Refused(f"{self.server.url} cannot do this for another machine: {instead}")

    @cached_property
    def broker_url(self) -> str:
        address = self.settings.broker_url or self._embedded("LADDER_BROKER_URL").broker_url
        workers.broker.check_address(address)
        return address

    def require_both_or_neither(self) -> None:
        """Raise UsageFault where one of the two services is named: they would belong to different ladders."""
        if bool(self.settings.database_url) != bool(self.settings.broker_url):
            named, other = "LADDER_DATABASE_URL", "LADDER_BROKER_URL"
            if not self.settings.database_url:
                named, other = other, named
            raise UsageFault(f"{named} is set and {other} is not: set both, or neither for the services of `ladder up`")

    def _embedded(self, variable: str) -> workers.embedded.state_file.Running:
        self.require_both_or_neither()
        if self.services is None:
            instead = f"start them with `ladder up`, or name yours in {variable}"
            raise Unavailable(f"no services run for {self.home.folder}: {instead}")
        return self.services

    def database(self) -> AbstractContextManager[Connection]:
        return database.connection.connect(self.database_url, snapshot=True)

    @cached_property
    def reading(self) -> Connection:
        return self.at_end.enter_context(database_to_read(self))

    @cached_property
    def ladder(self) -> Direct | ladders.remote.Remote:
        if self.server is None:
            return Direct(self)
        remote = ladders.remote.Remote(self.server, lambda: self.games, self.say)
        self.at_end.callback(remote.close)
        return remote

    def read(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return self.ladder.read(view, *args, **kwargs)

    def watch(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return self.ladder.watch(view, *args, **kwargs)

    def follow(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Watch what goes on without us, for a while again and again where a ladder that has answered does not now."""
        is_told = False
        while True:
            try:
                with interrupts_delayed():  # a look may import what judges: not by half
                    seen = self.watch(view, *args, **kwargs)
            except Unavailable:
                if self.answered_s is None or time.monotonic() - self.answered_s > PATIENCE_S:
                    raise
                if not is_told:
                    self.say("the ladder does not answer; trying again ...")
                is_told = True
                time.sleep(TRY_EVERY_S)
            else:
                self.answered_s = time.monotonic()
                return seen

    @cached_property
    def own_player(self) -> str:
        name = self.ladder.known_as()
        return default_player() if name is None else name

    def act(self, deed: Callable[Concatenate[Actor, Pool, P], T], actor: Actor, *args: P.args, **kwargs: P.kwargs) -> T:
        done = self.ladder.act(deed, actor, *args, **kwargs)
        self.answered_s = time.monotonic()
        return done

    @cached_property
    def queue(self) -> Queue:
        return workers.app.queue_for(self.broker_url) if self.server is None else ladders.remote.QueueOfServer()

    @property
    def width(self) -> int | None:
        """How wide the terminal is on which results are printed; None where that is a file or a pipe."""
        return self.out.width if self.out.is_terminal else None

    def say(self, *words: RenderableType) -> None:
        """Print a remark that is not part of the result. On a terminal it is wrapped at blanks."""
        for word in words:
            self.err.print(word, soft_wrap=not self.err.is_terminal)

    def show(self, *things: RenderableType) -> None:
        """Print a result: tables as wide as the terminal, sentences wrapped at blanks; elsewhere 80 or COLUMNS wide."""
        from rich.text import Text

        parts = list(things)
        if not all(isinstance(part, (str, Text)) for part in parts):
            parts = terminal.table.alike(parts, self.out.width, has_rules=self.out.is_terminal)
        for part in parts:
            is_whole = not self.out.is_terminal
            self.out.print(part, soft_wrap=isinstance(part, (str, Text)) and is_whole, crop=not is_whole)

    def show_whole(self, *lines: RenderableType) -> None:
        """Print lines that end with a command: a terminal folds them, so that the command is copied as one."""
        for line in lines:
            self.out.print(line, soft_wrap=True)

    def show_json(self, value: object, *, compact: bool = False, spare: bool = False) -> None:
        """Print a view for scripts. `compact`: in one line; `spare`: see `ladder.views.encoding.plain`."""
        sys.stdout.write(views.encoding.to_json(value, compact=compact, spare=spare))

    def show_csv(self, rows: Iterable[object]) -> None:
        sys.stdout.write(views.encoding.to_csv(rows))


def plain_console(*, stderr: bool) -> Console:
    """Return a console that prints strings as they are, control characters made visible; style comes as a Text."""
    return terminal.harmless_console.HarmlessConsole(stderr=stderr, markup=False, emoji=False, highlight=False)


def this(context: typer.Context) -> Context:
    if not isinstance(context.obj, Context):
        raise TypeError("the command was started without its context")
    return context.obj


def default_player() -> Assumed:
    """Return the name under which this person submits: LADDER_PLAYER, else the login name made plain, else uid4242."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "-", account_name()).strip("-_.")[:39]
    return Assumed(os.environ.get("LADDER_PLAYER") or plain or "player")
