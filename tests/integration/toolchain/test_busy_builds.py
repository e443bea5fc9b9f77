"""Builds on a host that is busy, and builds that would keep it busy: what they are charged, and where they run."""

import dataclasses
import os
from contextlib import suppress
from pathlib import Path

import pytest

from engine.boxes import Limits
from engine.cores import FOLDER, core_for_a_match, try_lock
from engine.errors import BuildRefused, HostBusy
from engine.sandbox.box import Box, BoxedProcess, Sandbox
from engine.sandbox.budget import Budget
from engine.sandbox.run_to_end import Finished, run_to_end
from engine.series import MOST_TRIES
from engine.toolchains.build import BUILD_THREADS, build
from engine.toolchains.languages import Language
from engine.toolchains.program import Program
from engine.workspace import open_workspace
from tests.fair import busy_programs
from tests.integration.toolchain.conftest import HELLO, Counting, output_of

COMPUTING = "python3 -c 'import time\nwhile time.process_time() < 0.6: pass'\n"
"""A compiler that computes for 0.6 s."""
BUSY_PROGRAMS = 2
UNSEEN = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        until = time.monotonic() + 0.01
        while time.monotonic() < until: pass
        os._exit(0)
    time.sleep(0.009)
"""
"""Lets others compute for it that nobody waits for, each for a moment."""
HOARD = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        break
filled = b"x" * (40 * 2**20)
time.sleep(600)
"""
"""Four processes that fill 160 MB, each of them 40."""


def hasty(language: Language, build_seconds: int = 20, build_memory_mb: int = 2048) -> Language:
    (way,) = language.toolchains
    limited = dataclasses.replace(way, build_seconds=build_seconds, build_memory_mb=build_memory_mb)
    return dataclasses.replace(language, toolchains=(limited,))


def compiled(sandbox: Sandbox, code: str, *, wall_limit_s: float, budget: Budget) -> Finished:
    box = Box(("python3", "-I", "-S", "-c", code), Path("/usr"), Limits(threads=BUILD_THREADS), compiles=True)
    return run_to_end(sandbox, box, wall_limit_s=wall_limit_s, output_kb=1, budget=budget)


def built_at_last(source: str, language: Language, sandbox: Sandbox) -> Program:
    for _ in range(MOST_TRIES - 1):
        with suppress(HostBusy):
            return build(source, language, sandbox)
    return build(source, language, sandbox)


def test_a_compiler_that_computes_within_its_limit_is_not_refused_on_a_busy_host(
    script: Language, sandbox: Sandbox, one_core: int
) -> None:
    """With two programs beside it 0.6 s take 1.8 s. Where it got too little time it is built again, as by workers."""
    with busy_programs(BUSY_PROGRAMS, {one_core}):
        program = built_at_last(COMPUTING + HELLO, hasty(script, build_seconds=1), sandbox)
    assert output_of(sandbox, program) == "hello\n"


def test_a_compiler_that_sleeps_is_refused_on_a_busy_host(script: Language, sandbox: Sandbox, one_core: int) -> None:
    with (
        busy_programs(BUSY_PROGRAMS, {one_core}),
        pytest.raises(BuildRefused, match="took more than the 1 s that it may"),
    ):
        build("sleep 600", hasty(script, build_seconds=1), sandbox)


def test_where_the_host_leaves_no_time_no_bot_is_at_fault(sandbox: Sandbox, one_core: int) -> None:
    budget = Budget(seconds=600, memory_mb=100)
    with busy_programs(BUSY_PROGRAMS, {one_core}), pytest.raises(HostBusy, match="the host was so busy"):
        compiled(sandbox, "while True: pass", wall_limit_s=1, budget=budget)


def test_what_computes_unseen_does_not_blame_the_host(sandbox: Sandbox, one_core: int) -> None:
    with busy_programs(BUSY_PROGRAMS, {one_core}):
        finished = compiled(sandbox, UNSEEN, wall_limit_s=2, budget=Budget(seconds=1, memory_mb=100))
    assert finished.timed_out


def test_what_many_processes_fill_counts_together(sandbox: Sandbox) -> None:
    finished = compiled(sandbox, HOARD, wall_limit_s=600, budget=Budget(seconds=300, memory_mb=100))
    assert (finished.too_much_memory, finished.timed_out) == (True, False)


def test_a_source_whose_build_fills_memory_by_many_processes_is_refused(script: Language, sandbox: Sandbox) -> None:
    with pytest.raises(BuildRefused, match="took more than the 100 MB of memory that it may"):
        build(f"exec python3 -c '{HOARD}'", hasty(script, build_memory_mb=100), sandbox)


def test_a_build_stays_on_a_core_that_it_holds(script: Language, sandbox: Sandbox) -> None:
    """So no match runs there meanwhile, and what a compiler sets in motion is nowhere else."""

    class Looking(Counting):
        """The real sandbox; it notes on which cores boxes start, and whether others could have those."""

        cores: set[int]
        free: bool

        def start(self, box: Box) -> BoxedProcess:
            self.cores = os.sched_getaffinity(0)
            lock = try_lock(open_workspace().root / FOLDER / str(min(self.cores)))
            self.free = lock is not None
            return super().start(box)

    allowed, looking = os.sched_getaffinity(0), Looking()
    build(HELLO, script, looking)
    assert (len(looking.cores), looking.free) == (1, False)
    assert os.sched_getaffinity(0) == allowed
    with core_for_a_match():
        pass
