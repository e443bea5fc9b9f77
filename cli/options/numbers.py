"""How large numbers on the command line may be: such as a machine and PostgreSQL can work with."""

import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from math import isfinite, nan
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.answer import argument, option
from engine.errors import UsageFault
from engine.machine import bytes_of
from engine.text import shortened
from ladder.ids import LARGEST_ID
from ladder.row_limits import DRAWN_SEEDS, LARGEST_TOP, MOST_BATTLES, MOST_ROWS, TOP, require_moment
from ladder.settings import LARGEST_PORT, USUAL_PORT

LARGEST = 2**63
"""Seeds are signed 64-bit numbers: from -LARGEST to LARGEST - 1."""
NO_FORM = "is neither a range as in 1..200, nor a list as in 1,2,3, nor a"
MOST_SEEDS = 1_000_000
"""Of one --seeds."""
NUMBER = re.compile(r"[+-]?[0-9]+")
RANGE = re.compile(rf"(?P<first>{NUMBER.pattern})\s*\.\.\s*(?P<last>{NUMBER.pattern})")
PART = rf"\s*{NUMBER.pattern}\s*(\.\.\s*{NUMBER.pattern}\s*)?"
LIST = re.compile(rf"{PART}(,{PART})*")


def seed_or_drawn(seed: int | None) -> int:
    return secrets.choice(DRAWN_SEEDS) if seed is None else seed


def following_seed(seed: int, steps: int) -> int:
    """Return the seed this many further, wrapping around as 64-bit numbers do."""
    return (seed + steps + LARGEST) % (2 * LARGEST) - LARGEST


def read_seeds(words: str) -> tuple[int, ...]:
    """Read `1..200`, `1,2,3` or a file with a seed or range a line, `#` for comments. Raises UsageFault."""
    seeds: dict[int, None] = {}
    for word, where in words_in(words):
        for seed in seeds_in(word, where):
            if seed in seeds:
                raise UsageFault(f"{where}the seed {seed} comes a second time")
            seeds[seed] = None
            if len(seeds) > MOST_SEEDS:
                raise UsageFault(f"{where}there are more than {MOST_SEEDS:,} seeds; that is the limit")
    if not seeds:
        raise UsageFault(f"--seeds: there is no seed in {words}")
    return tuple(seeds)


def words_in(words: str) -> Iterator[tuple[str, str]]:
    """Give each seed or range of a list, or of a file, and where it stands."""
    if LIST.fullmatch(words):
        return ((word.strip(), "--seeds: ") for word in words.split(","))
    path = Path(words)
    lines = ((line.partition("#")[0].strip(), number) for number, line in enumerate(text_of(path).splitlines(), 1))
    return ((word, f"--seeds: {path}, line {number}: ") for word, number in lines if word)


def seeds_in(word: str, where: str) -> Iterable[int]:
    """Read one seed, or a range of them. Raises UsageFault, beginning with `where`."""
    if (ends := RANGE.fullmatch(word)) is None:
        return [seed_in(word, where)]
    first, last = seed_in(ends["first"], where), seed_in(ends["last"], where)
    if first > last:
        raise UsageFault(f"{where}{first}..{last} is empty: the lower seed comes first, as in {last}..{first}")
    return range(first, last + 1)


def text_of(path: Path) -> str:
    try:
        return bytes_of(path).decode("utf-8-sig")
    except OSError as error:
        raise UsageFault(f"--seeds {path} {NO_FORM} file to read: {error.strerror}") from error
    except ValueError as error:  # not UTF-8, or a name that no file can have
        raise UsageFault(f"--seeds {path} {NO_FORM} text file") from error


def seed_in(word: str, where: str) -> int:
    """Read one seed. Raises UsageFault, beginning with `where`."""
    begin = f"{where}{word if len(word) <= 40 else f'{word[:40]}...'}"
    if not NUMBER.fullmatch(word):
        raise UsageFault(f"{begin} is not a seed; write one whole number, or a range as in 1..200, in each line")
    if len(word) > 20 or not -LARGEST <= int(word) < LARGEST:
        raise UsageFault(f"{begin} is not a signed 64-bit number")
    return int(word)


def moment_option(name: str, about: str) -> Any:
    """Make an option that takes a moment: by this machine's clock, unless it says its zone."""

    def read(word: str) -> datetime:
        try:
            moment = datetime.fromisoformat(word)
        except ValueError as error:
            words = "a day or time such as 2026-11-30 or 2026-11-30T18:00"
            raise UsageFault(f"{name} is {shortened(word)!r}; it must be {words}") from error
        require_moment(moment)
        return moment.astimezone()

    return option(name, about, parser=read, metavar="<time>")


SERIES = "Battles for each of the top of every board, at last."
SeriesOption = Annotated[int | None, option("--series", SERIES, min=1, max=MOST_BATTLES)]
PLAYERS = f"How many play the series on each board. [default: {TOP}]"
TopOption = Annotated[int | None, option("--top", PLAYERS, min=2, max=LARGEST_TOP)]
LISTS = {
    "match": "match list",
    "gauntlet": "gauntlet list",
    "request": "match requests",
    "share": "match shares",
    "hook": "hooks list",
    "question": "contest questions",
}
"""The commands that list things with a number."""
LimitOption = Annotated[int, option("--limit -n", "How many, the latest first.", min=1, max=MOST_ROWS)]
MOST_MATCHES = MOST_TURNS = 1_000_000
"""Of a series that is played here; of a match."""
MOST_PAIRS = 1_000_000_000
"""Of one outcome."""
MOST_JOBS = 1024


def jobs_option(what: str = "Matches at once") -> Any:
    return option("--jobs -j", f"{what}; 0 is one per core.", min=0, max=MOST_JOBS)


MOST_OWN_BATTLES, LARGEST_TAU, LARGEST_LIMIT_MS = 100_000, 10_000, 60_000
"""Battles of one version, tau, time for one answer, as in league files."""
MOST_REASON_CHARS = 500


def finite(number: float) -> float:
    if not isfinite(number):
        raise typer.BadParameter(f"{number} is not a finite number.")
    return number


def real_option(name: str, least: float, most: float, about: str) -> Any:
    """Make an option that takes a real number within bounds; of everything else it says the same: what it must be.

    Typer's own bounds call nan too large.
    """

    def read(word: str) -> float:
        try:
            number = float(word)
        except ValueError:
            number = nan
        if not least <= number <= most:
            raise typer.BadParameter(f"{word} must be a number from {least:g} to {most:g}.")
        return number

    return typer.Option(name, min=least, max=most, parser=read, metavar="<float range>", help=about)


def id_argument(of: str, about: str = "") -> Any:
    return argument(about or f"The {of}'s number.", parser=id_of(of), metavar=of)


def id_option(*names: str, of: str, about: str) -> Any:
    return typer.Option(*names, parser=id_of(of), metavar="<int>", help=about)


def id_of(of: str) -> Callable[[str], int]:
    def read(word: str) -> int:
        if not re.fullmatch(r"[+-]?[0-9]+", word):
            raise UsageFault(f"{word!r} is not a {of} number; `ladder {LISTS[of]}` lists them")
        number = int(word[:30])
        if not 0 < number <= LARGEST_ID:
            raise UsageFault(f"{word} cannot be a {of} number: they go from 1 to {LARGEST_ID}")
        return number

    return read


def seed_number(number: int | None) -> int | None:
    if number is not None and not -LARGEST <= number < LARGEST:
        raise typer.BadParameter(f"the seed {number} is not a signed 64-bit number.")
    return number


seed_option = partial(option, "--seed -s", callback=seed_number)


def pair_counts(counts: list[int]) -> list[int]:
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


PORT = "The port of the pages; if it is taken, the next free one of twenty, but a served ladder refuses then."
DEFAULT_PORT = f"[default: that in LADDER_WEB_PORT, else {USUAL_PORT}]"
Port = Annotated[int | None, option("--port", f"{PORT} {DEFAULT_PORT}", min=0, max=LARGEST_PORT)]
