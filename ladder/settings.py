"""Settings from the environment: the same code serves the embedded services and real servers.

LADDER_DATABASE_URL          a PostgreSQL address; without it the embedded server of `ladder up` is used
LADDER_DATABASE_SESSION_URL  a direct address of the same database, where that one leads to a pooler in transaction mode
LADDER_BROKER_URL            a Redis address; without it the embedded server of `ladder up` is used
LADDER_SOURCE_CHARS          the longest source that is accepted, in characters (default 100,000, as on CodinGame)
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.errors import UsageFault

POOLED_URL = "LADDER_DATABASE_URL"
SESSION_URL = "LADDER_DATABASE_SESSION_URL"


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operator can set. The addresses are None where the embedded services are to be used."""

    database_url: str | None
    broker_url: str | None
    source_chars: int

    def embedded(self) -> Settings:
        """Return the same settings for the embedded services, whatever servers the environment names."""
        return replace(self, database_url=None, broker_url=None)


def where_to_look(variable: str) -> str:
    """Return what to ask somebody whose service does not answer. `variable`: the one that may hold its address."""
    return f"is {variable} right?" if os.environ.get(variable) else "is `ladder up` running?"


def settings_from(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings. Raises UsageFault for one that makes no sense."""
    if environment.get(SESSION_URL) and not environment.get(POOLED_URL):
        raise UsageFault(
            f"{SESSION_URL} is set and {POOLED_URL} is not: the first is a second way to the same database"
        )
    chars = environment.get("LADDER_SOURCE_CHARS", "100000")
    if not chars.isdecimal() or int(chars) == 0:
        raise UsageFault(f"LADDER_SOURCE_CHARS is {chars!r}; it must be a positive number of characters")
    return Settings(
        database_url=environment.get("LADDER_DATABASE_URL") or None,
        broker_url=environment.get("LADDER_BROKER_URL") or None,
        source_chars=int(chars),
    )
