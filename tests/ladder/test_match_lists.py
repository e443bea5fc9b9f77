"""`ladder match list` finds the matches that somebody looks for, quickly, and gauntlets push nothing out."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from ladder.bots import bots, versions
from ladder.database.connection import Connection, Pool, transaction
from ladder.gauntlets.gauntlets import GauntletSpec, insert
from ladder.gauntlets.plan import Plan
from ladder.ids import MatchId
from ladder.matches.filters import parse
from ladder.matches.match_rows import latest_matches
from tests.acceptance.conftest import Desk
from tests.conftest import Made, once
from tests.ladder.arena import GAME, a_pair, insert_battle, league_named, on_the_board
from tests.ladder.rated import change, play
from tests.ladder.test_board import rows_read

Listed = Callable[..., list[int]]


@pytest.fixture
def listed(desk: Desk) -> Listed:
    return lambda *words: sorted(row["id"] for row in json.loads(desk.ok("match", "list", *words, "--json")))


def six_of_kraken(pool: Pool) -> list[MatchId]:
    """Play six: won against wahoo, lost by time-out, drawn, won against eel, won by a crash, lost to eel.

    In every second match it has seat 1. The last one has 150 turns and ended by the turn limit; the first is of 2020.
    """
    kraken, wahoo, eel = (on_the_board(pool, name, name) for name in ("kraken", "wahoo", "eel"))
    found = [*a_pair(pool, kraken, wahoo), *a_pair(pool, kraken, wahoo), *a_pair(pool, kraken, eel)]
    found[2:] = [found[2], found[4], found[3], found[5]]
    play(pool, found[0], (1, 0))
    play(pool, found[1], (1, 0), ("ok", "timeout"))
    play(pool, found[2], (0, 0))
    play(pool, found[3], (1, 0))
    play(pool, found[4], (0, 1), ("crashed", "ok"))
    play(pool, found[5], (1, 0))
    change(pool, "UPDATE matches SET turns = 150, reason = 'turn_limit' WHERE id = %s", found[5])
    change(pool, "UPDATE matches SET finished_at = '2020-01-01Z' WHERE id = %s", found[0])
    return found


made = once(six_of_kraken)


@pytest.fixture
def played(made: Made[list[MatchId]], database_url: str) -> list[MatchId]:
    return made.found


def test_each_option_picks_what_it_says_and_together_they_all_hold(listed: Listed, played: list[int]) -> None:
    won, late, drawn, beat_eel, crash, lost_to_eel = played
    of_kraken = ("--bot", "kraken")
    assert listed(*of_kraken) == sorted(played)
    assert listed(*of_kraken, "--lost") == sorted([late, lost_to_eel])
    assert listed(*of_kraken, "--won") == sorted([won, beat_eel, crash])
    assert listed(*of_kraken, "--drawn") == [drawn]
    assert listed(*of_kraken, "--against", "eel") == sorted([beat_eel, lost_to_eel])
    assert listed(*of_kraken, "--against", "wahoo@v1", "--lost") == [late]
    assert listed(*of_kraken, "--fault", "timeout") == [late]
    assert listed(*of_kraken, "--fault", "any") == [late], "the crash was the other bot's"
    assert listed("--fault", "any") == sorted([late, crash])
    assert listed("--fault", "crashed") == listed("--bot", "wahoo", "--fault", "any") == [crash]
    assert listed("--against", "eel", "--longer-than", "100") == [lost_to_eel]
    assert listed("--reason", "crash") == listed("--fault", "crash") == [crash], "as the list shows it"
    assert listed("--reason", "turn limit") == [lost_to_eel]
    assert listed("--reason", "dead", *of_kraken, "--lost") == [late]
    assert listed("--league", "Wood 2") == sorted(played)
    assert listed("--league", "bronze") == []
    assert listed("--since", "1h") == sorted(played[1:])
    assert listed("--since", "2019-12-31") == listed("--rated") == sorted(played)
    words = "--lost --against wahoo --fault timeout --league wood-2 --since 1h --reason dead --longer-than 1 --rated"
    assert listed(*of_kraken, *words.split()) == [late]


def test_a_filter_in_words_is_the_same_language_also_on_boards(desk: Desk, listed: Listed, played: list[int]) -> None:
    won, late, drawn, beat_eel, _, lost_to_eel = played
    assert listed("--where", "bot = kraken and result = lost") == sorted([late, lost_to_eel])
    assert listed("--where", "bot = kraken and not fault = timeout and result != won") == sorted([drawn, lost_to_eel])
    assert listed("--bot", "kraken", "--lost", "--where", "seat = 1 or turns > 100") == sorted([late, lost_to_eel])
    assert listed("--where", "bot = kraken and seat = 0") == sorted([won, drawn, beat_eel])
    assert listed("--where", "not fault = any and not opponent = eel") == sorted([won, drawn])
    assert listed("--where", "(bot = eel or bot = wahoo) and result = won") == sorted([late, lost_to_eel])
    rows = json.loads(desk.ok("board", "--where", "bot = kraken and result = lost", "--json"))
    assert {row["version"]: (row["matches"], row["losses"]) for row in rows} == {
        "kraken@v1": (2, 2),
        "wahoo@v1": (1, 0),
        "eel@v1": (1, 0),
    }
    assert json.loads(desk.ok("rating", "recompute", "--where", "bot = kraken and result = lost", "--json")) == rows
    assert "eel@v1" in desk.ok("board", "--where", "opponent = eel")


def test_a_column_says_whether_the_bot_won_and_the_list_how_to_look_at_a_match(desk: Desk, played: list[int]) -> None:
    rows = json.loads(desk.ok("match", "list", "--bot", "kraken", "--json"))
    results = {row["id"]: row["own_result"] for row in rows}
    assert [results[match_id] for match_id in played] == ["won", "lost", "drawn", "won", "won", "lost"]
    assert {row["own_result"] for row in json.loads(desk.ok("match", "list", "--json"))} == {None}
    shown = desk.ok("match", "list", "--bot", "eel", "--lost")
    (line,) = [line for line in shown.splitlines() if str(played[3]) in line.split()]
    assert "lost" in line.split()
    assert "look at one with `ladder match view MATCH`; `ladder match show MATCH` has all of it" in shown
    latest = desk.ok("bot", "show", "kraken").partition("latest matches")[2]
    assert "won" in latest
    assert "look at one with `ladder match view MATCH`" in latest
    assert "look at a match with `ladder match view MATCH`" in desk.run("bot", "why", "kraken").stderr


REFUSED = [
    (
        ("--fault", "slow"),
        "--fault says 'slow' where one of any, timeout, crashed, illegal, memory, flooded, unknown should be",
    ),
    (("--since", "yesterday"), "--since says 'yesterday' where a day or time such as 2026-11-01"),
    (("--longer-than", "long"), "--longer-than says 'long' where a whole number"),
    (("--against", "nessie"), "--against says 'nessie' where a bot (boss-"),
    (("--against", "wahoo@v7"), "--against says 'wahoo@v7' where a version of wahoo (v1) should be"),
    (("--league", "tin"), "--league says 'tin' where a league ("),
    (("--lost",), "--lost needs --bot: say for which bot"),
    (("--where", "result = lost and"), "cannot read the filter at character 18"),
    (("--where", "bot = nessie"), "it says 'nessie' where a bot ("),
    (("--request", "1", "--rated"), "--request lists all matches of one request"),
    (("--bot", "kraken@v9"), "unknown version of kraken 'v9'"),
]
"""Options, and what is said of them."""


def test_what_cannot_be_looked_for_is_one_sentence(desk: Desk, played: list[int]) -> None:
    for words, sentence in REFUSED:
        assert sentence in desk.refused(2, "match", "list", *words)
    nothing = desk.run("match", "list", "--bot", "kraken", "--fault", "memory")
    assert (nothing.returncode, nothing.stdout) == (0, "")
    assert nothing.stderr.startswith("no match fits; ")


def test_matches_of_gauntlets_are_listed_on_request(desk: Desk, listed: Listed, pool: Pool, played: list[int]) -> None:
    with transaction(pool) as connection:
        own = (bots.find_bot(connection, name).id for name in ("kraken", "wahoo"))
        kraken, wahoo = (versions.versions_of(connection, bot_id)[0].id for bot_id in own)
        league_id = league_named(pool, "wood-2").id
        plan = Plan(kraken, None, (wahoo,), 30, 1)
        gauntlet = insert(connection, GauntletSpec(league_id, plan, None, "kim"))
        for slot in range(15):
            insert_battle(connection, league_id, (kraken, wahoo), seed=slot, part_of=(gauntlet, slot))
        of_gauntlet = [row[0] for row in connection.execute("SELECT id FROM matches WHERE gauntlet_id IS NOT NULL")]
    for match_id in of_gauntlet:
        play(pool, match_id)
    assert listed() == listed("--bot", "kraken") == listed("--game", GAME) == sorted(played)
    assert listed("--gauntlet", str(gauntlet), "-n", "100") == listed("--unrated", "-n", "100") == sorted(of_gauntlet)
    assert listed("--bot", "kraken", "--lost", "--gauntlet", str(gauntlet), "-n", "100") == sorted(of_gauntlet)[1::2]
    assert listed("--where", "seed = 3 and gauntlet > 0") == sorted(of_gauntlet)[6:8]
    shown: dict[str, Any] = json.loads(desk.ok("bot", "show", "kraken", "--json"))
    assert sorted(row["id"] for row in shown["latest_matches"]) == sorted(played)


def test_a_filter_reads_no_more_than_it_has_to(large: Connection) -> None:
    """Of 6,000 matches; a bot has a few of them, and faults are found by an index."""
    query = "SELECT bot_id, count(*) FROM seats JOIN versions ON versions.id = version_id GROUP BY 1 ORDER BY 2 DESC"
    bot_id, seats = large.execute(query).fetchall()[0]
    large.execute("UPDATE seats SET verdict = 'timeout' WHERE match_id IN (7, 3000) AND seat = 0")
    own = rows_read(large, partial(latest_matches, large, 5, bot_id, wanted=parse("fault = crashed")))
    assert own.get("matches", 0) <= 2 * seats
    assert own.get("seats", 0) <= 4 * seats
    assert [match.id for match in latest_matches(large, 5, wanted=parse("fault = timeout"))] == [3000, 7]
    read = rows_read(large, partial(latest_matches, large, 5, wanted=parse("fault = timeout")))
    assert read["matches"] <= 20
    assert read["seats"] <= 20
    name = bots.bots(large)[0].name
    assert latest_matches(large, 5, wanted=parse(f"bot = {name} and fault = timeout")) is not None
