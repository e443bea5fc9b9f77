"""The daily round, which lets go of what is old: done by a worker, once a day, in pieces."""

from pathlib import Path

import pytest

from ladder.bots import builds
from ladder.database.connection import Pool, one, transaction
from ladder.fleet import workers
from ladder.fleet.workers import MaintenanceRound
from ladder.flows import pruning
from ladder.flows.pruning import Pruning, prune_for
from ladder.retention import Retention
from tests.ladder.arena import within
from tests.ladder.rated import History, change
from tests.patience import wait_until
from tests.processes import a_worker
from tests.throwaway import written
from workers.app import queue_for


def kept_records(pool: Pool) -> int:
    return int(within(pool, one, "SELECT count(record) FROM matches", {})[0])


def long_ago(pool: Pool) -> None:
    change(pool, "UPDATE matches SET finished_at = finished_at - interval '30 years'")


def test_a_worker_does_it_once_a_day_archives_first_and_writes_down_what_it_let_go(
    database_url: str, broker_url: str, pool: Pool, history: History, tmp_path: Path
) -> None:
    archive = written(tmp_path / "archive", "a file")
    change(pool, "INSERT INTO rounds VALUES ('prune', now() - interval '25 hours')")
    long_ago(pool)
    retention = {"LADDER_RECORD_DAYS": "365", "LADDER_KEEP_NEWEST": "0", "LADDER_ARCHIVE": str(archive)}
    log, count = tmp_path / "worker.log", len(history.matches)
    with a_worker(log, database_url, broker_url, 1, **retention):
        queue_for(broker_url).enqueue_prune()
        wait_until(lambda: f"the archive {archive} cannot be written" in log.read_text(), log.read_text, 0.1)
        assert kept_records(pool) == count, "nothing is let go that is not there"
        archive.unlink()
        change(pool, "UPDATE rounds SET at = now() - interval '25 hours' WHERE name = 'prune'")
        queue_for(broker_url).enqueue_prune()
        wait_until(lambda: kept_records(pool) == 0, log.read_text, 0.1)
        wait_until(lambda: "info retention" in log.read_text(), log.read_text, 0.1)
    assert {file.name for file in archive.iterdir()} == {f"{match_id}.match" for match_id in history.matches}
    assert f" info retention records={count} stderr={count} bytes=" in log.read_text()
    assert not within(pool, workers.begin_of_day, MaintenanceRound.PRUNE), "it was done today"
    assert within(pool, workers.overdue) == [], "and nobody misses it before tomorrow"


def test_it_goes_on_from_where_it_was(pool: Pool, history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "BATCH", 5)
    long_ago(pool)
    wanted = Pruning(Retention(record_days=1, newest=0))
    after: int | None = 0
    left = []
    while after is not None:
        after = prune_for(pool, wanted, after, limit_s=1e-9)[1]
        left.append(kept_records(pool))
    assert left == [7, 2, 0, 0]


def test_without_a_row_for_it_or_while_another_begins_there_is_no_round(pool: Pool) -> None:
    change(pool, "INSERT INTO rounds VALUES ('prune', now() - interval '25 hours')")
    with transaction(pool) as first, transaction(pool) as other:
        assert workers.begin_of_day(first, MaintenanceRound.PRUNE)
        assert not workers.begin_of_day(other, MaintenanceRound.PRUNE)
    assert not within(pool, workers.begin_of_day, MaintenanceRound.PRUNE)


def test_the_built_bots_that_were_fetched_last_are_kept(pool: Pool) -> None:
    for key in ("old", "in use", "new"):
        within(pool, builds.store_artefact, key, bytes(1000))
    change(pool, "UPDATE artefacts SET used_at = now() - interval '3 days' WHERE key <> 'new'")
    assert within(pool, builds.fetch_artefact, "in use") == bytes(1000)
    assert within(pool, builds.prune_artefacts, 3000) == 0
    assert within(pool, builds.prune_artefacts, 2500) == 1
    assert within(pool, builds.fetch_artefact, "old") is None
    assert within(pool, builds.prune_artefacts, 0) == 0, "what was used within a day stays"
    assert within(pool, builds.fetch_artefact, "in use") is not None
