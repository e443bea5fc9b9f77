"""The process that serves players is killed while they submit: the short form of that part of `make chaos`."""

from pathlib import Path
from typing import Any, LiteralString

import psycopg

from tests.chaos.checks import clients_have_what_they_were_promised
from tests.chaos.clients import PLAYERS, Clients


def test_every_201_is_one_version_and_quotas_hold_whenever_the_web_is_killed(database_url: str, tmp_path: Path) -> None:
    clients = Clients(quota=3, kills_each=2)
    clients.submit_while_killed(database_url, "redis://127.0.0.1:1/0", tmp_path / "home")

    def ask(query: LiteralString, *parameters: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(database_url) as connection:
            return connection.execute(query, parameters).fetchall()

    assert clients_have_what_they_were_promised(ask, clients).wrong == []
    assert (clients.kills, len(clients.kept)) == (2, PLAYERS * 3)
    assert clients.repeats >= 2, "requests were under way when it was killed"
