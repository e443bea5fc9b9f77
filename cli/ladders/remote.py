"""A ladder behind a server: views are read by HTTPS, as a player whose token this machine has.

How this works. A view has a name, and the server calls the same function that a command would call with the database.
It sends what that returned, every field of it, so the command prints the same bytes. What it refuses, it says in the
sentence and with the exit status that the command has for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from httpx import Client, HTTPError, InvalidURL, Response

from cli.ladders.server import Server
from engine.errors import ArenaError, MissingTool, Refused, Unavailable, UsageFault
from engine.text import one_line, shortened
from ladder.views.sent import named, whole
from ladder.views.sent.whole import MEDIA_TYPE

if TYPE_CHECKING:
    from engine.game import Games
    from ladder.access import Actor
    from ladder.database.connection import Connection, Pool

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE_S = 30.0
"""A read that the server puts off is asked again for so long."""
TIMEOUT_S = 20.0
FAULTS: dict[int | None, type[ArenaError]] = {2: UsageFault, 3: Refused, 4: Unavailable, 5: MissingTool}
"""An error by its exit status."""
AWAY = frozenset({502, 503, 504})


class Remote:
    """A ladder behind a server. `games`: this machine's, for what the server says of a game."""

    def __init__(self, server: Server, games: Callable[[], Games]) -> None:
        self._server = server
        self._games = games

    @cached_property
    def _client(self) -> Client:
        """What speaks HTTP. It follows no redirection: a token goes to nobody else."""
        headers = {"Authorization": f"Bearer {self._server.token}"} if self._server.token else {}
        return Client(base_url=self._server.url, headers=headers, timeout=TIMEOUT_S, follow_redirects=False)

    def close(self) -> None:
        """End the connection, if there is one."""
        if "_client" in self.__dict__:
            self._client.close()

    def read(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Read a view. Raises Refused for one that only the ladder's own machine has."""
        name = named.name_of(view)
        if name is None:
            raise Refused(f"{self._server.url} does not answer this: it works where the ladder's database is")
        games = self._games()
        given = signature(view).bind(None, *args, **kwargs).arguments
        answer = self._get(f"/api/v1/views/{name}", whole.written_words(view, given, games))
        found: T = whole.read(view, answer.content, games)
        return found

    def watch(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Read a view of a ladder that runs; a server does."""
        return self.read(view, *args, **kwargs)

    def act(
        self, action: Callable[Concatenate[Actor, Pool, P], T], actor: Actor, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Refuse: a server is only read from."""
        del action, actor, args, kwargs
        raise Refused(f"{self._server.url} can only be read from here: type this where its database is")

    def _get(self, path: str, words: str) -> Response:
        """Ask, and again for a while where the server is busy. Raises what the server says, and Unavailable."""
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self._ask(path, words)
            wait_s = seconds_to_wait(answer)
            if wait_s is None or time.monotonic() + wait_s > until:
                require_good(answer, self._server.url)
                return answer
            time.sleep(wait_s)

    def _ask(self, path: str, words: str) -> Response:
        """Ask once. Raises Unavailable where nobody answers."""
        try:
            return self._client.get(path, params={"words": words})
        except (HTTPError, InvalidURL) as error:
            raise Unavailable(f"{self._server.url} does not answer ({one_line(str(error)) or 'no word'})") from error


def seconds_to_wait(answer: Response) -> float | None:
    """Return after how long to ask again; None where there is no reason to."""
    after = answer.headers.get("Retry-After", "")
    return float(after) if answer.status_code == 429 and after.isdecimal() else None


def require_good(answer: Response, url: str) -> None:
    """Raise what an answer says is wrong. Raises Unavailable, Refused, UsageFault and other errors of ours."""
    if answer.is_success:
        if answer.headers.get("Content-Type") != MEDIA_TYPE:
            raise Unavailable(f"{url} is no ladder: what it answered is no view")
        return
    problem = problem_in(answer)
    detail = problem.get("detail")
    if answer.is_redirect:
        raise Refused(f"{url} leads elsewhere, to {shortened(answer.headers.get('Location', '?'))}: name that server")
    if answer.status_code == 401:
        raise Refused(f"{url} does not know this machine: put its key or a token into LADDER_TOKEN")
    if not isinstance(detail, str):
        if answer.status_code in AWAY:
            raise Unavailable(f"{url} does not answer now ({answer.status_code})")
        raise Unavailable(f"{url} is no ladder: it answered {answer.status_code}")
    raise FAULTS.get(problem.get("exit_status"), ArenaError)(detail)


def problem_in(answer: Response) -> dict[str, Any]:
    """Return the problem that an answer holds; an empty one where it holds none."""
    try:
        found = answer.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
