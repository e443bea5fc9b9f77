"""How a figure is taken, and how it looks."""

import statistics
import sys
import time
from collections.abc import Callable


def median_ms(work: Callable[[], object], times: int) -> float:
    """Return how long something takes in the middle, in milliseconds."""
    taken: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return 1000 * statistics.median(taken)


def line(what: str, figure: str | float, unit: str, words: str = "") -> str:
    number = figure if isinstance(figure, str) else f"{figure:,.1f}" if figure < 1000 else f"{figure:,.0f}"
    return f"{what:28} {number:>9} {unit:11} {words}".rstrip()


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()
