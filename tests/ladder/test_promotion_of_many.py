"""Promotion in a league whose matches have three players: each match in which a version is placed above the boss."""

from collections.abc import Mapping
from random import Random

import pytest

from ladder.choices import Promotion
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.ids import VersionId
from ladder.promotions import lifecycle
from ladder.ratings.replay import recompute
from tests.catalogue import GAMES
from tests.conftest import once_found
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import GAME, claimed, league_named, league_of, on_the_board, set_up, within
from tests.ladder.rated import change, checked, numbers

BATTLES, BOSS_WINS = 4, 5


def three_beside_the_boss(pool: Pool) -> dict[VersionId, int]:
    """Three versions beside the boss of wood-2: one is stronger than it, one as strong as it, one weaker."""
    change(pool, "UPDATE leagues SET players = '{3}', battle_matches = 3 WHERE game = 'ocean-of-code'")
    names = {"kraken": 3, "orca": 2, "eel": 1}
    return {on_the_board(pool, name, name): strength for name, strength in names.items()}


made, strength = once_found(three_beside_the_boss, among_bosses=True)


def play_by_strength(pool: Pool, strength: Mapping[VersionId, int]) -> int:
    """Play until nothing is left, the stronger ones before the others; the bosses have the strength 2."""
    queue, played = RememberingQueue(), 0
    while schedule(pool, queue, Random(played), GAMES):
        while queue.plays:
            claim = claimed(pool, queue.plays.pop(0))
            assert claim.players == 3
            scores = [strength.get(version_id, 2) for version_id in claim.version_ids]
            assert within(pool, record, claim, result_of(claim, scores))
            played += 1
    return played


@pytest.mark.parametrize("rule", list(Promotion))
def test_who_is_placed_above_the_boss_goes_up_and_no_other_and_the_ledger_stays_sound(
    pool: Pool, strength: dict[VersionId, int], rule: Promotion
) -> None:
    set_up(pool, "wood-2", promotion=rule.value, boss_wins=BOSS_WINS, battles=BATTLES)
    if rule == Promotion.SETTLED_ABOVE_BOSS:  # by which an equal of the boss is above it as often as not
        strength = {version_id: 1 if own == 2 else own for version_id, own in strength.items()}
    played = play_by_strength(pool, strength)
    assert played >= 3 * BATTLES
    assert {name: league_of(pool, name) for name in ("kraken", "orca", "eel")} == {
        "kraken": "Wood 1",
        "orca": "Wood 2",
        "eel": "Wood 2",
    }
    report = checked(pool)
    assert (report.is_clean, report.lines) == (True, 3 * played), report.differences
    before = numbers(pool)
    (rewritten,) = within(pool, recompute, [league_named(pool, "wood-2").id])
    assert (rewritten.changed_lines, rewritten.changed_standings) == (0, 0)
    assert numbers(pool) == before


def test_wins_against_the_boss_count_once_a_match_and_no_draws(pool: Pool, strength: dict[VersionId, int]) -> None:
    set_up(pool, "wood-2", promotion="boss_wins", boss_wins=3 * BATTLES // 2, battles=BATTLES)
    change(pool, "UPDATE leagues SET boss_wins = 1000 WHERE name = 'wood-2'")  # no version goes up
    play_by_strength(pool, strength)
    with transaction(pool) as connection:
        (wood_2,) = (one for one in lifecycle.boards(connection, GAME) if one.place.league.name == "wood-2")
        query = """
            SELECT count(*) FROM seats AS own JOIN seats AS boss USING (match_id)
            JOIN versions ON versions.id = boss.version_id JOIN bots ON bots.id = bot_id
            WHERE own.version_id = %s AND bots.boss_of IS NOT NULL
        """
        ((with_boss,),) = connection.execute(query, [min(strength)]).fetchall()
    wins = {row.name: row.boss_wins for row in wood_2.standings}
    assert (wins["kraken@v1"], wins["orca@v1"], wins["eel@v1"]) == (with_boss, 0, 0)
    assert with_boss > 0
