"""What a worker writes into its log where something goes wrong: a line in plain words, a traceback only on request."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from ladder.database import Pool, transaction
from tests.ladder.arena import a_pair, on_the_board
from workers.bell import bell_for
from workers.commands import ENVIRONMENT, worker_command
from workers.embedded.state import Running

SPARE_ROOM = "?virtual_host=6"
"""Where in the broker no other test has left messages."""
PATIENCE_S = 60


@pytest.mark.parametrize("debug", ["", "1"], ids=["usually", "with --debug"])
def test_a_match_that_cannot_be_played_is_a_line_in_the_workers_log(
    services: Running, database_url: str, pool: Pool, tmp_path: Path, debug: str
) -> None:
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    with transaction(pool) as connection:
        connection.execute("DELETE FROM seats WHERE match_id = %s AND seat = 1", [match_id])
    broker_url = services.broker_url + SPARE_ROOM
    bell_for(broker_url).ring_play(match_id)
    addresses = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": broker_url, "LADDER_DEBUG": debug}
    log = tmp_path / "worker.log"
    with (
        log.open("wb") as stderr,
        subprocess.Popen(worker_command(1, "told"), stderr=stderr, env=os.environ | addresses | ENVIRONMENT) as worker,
    ):
        try:
            deadline = time.monotonic() + PATIENCE_S
            while "the match does not have two seats" not in log.read_text():
                assert worker.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.1)
        finally:
            worker.terminate()
    said = log.read_text()
    assert f"no result of match {match_id}" in said
    assert ("Traceback" in said) == bool(debug)
