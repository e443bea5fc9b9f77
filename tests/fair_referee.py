"""A part of `make fair`: bots that use 45 of their 50 ms in matches that a referee in Java leads, beside busy programs.

The referee is a JVM, which has threads of its own and is not stopped while bots have their turns. What it does then
must not be on their clocks. As in the rest of the experiment, a bot that finds by its own CPU clock that a turn took
more than it computed says so on stderr, and that turn is void.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from engine.conversation import Verdict
from engine.errors import HostBusy, MissingTool
from engine.game import Game
from engine.live import play
from engine.match import MatchResult, MatchSpec, stderr_of_turns
from engine.referees.program import ALL_RULES
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from engine.toolchains.program import Program
from tests.fair import FAST_MS, MOST_CORES, Row, Taken, Work, busy_programs, row_of
from tests.fair_bots import STALL_MS
from tests.referees.as_game import as_game
from tests.referees.compiled import referees
from tests.throwaway import in_memory_or_tmp

ROUNDS = 20
"""Of a match: each has two turns."""
BOT = r"""
#include <stdio.h>
#include <time.h>

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

int main(void) {
    char line[4096];
    int seat, seats, bushes, count;
    if (scanf("%d %d %d %d %*[^\n] ", &seat, &seats, &bushes, &count) != 4) return 1;
    for (double before = cpu_ms();; before = cpu_ms()) {
        for (int number = 0; number < seats + 2; number++)
            if (!fgets(line, sizeof line, stdin)) return 0;
        for (double end = cpu_ms() + COMPUTED_MS; cpu_ms() < end;) { }
        if (cpu_ms() - before > COMPUTED_MS + STALL_MS) fprintf(stderr, "void\n");
        printf("PICK %d\n", seat);
        fflush(stdout);
    }
}
""".replace("COMPUTED_MS", str(FAST_MS)).replace("STALL_MS", str(STALL_MS))


def rows(loads: tuple[int, ...], turns: int) -> Iterator[Row]:
    """Let the bots take at least this many turns at each load, and give how they were judged. Raises MissingTool."""
    sandbox = open_sandbox()
    bot = build(BOT, find_language("c"), sandbox)
    cores = set(sorted(os.sched_getaffinity(0))[:MOST_CORES])
    with tempfile.TemporaryDirectory(dir=in_memory_or_tmp()) as folder:
        Path(folder).chmod(0o755)
        try:
            game = as_game(Path(folder) / "game", referees(), {"rounds": ROUNDS})
        except FileNotFoundError as error:
            raise MissingTool(f"{error.filename} is missing: no referee in Java can be compiled") from error
        for load in loads:
            with busy_programs(load, cores):
                taken = list(taken_in_matches(game, bot, turns))
            yield replace(row_of(Work(FAST_MS), load, taken), bot=f"{FAST_MS} computed, Java referee")


def taken_in_matches(game: Game, bot: Program, turns: int) -> Iterator[Taken]:
    """Play matches until this many turns have been taken, and give them."""
    left = turns
    for seed in range(1, 10 * turns):
        with suppress(HostBusy):  # such a match is played again
            result = play(MatchSpec(game, ALL_RULES, seed), [bot, bot], open_sandbox())
            yield from taken_in(result)
            left -= len(result.turns)
        if left <= 0:
            return


def taken_in(result: MatchResult) -> Iterator[Taken]:
    """Give the turns of a match but the first of each seat, which has another limit."""
    verdicts = [verdict.verdict for verdict in result.outcome.verdicts]
    complaints = stderr_of_turns(result.turns, dict(enumerate(result.stderr)))
    for turn, complaint in list(zip(result.turns, complaints, strict=True))[2:]:
        is_lost = turn.line is None and verdicts[turn.seat] is Verdict.TIMEOUT
        yield Taken(turn.spent, is_lost, is_void=bool(complaint))
