"""The settled board, and boards that rank by it: order, intervals, when they are due, what they never decide."""

import csv
import io
import json
from functools import partial
from pathlib import Path

from ladder.access import Actor, Role
from ladder.actions import games as freezing
from ladder.database.connection import Pool, transaction
from ladder.ids import VersionId
from ladder.promotions import lifecycle
from ladder.promotions.rules import ranks_are_due
from ladder.ratings import standings
from ladder.ratings.ledger import all_rating_settings
from ladder.ratings.models import Rating, score
from ladder.ratings.settled_fit import settled_board
from ladder.ratings.standings import SettledLine
from ladder.seasons import ending
from ladder.views.contests import contest
from ladder.views.seasons import final_season
from ladder.visibility import PUBLIC, look
from ladder.web.pages.home import leaders
from tests.acceptance.conftest import Desk
from tests.conftest import once_found
from tests.ladder.arena import (
    GAME,
    Versions,
    a_pair,
    accept_bosses,
    board,
    keep_one_boss,
    league_named,
    league_of,
    moved_to,
    on_the_board,
    play_by,
    present,
    rows_of,
    scheduled,
    set_up,
    within,
)
from tests.ladder.rated import change, numbers, play


def settled(pool: Pool, league: str = "wood-2") -> list[SettledLine]:
    return within(pool, settled_board, league_named(pool, league))


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
    assert [(line.version, line.rank, line.matches) for line in settled(pool)] == [
        ("kraken@v1", 1, 6),
        ("orca@v1", 2, 10),
        ("eel@v1", 3, 4),
    ]
    before = numbers(pool)
    on_the_board(pool, "kraken", "new")
    rows = settled(pool)
    assert [(line.version, line.rank, line.matches) for line in rows] == [("orca@v1", 1, 10), ("eel@v1", 2, 4)]
    live = {row[0]: row[2] for row in numbers(pool)[1]}
    assert [line.mu for line in rows] == [live[orca], live[eel]]
    assert {line.live_rank for line in rows} <= {1, 2, 3}
    assert numbers(pool)[0] == before[0]


def test_what_a_predecessor_did_counts_for_its_successor_where_that_is_asked_for(pool: Pool) -> None:
    old, orca, eel = (on_the_board(pool, name, name) for name in ("kraken", "orca", "eel"))
    beats(pool, old, orca, 6)
    beats(pool, old, eel, 6)
    beats(pool, orca, on_the_board(pool, "kraken", "new"), 1)
    assert [line.version for line in settled(pool)][-1] == "kraken@v2"
    found = within(pool, partial(settled_board, inherits=True), league_named(pool, "wood-2"))
    assert found[0].version == "kraken@v2"
    assert {line.version: line.matches for line in found} == {"kraken@v2": 2, "orca@v1": 14, "eel@v1": 12}


def test_the_command_says_that_groups_cannot_be_compared_and_refuses_unknown_leagues(desk: Desk, pool: Pool) -> None:
    words = ("rating", "settle", "--game", GAME, "--league", "wood-2")
    assert "nothing to settle" in desk.run(*words).stderr
    for unknown in (("--game", "chess"), ("--league", "gold")):
        assert desk.refused(2, "rating", "settle", *unknown).count("\n") == 1
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


WOOD = "wood-2"


def each_beats_the_next(pool: Pool) -> Versions:
    """Let kraken, orca and eel stand on a board that ranks by the settled fit; each has beaten the next."""
    set_up(pool, WOOD, ranked_by="settled")
    kraken, orca, eel = versions = [on_the_board(pool, name, name) for name in ("kraken", "orca", "eel")]
    beats(pool, kraken, orca, 5)
    beats(pool, orca, eel, 5)
    fit(pool)
    return versions


made, three = once_found(each_beats_the_next)


def fit(pool: Pool) -> int:
    """Fit each board that is due, as the scheduler does; return how many were."""
    with transaction(pool) as connection:
        due = [one for one in lifecycle.boards(connection, GAME) if ranks_are_due(one.place.league, one.standings)]
        for one in due:
            lifecycle.refresh_ranks(connection, one)
    return len(due)


def names(pool: Pool) -> list[str]:
    return list(board(pool))


def test_a_new_version_stands_near_its_predecessor_before_its_first_match(pool: Pool, three: Versions) -> None:
    assert names(pool) == ["kraken@v1", "orca@v1", "eel@v1"]
    on_the_board(pool, "kraken", "again")
    on_the_board(pool, "hydra", "hydra")
    assert names(pool) == ["orca@v1", "eel@v1", "kraken@v2", "hydra@v1"], "until the next fit both stand by the score"
    assert fit(pool) == 1
    assert names(pool) == ["kraken@v2", "orca@v1", "eel@v1", "hydra@v1"]
    rows = board(pool)
    assert rows["hydra@v1"].settled_rank is None
    again = rows["kraken@v2"]
    assert again.settled_rank is not None
    assert (again.settled_rank.rank_low, again.record.matches) == (1, 0)
    assert again.score == rows["hydra@v1"].score == 0, "the live rating is that of a newcomer"


def test_a_board_is_fitted_again_when_something_has_happened_and_not_before(pool: Pool, three: Versions) -> None:
    assert fit(pool) == 0
    (first, _) = a_pair(pool, three[0], three[1])
    assert fit(pool) == 0, "it only waits"
    play(pool, first, (0, 1))
    before = board(pool)["orca@v1"].settled_rank
    assert fit(pool) == 1
    assert board(pool)["orca@v1"].settled_rank != before
    assert fit(pool) == 0
    beats(pool, three[2], three[0])
    scheduled(pool)
    assert fit(pool) == 0, "the scheduler has done it"
    change(pool, "UPDATE leagues SET ranked_by = 'live'")
    play(pool, a_pair(pool, three[0], three[1])[0], (0, 1))
    assert fit(pool) == 0


def test_all_that_names_a_rank_has_the_boards_order_and_else_that_of_scores(pool: Pool, three: Versions) -> None:
    change(pool, "UPDATE standings SET score = CASE version_id WHEN %s THEN 30 ELSE 10 END", three[2])
    change(pool, "UPDATE leagues SET ranked_by = 'settled'")
    league = league_named(pool, WOOD)
    with transaction(pool) as connection:
        whole = standings.board(connection, league.id)
        assert [row.version_id for row in whole] == three, "though eel has the highest score"
        first = standings.board(connection, league.id, limit=1)
        assert standings.board(connection, league.id, first[0].mark(1)) == whole[1:]
        assert standings.count_after(connection, league.id, first[0].mark(1)) == 2
        assert standings.ranks_around(connection, league.id, [three[2]], 20).by_version[three[2]] == 3
        assert standings.ranks_by_name(connection, league, "eel", standings.TOP, 5) == {three[2]: 3}
        own = [one.version for one in leaders(connection) if one.league_id == league.id]
        assert own == ["kraken@v1", "orca@v1", "eel@v1"]
        ranks = {one.bot: one.rank for one in contest(connection, GAME).players}
        assert (ranks["kraken"], ranks["eel"]) == (1, 3)
        assert standings.live_order(whole)[0].version_id == three[2]
    assert names(pool)[0] == "kraken@v1"
    set_up(pool, WOOD, ranked_by="live")
    assert names(pool)[0] == "eel@v1"
    assert {row.settled_rank for row in board(pool).values()} == {None}


def test_a_version_that_has_had_its_battles_stands_by_its_own_matches_alone(pool: Pool, three: Versions) -> None:
    set_up(pool, WOOD, battles=2)
    new = on_the_board(pool, "kraken", "worse")
    beats(pool, three[2], new)
    fit(pool)
    near = present(board(pool)["kraken@v2"].settled_rank)
    beats(pool, three[1], new)
    fit(pool)
    alone = present(board(pool)["kraken@v2"].settled_rank)
    assert near.strength > 0 > alone.strength
    assert alone.error > near.error, "it had its predecessor's matches too"
    assert [row.name for row in within(pool, lifecycle.boards, GAME)[0].standings][-1] == "kraken@v2"


def test_a_predecessor_promotes_nobody(pool: Pool) -> None:
    within(pool, keep_one_boss)
    accept_bosses(pool)
    set_up(pool, WOOD, ranked_by="settled", battles=3, sure=None)
    set_up(pool, "wood-1", battles=3)
    old = on_the_board(pool, "kraken")
    others = [on_the_board(pool, name, name, player=name) for name in ("crab", "squid", "eel")]
    (boss,) = [row for row in within(pool, standings.board, league_named(pool, WOOD).id) if row.is_boss]
    for other in (boss.version_id, *others):
        beats(pool, old, other, 2)
    change(pool, "UPDATE standings SET eligible_at = NULL")
    new = on_the_board(pool, "kraken", "worse")
    change(pool, "UPDATE standings SET eligible_at = NULL")
    fit(pool)
    rows = board(pool)
    assert next(iter(rows)) == "kraken@v2"
    assert rows["kraken@v2"].version_id == new
    play_by(pool, lambda claim: 1 - claim.version_ids.index(new) if new in claim.version_ids else None)
    assert league_of(pool, "kraken") == "Wood 2", "it lost each of its battles"
    assert board(pool)["kraken@v2"].eligible_at is None


def test_a_predecessor_decides_nothing_on_the_final_board_of_a_season(pool: Pool, three: Versions) -> None:
    beats(pool, three[2], on_the_board(pool, "kraken", "worse"), 1)
    fit(pool)
    assert names(pool) == ["orca@v1", "kraken@v2", "eel@v1"]
    with transaction(pool) as connection:
        ending.close(connection, GAME, 1)
        (final,) = [one for one in final_season(connection, GAME, 1).boards if one.league == WOOD]
    assert [line.version for line in final.lines][-1] == "kraken@v2"
    assert {line.version: line.live_rank for line in final.lines}["kraken@v2"] == 3


def test_what_the_ledger_rates_is_the_same_however_a_board_ranks(pool: Pool, three: Versions) -> None:
    with transaction(pool) as connection:
        settings = all_rating_settings(connection)[league_named(pool, WOOD).id]
        rows = connection.execute(
            "SELECT DISTINCT ON (version_id) version_id, mu_after, sigma_after FROM ledger "
            "ORDER BY version_id, sequence DESC"
        ).fetchall()
    assert {row[0]: score(settings, Rating(*row[1:])) for row in rows} == {
        row.version_id: row.score for row in board(pool).values()
    }


def test_a_frozen_board_keeps_the_order_and_the_intervals_of_its_moment(pool: Pool, three: Versions) -> None:
    def seen() -> list[tuple[str, standings.SettledRank | None]]:
        with transaction(pool) as connection:
            look(connection, PUBLIC)
            rows = standings.board(connection, league_named(pool, WOOD).id)
            return [(row.name, row.settled_rank) for row in rows]

    before = seen()
    now = rows_of(pool, "SELECT clock_timestamp()")[0][0]
    freezing.freeze_boards(Actor("olga", Role.OPERATOR), pool, GAME, now)
    beats(pool, three[2], three[0], 9)
    assert fit(pool) == 1
    assert seen() == before
    assert names(pool) != [name for name, _ in before], "those who operate see it as it is"


def test_a_version_whose_rank_is_known_gets_no_more_battles(desk: Desk, pool: Pool, three: Versions) -> None:
    set_up(pool, WOOD, ranked_by="live")
    set_up(pool, "legend", ranked_by="settled", battles=100)
    for version in three:
        moved_to(pool, version, "legend")
    for first, second in ((0, 1), (1, 2), (0, 2)):
        for match_id, scores in zip(a_pair(pool, three[first], three[second], "legend"), ((1, 0), (0, 1)), strict=True):
            play(pool, match_id, scores)
    change(pool, "UPDATE standings SET matches = 30, draws = 15, wins = 15, losses = 0 WHERE on_board")
    fit(pool)
    width = max(row.settled_rank.width for row in board(pool, "legend").values() if row.settled_rank)
    assert width == 2, "two matches say little"
    set_up(pool, "legend", rank_width=1)
    assert scheduled(pool) != []
    change(pool, "UPDATE matches SET state = 'void', void_by = 'x', void_at = now() WHERE state = 'queued'")
    set_up(pool, "legend", rank_width=2)
    assert scheduled(pool) == []
    shown = " ".join(desk.ok("bot", "show", "orca").split())
    assert "orca@v1 is 2nd of 3 (95 %: 1 to 3) in Legend" in shown
    assert "are spared while its rank is known as well as its league asks" in shown
    on_the_board(pool, "hydra", "hydra")
    moved_to(pool, board(pool)["hydra@v1"].version_id, "legend")
    assert scheduled(pool) != [], "a newcomer has not begun"


def test_all_forms_of_a_board_have_the_intervals(desk: Desk, pool: Pool, three: Versions, tmp_path: Path) -> None:
    on_the_board(pool, "hydra", "hydra")
    fit(pool)
    words = ("board", "--game", GAME, "--league", WOOD)
    table = desk.ok(*words)
    assert "95 %" in table
    assert "without Elo: nothing is known of it yet, so it stands by its score, below the others" in table
    rows = json.loads(desk.ok(*words, "--json"))
    known = [row for row in rows if row["player"] == "kim" and "strength" in row]
    assert [row["version"] for row in known] == ["kraken@v1", "orca@v1", "eel@v1"]
    assert all(row["rank_low"] <= row["rank"] <= row["rank_high"] and row["error"] > 0 for row in known)
    (late,) = [row for row in rows if row["version"] == "hydra@v1"]
    assert "strength" not in late
    cells = list(csv.DictReader(io.StringIO(desk.ok(*words, "--csv"))))
    assert [(one["rank_low"], one["rank_high"]) for one in cells][:3] == [
        (str(row["rank_low"]), str(row["rank_high"])) for row in known
    ]
    page = tmp_path / "board.html"
    desk.ok(*words, "--html", str(page))
    assert f"{known[0]['rank_low']}\N{EN DASH}{known[0]['rank_high']}" in page.read_text()
    set_up(pool, WOOD, ranked_by="live")
    assert "95 %" not in desk.ok(*words)
    assert "strength" not in desk.ok(*words, "--json")
