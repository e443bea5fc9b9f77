"""Matches on this machine, several at once and with no services: what `ladder play` and local gauntlets share.

How this works. Each process plays one match after another and opens its sandbox once. Results are given in the order
of the tasks however many processes there are, so what comes of them does not depend on that. A task is taken when a
process is free for it and somebody wants results, so a series can be as long as it likes and ends when they are not
wanted any more.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import engine
from engine import sandbox, toolchains
from engine.cores import holders
from engine.errors import BoxNotBuilt, BuildRefused, HostBusy, LimitsTooLow, NoBotUser, SandboxFault
from engine.immutable import immutable
from engine.sandbox.watchdog import dismiss_our_watch
from engine.text import listed
from engine.toolchains.source import called_by_its_author

if TYPE_CHECKING:
    from engine.bot.conditions import Conditions
    from engine.match import MatchResult, MatchSpec, Script
    from engine.sandbox.box import Sandbox
    from engine.toolchains.given_bot import OwnProgram
    from engine.toolchains.languages import Language
    from engine.toolchains.program import Program
    from engine.toolchains.source import Source

MOST_TRIES = 3
"""A match for which the host is too busy, or whose sandbox breaks, is played again, at most twice more."""


@immutable
class Task:
    spec: MatchSpec
    programs: tuple[Program | None, ...]
    scripts: tuple[Script, ...] = ()


@immutable
class PlaySettings:
    """Under which conditions tasks are played. `jobs`: matches at once; `tier`: of the sandbox, None for the usual."""

    conditions: Conditions
    jobs: int
    tier: str | None = None


@immutable
class UnplayedTask:
    """A match that is void because the host was too busy, or its sandbox broke, every time. No bot loses."""

    why: str


@immutable
class PlayedTask:
    """What came of a task. `starved`: how often it had to be given up because the host was too busy."""

    result: MatchResult | UnplayedTask
    starved: int


def jobs_or_all_cores(jobs: int) -> int:
    return jobs or len(os.sched_getaffinity(0))


@cache
def opened(tier: str | None) -> Sandbox:
    return sandbox.choice.open_sandbox(tier)


def build_file(word: str | Path, source_chars: int, tier: str | None) -> Program:
    bot = toolchains.given_bot.read_bot(word, source_chars)
    return built(bot.content, bot.language, tier, bot.name)


def built(content: Source | OwnProgram, language: Language, tier: str | None, file: str = "") -> Program:
    """`file`: as the compiler is to call a single source. Raises BuildRefused, MissingTool, UsageFault."""
    if isinstance(content, toolchains.given_bot.OwnProgram):
        return toolchains.given_bot.mount_program(content)
    try:
        return toolchains.build.build(content, language, opened(tier), on_waiting=on_waiting)
    except BuildRefused as refusal:
        if isinstance(content, str):
            refusal.output = called_by_its_author(refusal.output, language.source, file)
        raise


def in_order(tasks: Iterable[Task], settings: PlaySettings) -> Generator[PlayedTask, None, None]:
    """Give what came of the matches in the order of the tasks. Raises as playing, and ArenaError."""
    work = partial(play_one, settings=settings)
    return engine.parallel.in_processes(work, tasks, settings.jobs, tidy=dismiss_our_watch)


def play_one(task: Task, settings: PlaySettings) -> PlayedTask:
    """Repeat it where the host is too busy or its sandbox breaks. Raises SandboxFault where no box can be made."""
    why, starved = "", 0
    for _ in range(MOST_TRIES):
        try:
            match = task.spec, task.programs, opened(settings.tier), settings.conditions
            return PlayedTask(engine.live.play(*match, scripts=task.scripts, on_waiting=on_waiting), starved)
        except (BoxNotBuilt, LimitsTooLow, NoBotUser):
            raise  # no other match can be played here either
        except SandboxFault as fault:
            why = str(fault)
            starved += isinstance(fault, HostBusy)
    return PlayedTask(UnplayedTask(why), starved)


@cache
def on_waiting() -> None:
    """Once per process, say why nothing happens, and what would change that."""
    whose = listed(holders()) or "others"
    sys.stderr.write(
        f"ladder: other matches hold every core: {whose}; this one comes when one of them ends, in the order of "
        "asking. Ending what holds them lifts that, for a ladder's workers `ladder down`\n"
    )
