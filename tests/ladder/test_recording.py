"""Recording a match beside others who change what it goes by."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from ladder.database.connection import Pool, connect, one, transaction
from ladder.flows.recording import record
from ladder.ratings import ledger, standings
from ladder.ratings.models import Rating, model_of
from tests.fakes import result_of
from tests.ladder.arena import a_pair, claimed, on_the_board
from tests.patience import wait_until

WAITERS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'standings'::regclass"


@pytest.mark.parametrize("prepare_threshold", [None, 0], ids=["planned each time", "prepared"])
def test_a_recording_that_waited_for_other_settings_rates_by_them(
    pool: Pool, database_url: str, prepare_threshold: int | None
) -> None:
    """It has begun before they were changed, and looks at them and at the ratings in one statement."""
    first, second = (on_the_board(pool, name, name) for name in ("kraken", "orca"))
    claims = [claimed(pool, match_id) for match_id in a_pair(pool, first, second)]
    with connect(database_url, autocommit=True) as connection, ThreadPoolExecutor(1) as thread:
        connection.prepare_threshold = prepare_threshold
        with connection.transaction():
            assert record(connection, claims[0], result_of(claims[0], (1, 0)))  # this session knows the old settings
        with transaction(pool) as changing:
            standings.hold(changing)
            waiting = thread.submit(record, connection, claims[1], result_of(claims[1], (1, 0)))
            wait_until(lambda: one(changing, WAITERS, {})[0], "a recording that waits")
            changing.execute("UPDATE leagues SET tau = 5 WHERE id = %s", [claims[1].league_id])
            changing.execute("UPDATE standings SET mu = mu + 1 WHERE version_id = %s", [first])
        assert waiting.result()
        settings = ledger.rating_settings(connection, claims[1].league_id)
        lines = connection.execute(
            """
            SELECT mu_before, sigma_before, mu_after, sigma_after FROM ledger
            JOIN seats USING (match_id, version_id) WHERE match_id = %s ORDER BY seat
            """,
            [claims[1].match_id],
        ).fetchall()
    before = [Rating(*line[:2]) for line in lines]
    assert settings.tau == 5
    assert [Rating(*line[2:]) for line in lines] == list(model_of(settings).rate(before[0], before[1], 0))
