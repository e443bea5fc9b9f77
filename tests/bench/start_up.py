"""How long a person waits for the program to say anything."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.report import line

LADDER = Path(sys.executable).with_name("ladder")
RUNS = 15


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    yield line("ladder --help", help_ms(), "ms", f"median of {RUNS}; aim: under 150")


def help_ms() -> float:
    """Return how long `ladder --help` takes, in milliseconds."""
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        subprocess.run([LADDER, "--help"], check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)
