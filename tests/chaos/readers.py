"""Readers: people who look at pages all the time, whatever happens to the ladder meanwhile.

A page may be missing for a while, since its process was killed, or say that the database does not answer. It is never
cut off unnoticed, and never a fault of ours.
"""

import threading
from collections import Counter
from dataclasses import dataclass, field

import httpx

from tests.chaos.victim import Stuck, Victim, wait_for
from workers.embedded import state_file

PATHS = ("/", "/games/ocean-of-code/leagues/wood-2", "/games/foragers/leagues/arena", "/operations", "/api/v1/status")
PAUSE_S = 0.2
LIMIT_S = 30
NOT_THERE = 0
DATABASE_DOWN = 503


def new_client() -> httpx.Client:
    """Return what makes a connection for each page; its own start costs as much as ten pages."""
    return httpx.Client(timeout=LIMIT_S, limits=httpx.Limits(max_keepalive_connections=0))


@dataclass
class Readers:
    """One after the other. `seen`: how often each status was; `wrong`: what no reader should ever see."""

    victim: Victim
    seen: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)
    _client: httpx.Client = field(default_factory=new_client)
    _thread: threading.Thread | None = None

    @property
    def answers(self) -> int:
        return self.seen[200]

    def begin(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def see_it_again(self) -> bool:
        """Say whether the pages are shown, or will be soon."""
        try:
            return bool(wait_for(lambda: all(self.look(path) == 200 for path in PATHS), "the pages to come back"))
        except Stuck:
            return False

    def told(self) -> str:
        words = {200: "whole pages", DATABASE_DOWN: "said that the database does not answer", NOT_THERE: "not there"}
        return ", ".join(f"{count} {words.get(status, status)}" for status, count in sorted(self.seen.items()))

    def _run(self) -> None:
        while not self._over.is_set():
            for path in PATHS:
                self.seen[self.look(path)] += 1
                self._over.wait(PAUSE_S)

    def look(self, path: str) -> int:
        """Look at a page, and return its status."""
        found = state_file.last_pages(self.victim.home, self.victim.database_url)
        key = self.victim.home.folder / "web.key"
        if found is None or not key.exists():
            return NOT_THERE
        try:
            answer = self._client.get(
                f"{found.address.rstrip('/')}{path}", headers={"Authorization": f"Bearer {key.read_text().strip()}"}
            )
        except httpx.TransportError:  # its process was killed before, or in the middle of it
            return NOT_THERE
        self.judge(path, answer)
        return answer.status_code

    def judge(self, path: str, answer: httpx.Response) -> None:
        if answer.status_code not in {200, DATABASE_DOWN}:
            self.wrong.append(f"{path}: status {answer.status_code}: {answer.text[:500]}")
        elif not answer.text.rstrip().endswith(("</html>", "}")):
            self.wrong.append(f"{path}: cut off after {len(answer.text)} characters")
