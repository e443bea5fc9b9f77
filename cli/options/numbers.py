"""How large numbers on the command line may be: such as a machine and PostgreSQL can work with."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from math import isfinite, nan
from typing import Annotated, Any

import typer

from engine.errors import UsageFault
from ladder import row_limits
from ladder.ids import LARGEST_ID
from ladder.row_limits import require_moment
from ladder.settings import LARGEST_PORT, USUAL_PORT

MOMENTS = ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"]


def by_this_clock(typed: datetime) -> datetime:
    """Return a moment that was typed with its zone. Raises UsageFault for one that nothing can be planned for."""
    require_moment(typed)
    return typed.astimezone()


MOST_BATTLES = 1000
TOP, LARGEST_TOP = 10, 100
"""How many play a last series on each board, where nobody says it, and at most."""
SeriesOption = Annotated[
    int | None,
    typer.Option("--series", min=1, max=MOST_BATTLES, help="Battles for each of the top of every board, at last."),
]
TopOption = Annotated[
    int | None,
    typer.Option("--top", min=2, max=LARGEST_TOP, help=f"How many play the series on each board. [default: {TOP}]"),
]
SMALLEST_SEED, LARGEST_SEED = -(2**63), 2**63 - 1
LISTS = {"match": "match list", "gauntlet": "gauntlet list", "request": "match requests"}
"""The commands that list things with a number."""
MOST_ROWS = row_limits.MOST_ROWS
"""Of a list or board."""
MOST_MATCHES = 1_000_000
"""Of a series that is played here."""
MOST_TURNS = 1_000_000
"""Of a match."""
MOST_PAIRS = 1_000_000_000
"""Of one outcome."""
MOST_JOBS = 1024
"""Processes at once."""
MOST_OWN_BATTLES = 100_000
"""Of one version, as in league files."""
LARGEST_TAU = 10_000
"""Likewise."""
LARGEST_LIMIT_MS = 60_000
"""Of time, for one answer, as in league files."""
MOST_REASON_CHARS = 500


def finite(number: float) -> float:
    """Return an option's number. Raises typer.BadParameter for nan and inf."""
    if not isfinite(number):
        raise typer.BadParameter(f"{number} is not a finite number.")
    return number


def real_option(name: str, least: float, most: float, about: str) -> Any:
    """Make an option that takes a real number within bounds; of everything else it says the same: what it must be."""
    return typer.Option(name, min=least, max=most, parser=real_within(least, most), metavar="<float range>", help=about)


def real_within(least: float, most: float) -> Callable[[str], float]:
    """Return what reads such a number. Typer's own bounds call nan too large."""

    def read(word: str) -> float:
        try:
            number = float(word)
        except ValueError:
            number = nan
        if not least <= number <= most:
            raise typer.BadParameter(f"{word} must be a number from {least:g} to {most:g}.")
        return number

    return read


def id_argument(of: str, about: str = "") -> Any:
    """Make an argument that is the number of a thing, such as a match. `of`: what it is called; `about`: its help."""
    return typer.Argument(help=about or f"The {of}'s number.", parser=id_of(of), metavar=of, show_default=False)


def id_option(*names: str, of: str, about: str) -> Any:
    """Make an option that is the number of a thing; see `id_argument`."""
    return typer.Option(*names, parser=id_of(of), metavar="<int>", help=about)


def id_of(of: str) -> Callable[[str], int]:
    """Return what reads such a number. Raises UsageFault for a word that is none."""

    def read(word: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]+", word):
            raise UsageFault(f"{word!r} is no {of} number; `ladder {LISTS[of]}` lists them")
        number = int(word[:30])
        if not 0 < number <= LARGEST_ID:
            raise UsageFault(f"{word} cannot be a {of} number: they go from 1 to {LARGEST_ID}")
        return number

    return read


def seed_number(number: int | None) -> int | None:
    """Return an option's seed. Raises typer.BadParameter where it does not fit 64 bits."""
    if number is not None and not SMALLEST_SEED <= number <= LARGEST_SEED:
        raise typer.BadParameter(f"the seed {number} is not a signed 64-bit number.")
    return number


def pair_counts(counts: list[int]) -> list[int]:
    """Return counts of pairs. Raises typer.BadParameter for more than floating-point numbers can count."""
    for count in counts:
        if count > MOST_PAIRS:
            raise typer.BadParameter(f"{count} pairs are more than the {MOST_PAIRS:,} that can be reckoned with.")
    return counts


def reason_in(why: str) -> str:
    """Return the words of --why in one line. Raises UsageFault where there are none, or too many."""
    reason = " ".join(why.split())
    if not reason:
        raise UsageFault("--why is empty: say in a sentence why it does not count")
    if len(reason) > MOST_REASON_CHARS:
        raise UsageFault(f"--why has {len(reason):,} characters, the limit is {MOST_REASON_CHARS}")
    return reason


Port = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=0,
        max=LARGEST_PORT,
        help="The port of the pages; if it is taken, the next free one of twenty, but a served ladder refuses then. "
        f"[default: that in LADDER_WEB_PORT, else {USUAL_PORT}]",
    ),
]
