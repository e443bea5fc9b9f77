"""A game of three whose referee is a program, from its folder to the board: built, paired, played, rated, shown."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engine.referees.edition import gather, load_edition, new_edition
from engine.referees.game_file import NewGame
from engine.referees.program import ProtocolKind
from ladder.access import Actor, Role
from ladder.actions import games
from ladder.actions.bots import submit
from ladder.bots import versions
from ladder.database.connection import Pool, transaction
from ladder.flows.scheduling import schedule
from ladder.flows.submission import Submission
from ladder.games.catalogue import GamesOfLadder
from tests.fakes import RememberingQueue
from tests.ladder.arena import within
from tests.referees.compiled import referees
from workers.jobs import build_version, play_match
from workers.worker_process import WorkerProcess

WAITER = "import sys\nfor line in sys.stdin:\n    print('WAIT', flush=True)  # {}\n"
SILENT = "input()\n"
KIM = Actor("kim")


@pytest.fixture
def process_with_game(process: WorkerProcess, pool: Pool) -> WorkerProcess:
    new = NewGame("foragers", "Foragers", ProtocolKind.BRUTALTESTER, "./foragers", (3,), fault_line="OUT")
    tree = new_edition(new, gather(new.command, [], referees()))
    games.add(Actor("olga", Role.OPERATOR), pool, load_edition(tree), tree)
    process.games = replace(process.games, further=GamesOfLadder(lambda: transaction(process.pool)))
    return process


def test_versions_are_tried_paired_and_rated(process_with_game: WorkerProcess, pool: Pool, tmp_path: Path) -> None:
    process, queue = process_with_game, RememberingQueue()
    for name in ("ann", "bob", "cid"):
        version_id = submit(KIM, pool, queue, Submission("foragers", name, WAITER.format(name), "python")).row.id
        build_version(process, version_id)
        assert within(pool, versions.find_version, version_id).state == "accepted"
    silent = submit(KIM, pool, queue, Submission("foragers", "mute", SILENT, "python")).row.id
    build_version(process, silent)
    rejected = within(pool, versions.find_version, silent)
    assert rejected.state == "rejected"
    assert "in a trial match against itself" in rejected.message
    made = schedule(pool, queue, Random(1), process.games)
    assert made
    for match_id in made[:3]:
        play_match(process, match_id)
    with transaction(pool) as connection:
        rows = connection.execute(
            "SELECT state, players, edition, seed FROM matches WHERE id = ANY(%s)", [made[:3]]
        ).fetchall()
        lines = connection.execute("SELECT count(*) FROM ledger").fetchone()
    edition = process.games.find("foragers").edition
    assert {row[:3] for row in rows} == {("finished", 3, edition)}
    assert lines == (9,)
