"""What a player uses of processors by asking for matches, on a real database."""

from ladder.database.connection import Pool, transaction
from ladder.fleet.workers import fleet_of
from ladder.flows.recording import record
from ladder.gauntlets.execution import advance, begin
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import MatchId
from ladder.matches import matches
from ladder.matchmaking.requesting import ask
from ladder.names import NamedVersion
from tests.fakes import result_of
from tests.ladder.arena import a_pair, claimed, league_named, on_the_board, rows_of, within

USED_US = 400 + 300
"""What the two seats of a made-up match have used, see `result_of`; one of them was charged far more, for sleeping."""


def play(pool: Pool, match_id: MatchId) -> None:
    claim = claimed(pool, match_id)
    assert within(pool, record, claim, result_of(claim, (1, 0)))
    assert not within(pool, record, claim, result_of(claim, (1, 0)))


def usage(pool: Pool) -> dict[str, tuple[int, int]]:
    """Return matches and microseconds by player."""
    rows = rows_of(
        pool,
        """
        SELECT name, sum(usage.matches)::int, sum(cpu_us)::int
        FROM usage JOIN players ON players.id = player_id
        WHERE hour <= now() AND extract(minute FROM hour) = 0 GROUP BY name
        """,
    )
    return {name: (played, cpu_us) for name, played, cpu_us in rows}


def test_what_a_player_asked_for_is_added_up_and_nothing_else(pool: Pool) -> None:
    kraken, orca = on_the_board(pool, "kraken", player="kim"), on_the_board(pool, "orca", player="mia")
    unasked = a_pair(pool, kraken, orca)
    play(pool, unasked[0])
    assert usage(pool) == {}
    with transaction(pool) as connection:
        seats = connection.execute("SELECT cpu_us FROM seats WHERE match_id = %s ORDER BY seat", [unasked[0]])
        assert [row[0] for row in seats] == [400, 300]
        begin(connection, spec_of(connection, GauntletRequest("kraken@v1", "Kim", ("orca",), pairs=1)))
        in_gauntlet = advance(connection, fleet_of(connection))
        request = ask(connection, [NamedVersion("kraken"), NamedVersion("orca")], 1, "mia")
        others = ask(connection, [NamedVersion("kraken"), NamedVersion("orca")], 1, "nobody-known")
        requested, unknown = (
            matches.insert_battle(connection, league_named(pool, "wood-2").id, (kraken, orca), 7, request_id=one.id)
            for one in (request, others)
        )
    for match_id in (*in_gauntlet, requested[0], unknown[0]):
        play(pool, match_id)
    assert usage(pool) == {"kim": (2, 2 * USED_US), "mia": (1, USED_US)}
