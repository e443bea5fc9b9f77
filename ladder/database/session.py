"""How a session with PostgreSQL is opened, so that both ends notice within half a minute when the other one is gone.

How this works. A machine without power, or a network that is cut, says no goodbye: without probes a session with it
stands for hours. So both ends send TCP keepalives when nothing has come for a while, and give up on what the other end
does not acknowledge. Our end is set when the session is opened, PostgreSQL's end by settings of the session. On a Unix
socket both mean nothing, and do no harm.

How values are read must not depend on whose terminal it is: the environment (PGDATESTYLE, PGOPTIONS) may say how dates
look and where tables are looked for. So a session of our own says it itself. Only an address goes before, by its
`options`.

A pooler in transaction mode (pgbouncer's `pool_mode = transaction`) gives a client another session for each
transaction. There a setting would stay behind for strangers, a prepared statement would be looked for where it is not,
and the lock that says that a worker lives would be lost. So LADDER_DATABASE_URL may name such a pooler only
where LADDER_DATABASE_SESSION_URL names a way to sessions of our own. Only what fits into a transaction goes by the
pooler then.
"""

import os
from collections.abc import Mapping
from typing import Any

from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Composed

from engine.machine import patience_s
from ladder.settings import POOLED_URL, SESSION_URL, require_tls

CONNECT_TIMEOUT_S = 5
CHECKED_MODES = frozenset({"verify-ca", "verify-full"})
"""The values of `sslmode` with which libpq looks whose certificate it is."""
KEEPALIVE_IDLE_S = 10
KEEPALIVE_INTERVAL_S = 5
KEEPALIVE_COUNT = 3
GONE_AFTER_S = KEEPALIVE_IDLE_S + KEEPALIVE_INTERVAL_S * KEEPALIVE_COUNT
"""The other end counts as gone when nothing was heard of it for so long."""

OUR_END: Mapping[str, int] = {
    "keepalives": 1,
    "keepalives_idle": KEEPALIVE_IDLE_S,
    "keepalives_interval": KEEPALIVE_INTERVAL_S,
    "keepalives_count": KEEPALIVE_COUNT,
    "tcp_user_timeout": 1000 * GONE_AFTER_S,
}
"""By libpq's names. An address that names one of them goes before."""
SERVERS_END: Mapping[str, int] = {
    "tcp_keepalives_idle": KEEPALIVE_IDLE_S,
    "tcp_keepalives_interval": KEEPALIVE_INTERVAL_S,
    "tcp_keepalives_count": KEEPALIVE_COUNT,
    "tcp_user_timeout": 1000 * GONE_AFTER_S,
}

SEARCH_PATH = '-c search_path="$user",public'
"""Said when a session is opened, where PGOPTIONS may say another one: with the first query, it would not hold for this
query yet. Only then, as a pooler takes no options."""
HOW_VALUES_LOOK: Mapping[str, str] = {"DateStyle": "ISO", "IntervalStyle": "postgres", "extra_float_digits": "1"}
"""As the driver reads them, and numbers with all their digits."""


def goes_through_pooler(database_url: str) -> bool:
    """Say whether this address may lead to another session for each transaction: there is a direct one beside it."""
    return bool(os.environ.get(SESSION_URL)) and database_url == os.environ.get(POOLED_URL)


def session_url(database_url: str) -> str:
    return os.environ[SESSION_URL] if goes_through_pooler(database_url) else database_url


def connecting(database_url: str, application_name: str = "ladder") -> dict[str, Any]:
    """Return what psycopg connects with beside the address. Raises ProgrammingError; UsageFault without needed TLS."""
    named = conninfo_to_dict(database_url)
    hosts = str(named.get("host") or named.get("hostaddr") or os.environ.get("PGHOST") or "")
    require_tls(
        POOLED_URL if database_url == os.environ.get(POOLED_URL) else SESSION_URL,
        is_safe=all(not host or host.startswith("/") for host in hosts.split(","))
        or (named.get("sslmode") or os.environ.get("PGSSLMODE")) in CHECKED_MODES,
        example="postgresql://USER@HOST/DATABASE?sslmode=verify-full&sslrootcert=FILE",
    )
    options: dict[str, Any] = {name: value for name, value in OUR_END.items() if name not in named}
    timeout_s = round(patience_s(CONNECT_TIMEOUT_S))
    if "connect_timeout" not in named:  # of an address with several hosts it holds for each
        options["connect_timeout"] = timeout_s
    options |= {"application_name": application_name, "client_encoding": "utf8"}
    if goes_through_pooler(database_url):
        options["prepare_threshold"] = None  # never: the next transaction may be in another session
    elif os.environ.get("PGOPTIONS"):
        options["options"] = f"{os.environ['PGOPTIONS']} {SEARCH_PATH} {named.get('options') or ''}".strip()
    return options


def settings_of_a_session(*besides: SQL) -> Composed:
    """Return the query that sets what a session of our own says itself, and gives these values besides."""
    values = {**SERVERS_END, **HOW_VALUES_LOOK}
    calls = [SQL("set_config({}, {}, false)").format(name, str(value)) for name, value in values.items()]
    return SQL("SELECT {}").format(SQL(", ").join([*besides, *calls]))
