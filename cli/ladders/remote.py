"""A ladder behind a server: views are read by HTTPS, as a player whose token this machine has.

How this works. A view has a name, and the server calls the same function that a command would call with the database.
It sends what that returned, every field of it, so the command prints the same bytes. What it refuses, it says in the
sentence and with the exit status that the command has for it.

Each write has a key. Where the answer is lost, the same is asked again with the same key, and the server does it once:
whoever asks a second time gets the first answer.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import ladder
from cli.ladders.client import (
    AWAY,
    TIMEOUT_S,
    Client,
    NoAnswer,
    NotReached,
    Response,
    client_of,
    no_answer,
    problem_in,
    read_login,
    require_good,
    seconds_to_wait,
)
from cli.ladders.server import Assumed, Server
from engine import games
from engine.errors import Refused, Unavailable, UnknownName
from engine.game import FurtherGames, Game, Games
from engine.immutable import immutable
from engine.text import one_line
from ladder import codec, contract
from ladder.access import Actor
from ladder.codec import MEDIA_TYPE
from ladder.contract import READS, WRITES
from ladder.database.connection import Connection, Pool
from ladder.ids import MatchId, VersionId
from ladder.queue import Backlog

if TYPE_CHECKING:
    from cli.context import Context

PATIENCE_S = 30.0
"""For so long a read that the server puts off is asked again, and a write whose answer was lost..."""
WAITS_S = (0.5, 2.0, 6.0)
"""... after these waits."""
STILL_AT_IT = "still at it"
"""The title of the problem by which a server says that it has not done it yet."""


def command_for(action: str, arguments: Mapping[str, Any]) -> str:
    return f"ladder {WRITES[action].shows.format_map(arguments)}"


def write_once(
    client: Client, url: str, path: str, params: Mapping[str, str], words: str, arrived: Callable[[], str]
) -> Response:
    """Write once; return the answer, also one that says no. `arrived`: the command that shows whether it has arrived.

    Raises Unavailable, which says if nobody knows what came of it.
    """
    headers = {"Idempotency-Key": secrets.token_urlsafe(24), "Content-Type": "application/json"}
    until = time.monotonic() + PATIENCE_S
    waits = iter(WAITS_S)
    lost = ""
    while True:
        is_at_it = False
        try:
            left_s = max(min(TIMEOUT_S, until - time.monotonic()), 1)
            answer = client.request("POST", path, params, headers, words.encode(), left_s)
        except NoAnswer as error:
            if not lost and isinstance(error, NotReached):
                raise no_answer(url, error) from error
            lost = str(error)
        else:
            problem = problem_in(answer)
            is_at_it = problem.get("title") == STILL_AT_IT
            if answer.status_code not in AWAY and not is_at_it:
                return answer
            detail = problem.get("detail")
            lost = one_line(detail) if isinstance(detail, str) else str(answer.status_code)
        if is_at_it:
            lost = "it is still at it"
        wait_s = 0.5 if is_at_it else next(waits, PATIENCE_S)
        if time.monotonic() + wait_s > until:
            raise Unavailable(
                f"{url} does not answer ({lost}), so it is not known whether this was done: `{arrived()}` shows it"
            )
        time.sleep(wait_s)


P = ParamSpec("P")
T = TypeVar("T")
WATCH_EVERY_S = 1.0


@immutable
class Seen:
    """An answer that was seen. `etag`: what the server calls it."""

    asked_at: float
    etag: str
    content: bytes


class QueueOfServer:
    """Stands for the queue of a server, which asks it itself: nothing is done here."""

    def enqueue_schedule(self) -> None: ...

    def enqueue_build(self, version_id: VersionId) -> None: ...

    def enqueue_matches(self, match_ids: Sequence[MatchId], *, first: bool = False) -> None: ...

    def backlog(self) -> Backlog:
        return Backlog(0, 0)


class GamesByNeed:
    """This machine's games, which take a moment to import: found when an answer names one, as most do not."""

    def __init__(self, games: Callable[[], Games]) -> None:
        self._games = games

    def find(self, name: str, edition: str | None = None) -> Game:
        return self._games().find(name, edition)


@immutable
class GamesOfServer(FurtherGames):
    """The games that a server has and this machine has not, for `engine.game.Games`: none of them is played here."""

    url: str

    def edition(self, edition: str) -> Game:
        only = f"only {self.url} has the files of this game (edition {edition[:12]})"
        raise Refused(f"{only}, so this machine cannot play it")


def games_beside(url: str) -> Games:
    return replace(games.catalogue.all_games(), further=GamesOfServer(url))


def game_name(context: Context, name: str) -> str:
    """Return the name of a game that this machine or the server has. Raises UnknownName, Refused, Unavailable."""
    if any(game.name == name for game in context.games.here):
        return name
    names = context.read(ladder.games.games.leagues_by_game, context.games)
    if name not in names:
        raise UnknownName.of("game", name, names)
    return name


class Remote:
    """A ladder behind a server. `games`: this machine's; `say`: says where something was written."""

    def __init__(self, server: Server, games: Callable[[], Games], say: Callable[[str], None]) -> None:
        self._server = server
        self._games = GamesByNeed(games)
        self._say = say
        self._seen: dict[tuple[str, str], Seen] = {}

    @cached_property
    def _client(self) -> Client:
        return client_of(self._server)

    @cached_property
    def _me(self) -> str | None:
        return read_login(self._client, self._server.url).player

    def close(self) -> None:
        if "_client" in self.__dict__:
            self._client.close()

    def read(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Read a view. Raises Refused for one that only the ladder's own machine has."""
        name = contract.name_of(READS, view)
        if name is None:
            raise Refused(f"{self._server.url} does not answer this: it works where the ladder's database is")
        arguments = self._as_known(signature(view).bind(None, *args, **kwargs).arguments)
        content = self._get(f"/api/v1/views/{name}", codec.written_words(view, arguments, self._games))
        result: T = codec.read(view, content, self._games)
        return result

    def watch(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return self.read(view, *args, **kwargs)

    def known_as(self) -> str | None:
        """Return whom the server knows, "" where it knows nobody; None on one person's ladder."""
        try:
            return self._me
        except Refused:
            return ""

    def act(
        self, action: Callable[Concatenate[Actor, Pool, P], T], actor: Actor, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Let the one whom the server knows do something. Raises Refused for what is done beside the database alone."""
        name, url = contract.name_of(WRITES, action), self._server.url
        if name is None:
            raise Refused(f"{url} does not do this for another machine: type it where the ladder's database is")
        arguments = self._as_known(signature(action).bind(actor, None, *args, **kwargs).arguments)
        in_whose_name = {} if isinstance(actor.player, Assumed) else {"player": actor.player}
        answer = write_once(
            self._client,
            url,
            f"/api/v1/acts/{name}",
            {"role": actor.role, **in_whose_name},
            codec.written_words(action, arguments, self._games),
            lambda: command_for(name, arguments),
        )
        if answer.status_code == 404 and problem_in(answer).get("detail") == "there is no such page":
            raise Refused(f"{url} is one person's ladder, which can only be read from here: type this beside it")
        require_view(answer, url)
        self._say(f"on {url}")
        result: T = codec.read(action, answer.content, self._games)
        return result

    def _as_known(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments, with the name by which the server knows us for one that nobody has typed."""
        return {name: self._me if isinstance(value, Assumed) else value for name, value in arguments.items()}

    def _get(self, path: str, words: str) -> bytes:
        """Ask, and again while the server is busy; what is asked twice is watched, once a second."""
        before = self._seen.get((path, words))
        if before is not None:
            time.sleep(max(before.asked_at + WATCH_EVERY_S - time.monotonic(), 0))
        until = time.monotonic() + PATIENCE_S
        while True:
            asked_at = time.monotonic()
            try:
                headers = {} if before is None else {"If-None-Match": before.etag}
                answer = self._client.get(path, {"words": words}, headers)
            except NoAnswer as error:
                raise no_answer(self._server.url, error) from error
            wait_s = seconds_to_wait(answer)
            if wait_s is not None and time.monotonic() + wait_s <= until:
                time.sleep(wait_s)
                continue
            if before is not None and answer.status_code == 304:
                content = before.content
            else:
                require_view(answer, self._server.url)
                content = answer.content
            self._seen[path, words] = Seen(asked_at, answer.header("ETag"), content)
            return content


def require_view(answer: Response, url: str) -> None:
    require_good(answer, url)
    if answer.header("Content-Type") != MEDIA_TYPE:
        raise Unavailable(f"{url} is not a ladder: what it answered is not a view")
