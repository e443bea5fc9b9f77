"""Asking a server for a write until it is known what came of it.

How this works. Each write has a key. Where the answer is lost, the same is asked again with the same key, and the
server does it once: whoever asks a second time gets the first answer.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping

from cli.ladders.client import TIMEOUT_S, Client, NoAnswer, NotReached, Response
from cli.ladders.speaking import AWAY, no_answer, problem_in
from engine.errors import Unavailable
from engine.text import one_line

PATIENCE_S = 30.0
"""So long a lost answer is asked for again..."""
WAITS_S = (0.5, 2.0, 6.0)
"""... after these waits."""
AT_IT_S = 0.5
STILL_AT_IT = "still at it"
"""The title of the problem by which a server says that it has not done it yet."""


class Write:
    """One write. `arrived`: the command that shows whether it has arrived, where the answer does not."""

    def __init__(
        self, client: Client, url: str, path: str, params: Mapping[str, str], words: str, arrived: Callable[[], str]
    ) -> None:
        self._client = client
        self._url = url
        self._path = path
        self._params = params
        self._words = words
        self._arrived = arrived
        self._headers = {"Idempotency-Key": secrets.token_urlsafe(24), "Content-Type": "application/json"}

    def answer(self) -> Response:
        """Return the answer, also one that says no. Raises Unavailable, which says if nobody knows what came of it."""
        until = time.monotonic() + PATIENCE_S
        waits = iter(WAITS_S)
        lost = ""
        while True:
            found = self._asked(until, is_first=not lost)
            if isinstance(found, Response) and not is_lost(found):
                return found
            at_it = isinstance(found, Response) and problem_in(found).get("title") == STILL_AT_IT
            lost = "it is still at it" if at_it else words_of(found)
            wait_s = AT_IT_S if at_it else next(waits, PATIENCE_S)
            if time.monotonic() + wait_s > until:
                raise Unavailable(
                    f"{self._url} does not answer ({lost}), so it is not known whether this was done: "
                    f"`{self._arrived()}` shows it"
                )
            time.sleep(wait_s)

    def _asked(self, until: float, *, is_first: bool) -> Response | NoAnswer:
        """Ask once. Raises Unavailable where nothing was sent, the first time."""
        left_s = max(min(TIMEOUT_S, until - time.monotonic()), 1)
        try:
            return self._client.post(self._path, self._words, self._headers, self._params, left_s)
        except NoAnswer as error:
            if is_first and isinstance(error, NotReached):
                raise no_answer(self._url, error) from error
            return error


def is_lost(answer: Response) -> bool:
    """Say whether an answer leaves open what came of a write."""
    return answer.status_code in AWAY or problem_in(answer).get("title") == STILL_AT_IT


def words_of(found: Response | NoAnswer) -> str:
    """Say why there is no answer."""
    if isinstance(found, NoAnswer):
        return str(found)
    detail = problem_in(found).get("detail")
    return one_line(detail) if isinstance(detail, str) else str(found.status_code)
