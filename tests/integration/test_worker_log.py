"""What a worker writes into its log where something goes wrong: a line in plain words, a traceback only on request."""

import base64
import itertools
import json
import subprocess
from pathlib import Path

from redis import Redis

from ladder.database.connection import Pool, transaction
from ladder.ids import MatchId
from tests.ladder.arena import a_pair, on_the_board, rows_of
from tests.patience import wait_until
from tests.processes import a_worker
from workers.app import queue_for
from workers.broker import plain_address, queue_lengths
from workers.commands import QUEUES


def unplayable(pool: Pool) -> MatchId:
    """Return a match that has lost a seat."""
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    with transaction(pool) as connection:
        connection.execute("DELETE FROM seats WHERE match_id = %s AND seat = 1", [match_id])
    return match_id


def await_words(worker: subprocess.Popen[bytes], log: Path, words: str, times: int = 1) -> None:
    def are_there() -> bool:
        assert worker.poll() is None, log.read_text()
        return log.read_text().count(words) >= times

    wait_until(are_there, log.read_text, 0.1)


def message(task: object = "ladder.play", body: object = None, **changes: object) -> str:
    numbers = json.dumps([[1], {}, {}]).encode()
    return json.dumps(
        {
            "body": base64.b64encode(numbers).decode() if body is None else body,
            "content-encoding": "utf-8",
            "content-type": "application/json",
            "headers": {"task": task, "id": "0-1-2", "lang": "py"},
            "properties": {"delivery_tag": "3-4-5", "delivery_info": {}, "body_encoding": "base64", "priority": 0},
            **changes,
        }
    )


def body(content: object) -> str:
    return base64.b64encode(json.dumps(content).encode()).decode()


GARBAGE: dict[str, str | bytes] = {
    "no JSON": "\x1b[2Jgarbage",
    "no UTF-8": b"\xff\xfe{",
    "no message": "[1, 2]",
    "a number": "7",
    "no properties": '{"body": "x"}',
    "no delivery tag": message(properties={}),
    "no headers": message(headers=None),
    "an unknown task": message("os.system"),
    "a task that is none": message(["ladder.play"]),
    "a body that is not base64": message(body="!!"),
    "a body that is not JSON": message(body="AAAA"),
    "a body of another kind": message(**{"content-type": "application/x-python-serialize"}),
    "no number": message(body=body([[], {}, {}])),
    "too many numbers": message(body=body([[1, 2], {}, {}])),
    "words for a number": message(body=body([["\x1b[2J"], {}, {}])),
    "a named argument": message(body=body([[1], {"x": 1}, {}])),
    "an argument for a task without any": message("ladder.schedule"),
}


def test_whatever_goes_wrong_is_a_line_without_a_traceback_and_the_worker_goes_on(
    database_url: str, broker_url: str, pool: Pool, tmp_path: Path
) -> None:
    """A database that is restarted, each message that is none of ours, and a match that cannot be played."""
    log = tmp_path / "worker.log"
    with a_worker(log, database_url, broker_url) as worker:
        await_words(worker, log, "worker_started")
        with transaction(pool) as connection:
            connection.execute("LOCK TABLE rounds")
            queue_for(broker_url).enqueue_prune()
            wait_until(lambda: is_lost(pool, log), log.read_text, 0.1)
        queue_for(broker_url).enqueue_prune()
        await_words(worker, log, "database_found")
        assert " error " not in log.read_text()
        match_id = garbage_is_dropped(worker, log, broker_url, pool)
        assert worker.poll() is None
    said = log.read_text()
    assert len([line for line in said.splitlines() if "none of ours was dropped" in line]) == len(GARBAGE)
    assert f"no result of match {match_id}" in said
    assert "Traceback" not in said
    assert "\x1b" not in said
    left = rows_of(pool, "SELECT pid FROM workers WHERE NOT has_ended AND pid <> 1")
    assert left == [], "a process that is told to end says so, and is not counted as lost"


def garbage_is_dropped(worker: subprocess.Popen[bytes], log: Path, broker_url: str, pool: Pool) -> MatchId:
    """Send all garbage, and then what cannot be played; return the match that is there."""
    redis = Redis.from_url(plain_address(broker_url))
    for queue, garbage in zip(itertools.cycle(QUEUES.split(",")), GARBAGE.values(), strict=False):
        redis.lpush(queue, garbage)
    queue_for(broker_url).enqueue_schedule()
    await_words(worker, log, "none of ours was dropped", times=len(GARBAGE))
    queue_for(broker_url).enqueue_match(MatchId(123_456_789))
    wait_until(lambda: not any(queue_lengths(broker_url).values()) and not redis.hlen("unacked"), log.read_text, 0.1)
    match_id = unplayable(pool)
    queue_for(broker_url).enqueue_match(match_id)
    await_words(worker, log, "the match does not have 2 seats")
    return match_id


def is_lost(pool: Pool, log: Path) -> bool:
    """End all sessions that wait, as a server does that is restarted, until the worker has said so.

    It is told by the session of a task. That of the worker itself looks at rounds now and then, and may be first.
    """
    end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    rows_of(pool, f"{end} WHERE datname = current_database() AND wait_event_type = 'Lock'")
    return "database_lost" in log.read_text()
