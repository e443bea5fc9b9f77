"""A host that is too busy for a build, met by a real worker: the version waits and is built later, nobody's fault.

Whatever takes longer than its wide limit without having been charged for more than its own is the host's fault: so a
wide limit that is shorter than what the build computes makes any host too busy.
"""

import os
from pathlib import Path

import pytest

from engine.errors import HostBusy
from engine.toolchains import build
from ladder.bots import versions
from ladder.bots.builds import MOST_ATTEMPTS
from ladder.database.connection import Pool, one, transaction
from ladder.ids import MatchId
from ladder.matches import match_rows
from tests.ladder.arena import DRIFTER, a_pair, on_the_board, submitted, within
from tests.patience import wait_until
from tests.processes import a_worker
from tests.throwaway import written
from workers.app import queue_for
from workers.jobs import build_version
from workers.worker_process import WorkerProcess

LANGUAGE = """
[slow]
title = "Slow"
extensions = [".slow"]
source = "bot.slow"
[slow.toolchains.python3]
run = ["python3", "-u", "{source}"]
check = ["python3", "-c", "import time\\nwhile time.process_time() < 0.25: pass"]
"""
"""Python whose sources take 0.25 s of computing to check."""


def test_a_build_for_which_the_host_is_too_busy_costs_its_version_no_attempt(
    process: WorkerProcess, pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = written(tmp_path / "languages.toml", LANGUAGE)
    monkeypatch.setenv("LADDER_LANGUAGES", str(table))
    version_id = submitted(pool, source=f"{DRIFTER}# {os.urandom(4).hex()}", language="slow")
    process.presence.worker_id_once_there()  # which tries what compilers there are
    with monkeypatch.context() as impatient:
        impatient.setattr(build, "WIDE", 0.005)
        impatient.setattr(build, "LONGEST_S", 0)
        for _ in range(MOST_ATTEMPTS + 1):
            with pytest.raises(HostBusy):
                build_version(process, version_id)
    assert within(pool, versions.find_version, version_id).state == "building"
    build_version(process, version_id)
    assert within(pool, versions.find_version, version_id).state == "accepted"


def test_while_versions_wait_to_be_built_half_of_a_worker_plays(
    database_url: str, broker_url: str, pool: Pool, tmp_path: Path
) -> None:
    table = written(tmp_path / "languages.toml", LANGUAGE)
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", DRIFTER), on_the_board(pool, "orca", f"{DRIFTER}\n"))
    sources = [f"{DRIFTER}# {os.urandom(4).hex()}" for _ in range(3)]
    building = [submitted(pool, f"bot{number}", source, language="slow") for number, source in enumerate(sources)]
    for version_id in building:
        queue_for(broker_url).enqueue_build(version_id)
    queue_for(broker_url).enqueue_match(match_id)
    at_once, left_at_its_end = 0, 0

    def all_are_built() -> bool:
        nonlocal at_once, left_at_its_end
        left, under_way = builds_under_way(pool)
        at_once = max(at_once, under_way)
        if left and not left_at_its_end and is_finished(pool, match_id):
            left_at_its_end = left
        return left == 0

    with a_worker(tmp_path / "worker.log", database_url, broker_url, 2, LADDER_LANGUAGES=str(table)):
        wait_until(all_are_built, "the last version")
    assert at_once == 1
    assert left_at_its_end > 0, "the match was over before all versions were built"


def builds_under_way(pool: Pool) -> tuple[int, int]:
    with transaction(pool) as connection:
        query = "SELECT count(*), count(lease_until) FROM versions WHERE state = 'building' AND language = 'slow'"
        waiting, begun = one(connection, query, {})
    return waiting, begun


def is_finished(pool: Pool, match_id: MatchId) -> bool:
    with transaction(pool) as connection:
        match = match_rows.find_match(connection, match_id)
        return match is not None and match.state == "finished"
