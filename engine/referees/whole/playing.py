"""One match that a command plays: the command, the bots that it starts and all their files in one box.

How this works. The box has no network and ends with the match, as every box does. But unlike others it may start
processes and write to its /tmp, and the bots are in it together: they see each other, and could end each other. A
cgroup holds all of them within one limit on memory and threads, so no other tier will do. The whole match has a limit
of time, from which waits for a busy host are taken. What goes wrong is the command's fault, as it judges the bots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.bot.conditions import Conditions
from engine.bot.exits import describe_exit
from engine.boxes.limits import Limits
from engine.boxes.tiers import CGROUP
from engine.conversation import Outcome
from engine.errors import RefereeFault, Refused
from engine.referees.evidence import Tail
from engine.referees.notes import Notes
from engine.referees.process import THREADS, box_of, quoted_end
from engine.referees.setup import MatchSetup
from engine.referees.whole.printed import read_printed
from engine.referees.whole.starters import homes, write_starters
from engine.referees.whole.words import FOLDER, filled
from engine.sandbox.box import Box, Sandbox
from engine.sandbox.run_to_end import Finished, run_to_end
from engine.sandbox.usage.budget import Budget
from engine.toolchains.program import Program
from engine.workspace import open_workspace

PATIENCE = 4
"""A match may last this many times as long as its limit where the host is so busy that it waits for most of that."""
OUTPUT_KB = 1024
STDERR_KB = 64
KEPT_CHARS = 4_000
MOST_JSON_CHARS = 100_000
SHARED = 2
"""The cgroup keeps the limit on memory; sums over processes, which count what they share more than once, come after."""


@dataclass(frozen=True, slots=True)
class WholeMatch:
    """What came of a match that a command played."""

    outcome: Outcome
    notes: Notes


def require_tier(name: str, sandbox: Sandbox) -> None:
    """Raise Refused where the sandbox cannot hold the command together with the bots."""
    if sandbox.name != CGROUP:
        raise Refused(
            f"{name} needs the sandbox {CGROUP}, as its command starts the bots itself, and the one here is "
            f"{sandbox.name}: `ladder doctor` says what would help"
        )


def play_whole(setup: MatchSetup, programs: Sequence[Program], sandbox: Sandbox, conditions: Conditions) -> WholeMatch:
    """Let the command play a match with these bots, one for each seat.

    Raises RefereeFault with the evidence, HostBusy, SandboxFault, MissingTool where what the command needs is not here,
    UsageFault for a seed that it cannot take.
    """
    setup.require_seed_in_range()
    limit_s = setup.program.bounds.match_s
    with open_workspace().scratch() as scratch:
        write_starters(scratch, setup.program.command, programs)
        box = whole_box(setup, programs, conditions, scratch)
        finished = run_to_end(
            sandbox,
            box,
            wall_limit_s=PATIENCE * limit_s,
            output_kb=STDERR_KB,
            stdout_kb=OUTPUT_KB,
            budget=Budget(limit_s, SHARED * box.limits.memory_mb),
        )
    try:
        require_success(finished, limit_s, box.limits.memory_mb)
        printed = read_printed(
            finished.stdout.decode("utf-8", "replace"),
            setup.players,
            negative_is_fault=setup.program.negative_score_is_fault,
        )
    except RefereeFault as fault:
        fault.evidence = evidence(finished)
        raise
    said = finished.stderr.decode("utf-8", "replace")[:KEPT_CHARS]
    notes = Notes(metadata=printed.text[:MOST_JSON_CHARS], stray=said, metrics=printed.metrics)
    return WholeMatch(printed.outcome, notes)


def whole_box(setup: MatchSetup, programs: Sequence[Program], conditions: Conditions, starters: Path) -> Box:
    """Return the box of a match: the command in it, the bots beside, and memory and threads for all of them."""
    own, each = box_of(setup.program), conditions.limits
    limits = Limits(
        memory_mb=setup.program.memory_mb + len(programs) * each.memory_mb,
        threads=THREADS + len(programs) * each.threads,
        open_files=each.open_files,
        file_size_mb=each.file_size_mb,
    )
    paths = dict.fromkeys([*own.extra_paths, *(path for program in programs for path in program.extra_paths)])
    return Box(
        command=filled(setup.program.command, setup.seed, setup.players),
        folder=own.folder,
        limits=limits,
        writable=True,
        extra_paths=tuple(paths),
        environment=own.environment,
        compiles=True,
        shared_memory=True,
        beside={FOLDER: starters, **homes(programs)},
    )


def require_success(finished: Finished, limit_s: float, memory_mb: int) -> None:
    """Raise RefereeFault unless the command ended well, within its limits."""
    if finished.too_much_memory:
        raise RefereeFault(f"the command and its bots used more than the {memory_mb} MB of memory that a match has")
    if finished.too_many_files:
        raise RefereeFault("the command and its bots made too many files")
    if finished.timed_out:
        raise RefereeFault(f"the match was not over within the {limit_s} s that it may last (`match_s` in game.toml)")
    if finished.exit_code != 0:
        last = quoted_end(finished.stderr.decode("utf-8", "replace").splitlines())
        raise RefereeFault(f"the command failed: {describe_exit(finished.exit_code)}{last}")
    if len(finished.stdout) >= OUTPUT_KB * 1024:
        raise RefereeFault(f"the command printed more than {OUTPUT_KB} kB")


def evidence(finished: Finished) -> str:
    """Write down how the command ended, and what it said."""
    said, complaints = Tail(), Tail()
    said.add(finished.stdout)
    complaints.add(finished.stderr)
    parts = (
        describe_exit(finished.exit_code),
        complaints.titled("what it wrote to stderr"),
        said.titled("what it said"),
    )
    return "\n".join(parts)
