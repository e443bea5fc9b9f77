"""What is kept of matches that were played, and for how long: settings of the environment, alike for all workers.

LADDER_STDERR_DAYS        what bots write to stderr is kept for so many days (default 90), or `forever`
LADDER_RECORD_DAYS        the record of a match's turns likewise (default forever)
LADDER_KEEP_NEWEST        both are kept of so many of each version's latest matches (default 100)
LADDER_STDERR_MB_PER_DAY  so many megabytes are kept of what a player's bots write on a day, packed (default 200)
LADDER_ARTEFACTS_MB       so many megabytes of built bots are kept in the database (default 5000)
LADDER_ARCHIVE            a folder that has each match whole before anything of it is let go (default none)

How this works. Whatever somebody asked for, and whatever was decided by a fault or taken back, is kept LONGER times as
long. Nothing is let go of a gauntlet that is not over, as it may be read for its verdict.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.settings import number_up_to

STDERR_DAYS, RECORD_DAYS = "LADDER_STDERR_DAYS", "LADDER_RECORD_DAYS"
NEWEST, STDERR_MB = "LADDER_KEEP_NEWEST", "LADDER_STDERR_MB_PER_DAY"
ARTEFACTS_MB, ARCHIVE = "LADDER_ARTEFACTS_MB", "LADDER_ARCHIVE"
MEGABYTE = 1_000_000
FOREVER = "forever"
LONGER = 4
MOST = 1_000_000
"""Of any of these numbers."""


@immutable
class Retention:
    """For how many days stderr and records are kept, None: for ever. `newest`: matches of each version, kept anyway."""

    stderr_days: int | None = 90
    record_days: int | None = None
    newest: int = 100
    stderr_mb_per_day: int = 200
    artefacts_mb: int = 5000
    archive: Path | None = None


def retention_from(environment: Mapping[str, str] = os.environ) -> Retention:
    usual = Retention()
    return Retention(
        stderr_days=days_in(environment, STDERR_DAYS, usual.stderr_days),
        record_days=days_in(environment, RECORD_DAYS, usual.record_days),
        newest=number_in(environment, NEWEST, usual.newest),
        stderr_mb_per_day=number_in(environment, STDERR_MB, usual.stderr_mb_per_day),
        artefacts_mb=number_in(environment, ARTEFACTS_MB, usual.artefacts_mb),
        archive=folder_in(environment, ARCHIVE),
    )


def folder_in(environment: Mapping[str, str], name: str) -> Path | None:
    word = environment.get(name)
    if word and not word.startswith("/"):
        raise UsageFault(f"{name} is {word!r}; it must be the full path of a folder, as each worker runs in its own")
    return Path(word) if word else None


def days_in(environment: Mapping[str, str], name: str, usual: int | None) -> int | None:
    if environment.get(name) == FOREVER:
        return None
    return number_in(environment, name, usual, f", or `{FOREVER}`") if environment.get(name) else usual


def number_in(environment: Mapping[str, str], name: str, usual: int | None, otherwise: str = "") -> int:
    return number_up_to(MOST, name, environment.get(name) or str(usual), otherwise)
