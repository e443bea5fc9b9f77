"""A game whose command plays whole matches, from its folder to the board: not played before its league is trusted."""

from dataclasses import replace
from random import Random

import pytest

from engine.bot.clock import TimeRule
from engine.boxes import CGROUP
from engine.conversation import UNFAIR
from engine.errors import Refused
from engine.referees.edition import gather, load_edition, new_edition
from engine.referees.game_file import NewGame
from engine.referees.program import ProtocolKind
from ladder.access import Actor, Role
from ladder.actions import games
from ladder.actions.bots import submit
from ladder.bots import versions
from ladder.bots.versions import Version
from ladder.database.connection import Pool, transaction
from ladder.flows.scheduling import schedule
from ladder.flows.submission import Submission
from ladder.games.catalogue import GamesOfLadder
from ladder.leagues import leagues
from ladder.views.turns.match import read_match, rejudged
from tests.fakes import RememberingQueue
from tests.referees.cgroups import NIM
from workers.jobs import build_version, play_match
from workers.worker_process import WorkerProcess

TAKES_ONE = "import sys\nfor line in sys.stdin:\n    print(1, flush=True)  # {}\n"
CHEATS = "import sys\nfor line in sys.stdin:\n    print(9, flush=True)\n"
COMMAND = "python3 nim.py {SEED} {PLAYERS}"

pytestmark = pytest.mark.takes_cgroup


@pytest.fixture
def process_with_game(process: WorkerProcess, pool: Pool) -> WorkerProcess:
    new = NewGame("nim", "Nim", ProtocolKind.COMMAND, COMMAND, (2,))
    tree = new_edition(new, gather(COMMAND, [], NIM.parent))
    games.add(Actor("olga", Role.OPERATOR), pool, load_edition(tree), tree)
    process.games = replace(process.games, further=GamesOfLadder(lambda: transaction(process.pool)))
    return process


def built(process: WorkerProcess, pool: Pool, name: str, text: str) -> Version:
    version_id = submit(Actor("kim"), pool, RememberingQueue(), Submission("nim", name, text, "python")).row.id
    build_version(process, version_id)
    with transaction(pool) as connection:
        return versions.find_version(connection, version_id)


def test_it_is_played_once_its_league_is_trusted(process_with_game: WorkerProcess, pool: Pool) -> None:
    process = process_with_game
    for name in ("ann", "bob"):
        assert built(process, pool, name, TAKES_ONE.format(name)).state == "accepted", "without any trial match"
    assert schedule(pool, RememberingQueue(), Random(1), process.games) == []
    with transaction(pool) as connection:
        leagues.change_settings(connection, leagues.find_league(connection, "nim", "arena").id, {"trusted": True})
    rejected = built(process, pool, "cheat", CHEATS)
    assert rejected.state == "rejected"
    assert "in a trial match against itself: fault of unknown kind" in rejected.message
    made = schedule(pool, RememberingQueue(), Random(1), process.games)
    play_match(process, made[0])
    with transaction(pool) as connection:
        found = read_match(connection, process.games, made[0])
        with pytest.raises(Refused, match="another rule for time needs the lines that were said in a match"):
            rejudged(connection, process.games, made[0], TimeRule())
    assert (found.row.state, found.row.sandbox, found.row.caution) == ("finished", CGROUP, UNFAIR)
    assert sorted(one.seat.result or "" for one in found.seats) == ["loss", "win"]
    assert [one.seat.median_us for one in found.seats] == [None, None]
    assert [set(one.seat.metrics) for one in found.seats] == [{"heap", "moves"}] * 2
    assert found.said == []
