"""The settled board of a real ladder, and its command."""

import json
from functools import partial
from pathlib import Path

from ladder.database.connection import Pool
from ladder.ids import VersionId
from ladder.ratings.settled_fit import settled_board
from ladder.ratings.standings import SettledLine
from tests.acceptance.conftest import Desk
from tests.ladder.arena import GAME, a_pair, league_named, on_the_board, within
from tests.ladder.rated import change, numbers, play


def board(pool: Pool, league: str = "wood-2") -> list[SettledLine]:
    found = league_named(pool, league)
    return within(pool, settled_board, found)


def beats(pool: Pool, winner: VersionId, loser: VersionId, battles: int = 1) -> list[int]:
    """Let one win both matches of battles against another; return the matches."""
    played: list[int] = []
    for _ in range(battles):
        for match_id, scores in zip(a_pair(pool, winner, loser), ((1, 0), (0, 1)), strict=True):
            play(pool, match_id, scores)
            played.append(match_id)
    return played


def test_a_settled_board_counts_finished_matches_of_all_versions_and_ranks_those_on_the_board(pool: Pool) -> None:
    old, orca, eel = (on_the_board(pool, name, name) for name in ("kraken", "orca", "eel"))
    beats(pool, old, orca, 3)
    void = beats(pool, eel, old, 1)
    beats(pool, orca, eel, 2)
    a_pair(pool, eel, orca)  # waits
    change(pool, "UPDATE matches SET state = 'void', void_by = 'x', void_at = now() WHERE id = ANY(%s)", void)
    assert [(line.version, line.rank, line.matches) for line in board(pool)] == [
        ("kraken@v1", 1, 6),
        ("orca@v1", 2, 10),
        ("eel@v1", 3, 4),
    ]
    before = numbers(pool)
    on_the_board(pool, "kraken", "new")
    rows = board(pool)
    assert [(line.version, line.rank, line.matches) for line in rows] == [("orca@v1", 1, 10), ("eel@v1", 2, 4)]
    live = {row[0]: row[2] for row in numbers(pool)[1]}
    assert [line.mu for line in rows] == [live[orca], live[eel]]
    assert {line.live_rank for line in rows} <= {1, 2, 3}
    assert numbers(pool)[0] == before[0]


def test_what_a_predecessor_did_counts_for_its_successor_where_that_is_asked_for(pool: Pool) -> None:
    old, orca, eel = (on_the_board(pool, name, name) for name in ("kraken", "orca", "eel"))
    beats(pool, old, orca, 6)
    beats(pool, old, eel, 6)
    new = on_the_board(pool, "kraken", "new")
    beats(pool, orca, new, 1)
    assert [line.version for line in board(pool)][-1] == "kraken@v2"
    found = within(pool, partial(settled_board, inherits=True), league_named(pool, "wood-2"))
    assert found[0].version == "kraken@v2"
    assert {line.version: line.matches for line in found} == {"kraken@v2": 2, "orca@v1": 14, "eel@v1": 12}


def test_the_command_says_that_groups_cannot_be_compared(tmp_path: Path, database_url: str, pool: Pool) -> None:
    desk = Desk(tmp_path / "home", {"LADDER_DATABASE_URL": database_url})
    words = ("rating", "settle", "--game", GAME, "--league", "wood-2")
    assert "nothing to settle" in desk.run(*words).stderr
    kraken, orca, eel, crab = (on_the_board(pool, name, name) for name in ("kraken", "orca", "eel", "crab"))
    beats(pool, kraken, orca, 2)
    beats(pool, crab, eel)
    done = desk.run(*words, "--json")
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "Wood 2 (ocean-of-code): 2 groups of bots that no chain of matches joins; each is ranked by itself"
    ]
    rows = json.loads(done.stdout)
    assert [(row["league"], row["group"], row["rank"], row["version"], row["matches"]) for row in rows] == [
        ("wood-2", 1, 1, "kraken@v1", 4),
        ("wood-2", 1, 2, "orca@v1", 4),
        ("wood-2", 2, 1, "crab@v1", 2),
        ("wood-2", 2, 2, "eel@v1", 2),
    ]
    beats(pool, orca, eel)
    joined = desk.run(*words)
    assert joined.stderr == ""
    assert "settled" in joined.stdout
    assert "group" not in joined.stdout


def test_unknown_leagues_are_refused_in_one_sentence(tmp_path: Path, database_url: str) -> None:
    desk = Desk(tmp_path / "home", {"LADDER_DATABASE_URL": database_url})
    for words in (("--game", "chess"), ("--league", "gold")):
        assert desk.refused(2, "rating", "settle", *words).count("\n") == 1
