"""How long a large ladder of before accounts is migrated to the newest schema; nothing is played meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator

from ladder.database.connection import connect, one
from ladder.database.migrate import migrate, migrations
from tests.bench.full_ladder import QUICK, VERSIONS, a_server, change_settings
from tests.bench.report import line
from tests.old_schema import BEFORE_ACCOUNTS, fill_old, take_back

MATCHES = 1_000_000


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    with a_server() as database_url:
        with connect(database_url, autocommit=True, any_schema=True) as connection:
            change_settings(connection, QUICK)
            take_back(connection, BEFORE_ACCOUNTS)
            fill_old(connection, VERSIONS, MATCHES)
            assert one(connection, "SELECT count(*) FROM seats", {})[0] == 2 * MATCHES
            change_settings(connection, dict.fromkeys(QUICK, "DEFAULT"))
            connection.execute("CHECKPOINT")
        began = time.perf_counter()
        done = migrate(database_url)
        taken = time.perf_counter() - began
    assert [one.number for one in done] == [one.number for one in migrations() if one.number > BEFORE_ACCOUNTS]
    words = f"{VERSIONS:,} versions, {MATCHES:,} matches, schema {BEFORE_ACCOUNTS} to {done[-1].number}; aim: under 60"
    yield line("a migration", taken, "s", words)
