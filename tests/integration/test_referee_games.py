"""Games whose referee is a program, from their folders to the board: built, paired, played, rated, shown."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engine.bot.clock import TimeRule
from engine.boxes import CGROUP
from engine.conversation import UNFAIR
from engine.errors import Refused
from engine.referees.edition import NewGame, gather, load_edition, new_edition
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
from tests.ladder.arena import within
from tests.referees.cgroups import NIM
from tests.referees.compiled import referees
from workers.jobs import build_version, play_match
from workers.worker_process import WorkerProcess

WAITER = "import sys\nfor line in sys.stdin:\n    print('WAIT', flush=True)  # {}\n"
SILENT = "input()\n"
TAKES_ONE = "import sys\nfor line in sys.stdin:\n    print(1, flush=True)  # {}\n"
CHEATS = "import sys\nfor line in sys.stdin:\n    print(9, flush=True)\n"


def add(process: WorkerProcess, pool: Pool, new: NewGame, folder: Path) -> None:
    tree = new_edition(new, gather(new.command, [], folder))
    games.add(Actor("olga", Role.OPERATOR), pool, load_edition(tree), tree)
    process.games = replace(process.games, further=GamesOfLadder(lambda: transaction(process.pool)))


def built(process: WorkerProcess, pool: Pool, game: str, name: str, text: str) -> Version:
    version_id = submit(Actor("kim"), pool, RememberingQueue(), Submission(game, name, text, "python")).row.id
    build_version(process, version_id)
    return within(pool, versions.find_version, version_id)


def test_versions_are_tried_paired_and_rated_in_threes(process: WorkerProcess, pool: Pool) -> None:
    add(
        process,
        pool,
        NewGame("foragers", "Foragers", ProtocolKind.BRUTALTESTER, "./foragers", (3,), fault_line="OUT"),
        referees(),
    )
    for name in ("ann", "bob", "cid"):
        assert built(process, pool, "foragers", name, WAITER.format(name)).state == "accepted"
    rejected = built(process, pool, "foragers", "mute", SILENT)
    assert rejected.state == "rejected"
    assert "in a trial match against itself" in rejected.message
    made = schedule(pool, RememberingQueue(), Random(1), process.games)
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


@pytest.mark.takes_cgroup
def test_one_whose_command_plays_whole_matches_is_played_once_its_league_is_trusted(
    process: WorkerProcess, pool: Pool
) -> None:
    add(process, pool, NewGame("nim", "Nim", ProtocolKind.COMMAND, "python3 nim.py {SEED} {PLAYERS}", (2,)), NIM.parent)
    for name in ("ann", "bob"):
        found = built(process, pool, "nim", name, TAKES_ONE.format(name))
        assert found.state == "accepted", "without any trial match"
    assert schedule(pool, RememberingQueue(), Random(1), process.games) == []
    with transaction(pool) as connection:
        leagues.change_settings(connection, leagues.find_league(connection, "nim", "arena").id, {"trusted": True})
    rejected = built(process, pool, "nim", "cheat", CHEATS)
    assert rejected.state == "rejected"
    assert "in a trial match against itself: fault of unknown kind" in rejected.message
    made = schedule(pool, RememberingQueue(), Random(1), process.games)
    play_match(process, made[0])
    with transaction(pool) as connection:
        shown = read_match(connection, process.games, made[0])
        with pytest.raises(Refused, match="another rule for time needs the lines that were said in a match"):
            rejudged(connection, process.games, made[0], TimeRule())
    assert (shown.row.state, shown.row.sandbox, shown.row.caution) == ("finished", CGROUP, UNFAIR)
    assert sorted(one.seat.result or "" for one in shown.seats) == ["loss", "win"]
    assert [one.seat.median_us for one in shown.seats] == [None, None]
    assert [set(one.seat.metrics) for one in shown.seats] == [{"heap", "moves"}] * 2
    assert shown.said == []
