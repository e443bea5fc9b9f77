"""Clients: programs that submit to a served ladder over HTTP while the process that answers them is killed.

How this works. Each player has two clients, which submit at once until the quota is used up. A client that gets no
answer asks again with the same key until it gets one. So in the end every version was answered by a 201, each once,
and each player has as many as the quota allows.
"""

from __future__ import annotations

import math
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import psycopg

from ladder.access import Actor, Role, Scope
from ladder.actions import accounts, tokens
from ladder.actions.tokens import WantedToken
from ladder.bots.players import player_id
from ladder.database.connection import Pool, open_pool, transaction
from ladder.quotas.rules import Quota
from tests.networks import free_port
from tests.patience import wait_until

LADDER = Path(sys.executable).with_name("ladder")
GAME = "ocean-of-code"
PLAYERS = 10
EACH = 2
"""Clients of each player."""
UNANSWERED = 2
UNANSWERED_LIMIT_S = 2
PAUSE_S = 0.1
LIMIT_S = 30
PATIENCE_S = 300
"""For a machine that is busy with much else."""
KEPT, REFUSED, USED_UP, AWAY = 201, 409, 429, 503


@dataclass(frozen=True, slots=True)
class Kept:
    """A submission that was answered by a 201."""

    player: str
    source: str
    version_id: int


@dataclass
class Clients:
    """All who have submitted. `quota`: of versions, for each; `kills_each`: how often the process is killed each time.

    `kept`: what the server has said that it keeps; `wrong`: answers that no client should get; `kills`: how often the
    process was killed under them; `repeats`: how often they had no answer and asked again.
    """

    quota: int = 6
    kills_each: int = 3
    players: list[str] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    kills: int = 0
    repeats: int = 0
    _limit: float = field(default=0, init=False)

    def submit_while_killed(self, database_url: str, broker_url: str, home: Path) -> list[str]:
        """Let new players submit to a process of their own until their quotas are used up. Returns their names."""
        before = len(self.kept)
        secret_of = new_players(database_url, self.quota)
        self.players += secret_of
        self._limit = before
        with ServedProcess(database_url, broker_url, home).running() as served:
            threads = [
                threading.Thread(target=self._submit, args=(served.url, player, number, secret), daemon=True)
                for player, secret in secret_of.items()
                for number in range(EACH)
            ]
            for thread in threads:
                thread.start()
            self._kill_under_them(served, database_url, before)
            for thread in threads:
                thread.join()
        return list(secret_of)

    def _kill_under_them(self, served: ServedProcess, database_url: str, before: int) -> None:
        """Kill the process whenever another share of all that may be kept is, and start it again.

        Each time that is as soon as more versions are there than were answered for: their answers may be lost. Until
        then nobody goes far beyond the share, so that there is still something to do however late we are.
        """
        with psycopg.connect(database_url, autocommit=True) as connection:
            for number in range(1, self.kills_each + 1):
                share = before + number * PLAYERS * self.quota // (self.kills_each + 1)
                self._limit = share + PLAYERS // 2
                self._wait_for_kept(share)
                self._wait_for_unanswered(connection)
                served.kill()
                self.kills += 1
                self._limit = math.inf
                served.start()

    def _wait_for_kept(self, some: int) -> None:
        wait_until(lambda: len(self.kept) >= some, f"{some} submissions are kept", quiet_s=PATIENCE_S)

    def _wait_for_unanswered(self, connection: psycopg.Connection[Any]) -> None:
        """Wait until versions are there that were not answered for; but not for long, as each soon is."""
        until = time.monotonic() + UNANSWERED_LIMIT_S
        while time.monotonic() < until and versions_of(connection, self.players) < len(self.kept) + UNANSWERED:
            pass

    def _submit(self, url: str, player: str, number: int, secret: str) -> None:
        """Submit one source after the other until the quota is used up."""
        address = f"203.0.{number}.{self.players.index(player) % 250}"
        headers = {"Authorization": f"Bearer {secret}", "X-Forwarded-For": address}
        with httpx.Client(base_url=url, headers=headers, timeout=LIMIT_S) as client:
            sources = (f"print({player!r}, {number}, {attempt})\n" for attempt in count())
            while (answer := self._answered(client, player, source := next(sources))).status_code == KEPT:
                self.kept.append(Kept(player, source, answer.json()["id"]))
                while len(self.kept) >= self._limit:
                    time.sleep(PAUSE_S)
        if answer.status_code != USED_UP or Quota.VERSIONS_PER_HOUR.words not in answer.text:
            self.wrong.append(f"{player}: status {answer.status_code}: {answer.text[:300]}")

    def _answered(self, client: httpx.Client, player: str, source: str) -> httpx.Response:
        """Submit a source under a key of its own, until there is an answer."""
        headers = {"Idempotency-Key": secrets.token_hex(16)}
        body = {"source": source, "language": "python"}
        while True:
            try:
                answer = client.post(f"/api/v1/games/{GAME}/bots/{player}/versions", json=body, headers=headers)
            except httpx.TransportError:  # the process was killed before, or in the middle of it
                self.repeats += 1
            else:
                if not is_to_ask_again(answer):
                    return answer
            time.sleep(PAUSE_S)


def versions_of(connection: psycopg.Connection[Any], players: list[str]) -> int:
    query = """
        SELECT count(*) FROM versions JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
        WHERE players.name = ANY(%s)
        """
    return int(connection.execute(query, [players]).fetchall()[0][0])


def is_to_ask_again(answer: httpx.Response) -> bool:
    return answer.status_code == AWAY or (answer.status_code == REFUSED and "Idempotency-Key" in answer.text)


def new_players(database_url: str, quota: int) -> dict[str, str]:
    """Make players who may submit so many versions an hour, and return the secret of a token of each."""
    tag = secrets.token_hex(2)
    pool = open_pool(database_url)
    try:
        names = [f"client-{tag}-{number}" for number in range(PLAYERS)]
        return {name: secret_of_new(pool, name, quota) for name in names}
    finally:
        pool.close()


def secret_of_new(pool: Pool, name: str, quota: int) -> str:
    with transaction(pool) as connection:
        player_id(connection, name)
    accounts.change_quotas(Actor("chaos", Role.OPERATOR), pool, name, {Quota.VERSIONS_PER_HOUR: quota})
    return tokens.create(Actor(name), pool, WantedToken("submits", frozenset({Scope.SUBMIT}))).secret


class ServedProcess:
    """A process that serves a ladder to players, beside whatever else runs there."""

    def __init__(self, database_url: str, broker_url: str, home: Path) -> None:
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._environment = {
            "LADDER_DATABASE_URL": database_url,
            "LADDER_BROKER_URL": broker_url,
            "LADDER_HOME": str(home),
            "LADDER_WEB_MODE": "served",
            "LADDER_PUBLIC_URL": self.url,
            "LADDER_TRUSTED_PROXIES": "127.0.0.1",  # each client has an address of its own, so none asks too often
        }
        self._process: subprocess.Popen[bytes] | None = None

    @contextmanager
    def running(self) -> Iterator[ServedProcess]:
        self.start()
        try:
            yield self
        finally:
            self.kill()

    def start(self) -> None:
        environment = {**os.environ, **self._environment}
        command = (LADDER, "web", "--port", str(self._port))
        nowhere = subprocess.DEVNULL
        self._process = subprocess.Popen(command, env=environment, stdout=nowhere, stderr=nowhere)
        wait_until(self._answers, "the process that serves players answers", quiet_s=PATIENCE_S)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz").is_success
        except httpx.TransportError:
            return False
