"""Whether the clock can be fair here: whether the kernel shows how long a bot has computed, and waited for a core.

What is measured, and how it is judged, is in `engine.sandbox.selftest.clock`. This is a question to the kernel, so
where no box can be made the same two programs, which are ours, run without one.
"""

from __future__ import annotations

from collections.abc import Iterator

from cli.doctor.finding import Finding
from engine.errors import ArenaError
from engine.sandbox.bare import Bare
from engine.sandbox.box import Sandbox
from engine.sandbox.selftest.clock import NOT_FAIR, Sharing, share_a_core
from engine.sandbox.usage.meter import OwnWaits

GROUP = "clock"
REMEDY = "ladder up --workers 1  # and leave a core free: this kernel does not show how long programs wait for one"


def clock(sandbox: Sandbox | None) -> Iterator[Finding]:
    """Measure, and say whether the clock can be fair."""
    try:
        shared = share_a_core(sandbox or Bare())
    except ArenaError as fault:
        yield Finding(GROUP, "fair clock", ok=None, detail=f"not tried: {fault}")
        yield own_waits()
        return
    yield fair_clock(shared, "" if sandbox else "; tried without a sandbox")
    yield own_waits()
    if shared.slices:
        slice_ms = shared.cpu_ns / shared.slices / 1e6
        detail = f"{slice_ms:.1f} ms: as long as that a program has its core before another one gets it"
        yield Finding(GROUP, "time slices", ok=True, detail=detail)


def fair_clock(shared: Sharing, aside: str) -> Finding:
    """Say whether what was measured adds up. `aside`: what else there is to say of how it was."""
    verdict = "a bot is not charged for a busy host" if shared.adds_up else NOT_FAIR
    return Finding(GROUP, "fair clock", ok=shared.adds_up, detail=f"{verdict}; {shared.words}{aside}", remedy=REMEDY)


def own_waits() -> Finding:
    """Check whether the kernel shows the referee's own waits, which are not held against bots either."""
    waits = OwnWaits()
    try:
        shown = waits.waited_ns() > 0
    finally:
        waits.close()
    detail = "are measured, and not charged to a bot" if shown else "are not shown by this kernel"
    return Finding(GROUP, "referee's waits", ok=shown, detail=detail, remedy=REMEDY)
