"""One match that a command plays: the command, the bots that it starts and all their files in one box.

How this works. The box has no network and ends with the match. But unlike others it may start processes and write to
its /tmp, and the bots are in it together: they see each other, and could end each other. A cgroup holds all of them
within one limit on memory and threads, so no other tier will do. The whole match has a limit of time, without waits for
a busy host. What goes wrong is the command's fault, as it judges the bots.

A command prints one score for each player, or JSON as other tools take it:

    {"ranks": [0, 1], "errors": [0, 1], "attributes": [{"name": "map", "player": null, "value": "small"}]}
    {"ranks": [0, 1], "errors": [0, 0], "test_data": {"map": "small"}, "player_data": [{"moves": 17}, {}]}
    12 7

Ranks begin with 0, and level players share one. Scores are whole numbers, higher is better, a negative one is a fault.
JSON may have several lines where nothing else is printed; else the last line counts, or as many as there are players.

A bot is built to stand in /bot. Here each has a folder of its own, and the paths in its command and its environment are
changed to it. A script of two lines goes there, sets the environment and becomes the bot.
"""

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from engine.bot.conditions import Conditions
from engine.bot.output import LONGEST_METRIC_WORD, describe_exit, keep_metric
from engine.boxes import BOT_FOLDER
from engine.conversation import OK, Outcome, SeatVerdict, Verdict
from engine.errors import RefereeFault
from engine.referees.notes import SCORES_BELOW, Notes
from engine.referees.process import THREADS, MatchSetup, Tail, box_of, quoted_end
from engine.referees.program import FOLDER, endings, fill_in, name_of
from engine.sandbox.box import Box, Sandbox
from engine.sandbox.budget import Budget
from engine.sandbox.run_to_end import Finished, run_to_end
from engine.text import one_line, shortened
from engine.toolchains.program import Program
from engine.workspace import open_workspace

HOMES = "/player-files"
IN_BOT_FOLDER = re.compile(rf"(?<![\w./-]){BOT_FOLDER}(?=[/:]|$)")


def home_of(seat: int) -> str:
    return f"{HOMES}/{name_of(seat)}"


def write_starters(folder: Path, words: Sequence[str], programs: Iterable[Program]) -> None:
    for (seat, program), ending in product(enumerate(programs), endings(words)):
        path = folder / (name_of(seat) + ending)
        path.write_text(script(program, home_of(seat)), "utf-8")
        path.chmod(0o755)


def script(program: Program, home: str) -> str:
    environment = {"HOME": home, **program.environment}
    variables = " ".join(f"{name}={shlex.quote(with_home(value, home))}" for name, value in environment.items())
    command = shlex.join(with_home(word, home) for word in program.command)
    return f"#!/bin/sh\ncd {shlex.quote(home)} && exec env {variables} {command}\n"


def with_home(word: str, home: str) -> str:
    return IN_BOT_FOLDER.sub(home, word)


END = "end"
SCORE = re.compile(r"[+-]?[0-9]{1,18}")
FAULT = SeatVerdict(Verdict.UNKNOWN, "the command that played the match reports an error of this player")


def read_printed(text: str, players: int, *, negative_is_fault: bool = True) -> tuple[Outcome, Notes]:
    """Return also the metrics and, as metadata, the JSON as it was printed. Raises RefereeFault."""
    if not (lines := [line for line in text.splitlines() if line.strip()]):
        raise RefereeFault("the command printed no result")
    for candidate in (text.strip(), lines[-1].strip()):
        if candidate.startswith(("{", "[")):
            with suppress(ValueError, RecursionError):
                return from_json(json.loads(candidate), candidate, players)
    scores = scores_in(lines, players)
    faults = [SeatVerdict(Verdict.UNKNOWN, f"the command gave it a score of {score}") for score in scores]
    both = zip(scores, faults, strict=True)
    verdicts = tuple(fault if score < 0 and negative_is_fault else OK for score, fault in both)
    return Outcome(tuple(scores), END, verdicts), Notes(metrics=tuple({} for _ in scores))


def scores_in(lines: Sequence[str], players: int) -> list[int]:
    """Those of the last line, or of as many lines as there are players. Raises RefereeFault."""
    for words in (lines[-1].split(), [line.strip() for line in lines[-players:]]):
        if len(words) == players and all(SCORE.fullmatch(word) for word in words):
            scores = [int(word) for word in words]
            if all(-SCORES_BELOW <= score < SCORES_BELOW for score in scores):
                return scores
            raise RefereeFault(f"the command printed a score that is too large: {shortened(' '.join(words))}")
    raise RefereeFault(f"the command printed neither JSON nor {players} scores at the end, but: {shortened(lines[-1])}")


def from_json(result: Any, text: str, players: int) -> tuple[Outcome, Notes]:
    if not isinstance(result, dict):
        raise RefereeFault("the command printed JSON that is not an object with `ranks`; a command plays one match")
    ranks = numbers(result, "ranks", players)
    errors = numbers(result, "errors", players) if result.get("errors") is not None else [0] * players
    scores = tuple(sum(other > rank for other in ranks) for rank in ranks)
    verdicts = tuple(FAULT if error else OK for error in errors)
    metrics = tuple(metrics_of_seat(result, seat) for seat in range(players))
    return Outcome(scores, END, verdicts), Notes(metadata=text[:MOST_JSON_CHARS], metrics=metrics)


def numbers(result: Mapping[str, Any], key: str, players: int) -> list[int]:
    value = result.get(key)
    words = shortened(str(value))
    if not isinstance(value, list) or len(value) != players:
        raise RefereeFault(f"the command printed {key} that are not a list of {players} numbers: {words}")
    if not all(isinstance(number, int) and abs(number) < SCORES_BELOW for number in value):
        raise RefereeFault(f"the command printed {key} that are not whole numbers: {words}")
    return [int(number) for number in value]


def metrics_of_seat(result: Mapping[str, Any], seat: int) -> dict[str, str]:
    metrics: dict[str, str] = {}
    player_data = result.get("player_data")
    of_seat = player_data[seat] if isinstance(player_data, list) and seat < len(player_data) else None
    for key, value in (*pairs(result.get("test_data")), *pairs(of_seat), *attributes(result.get("attributes"), seat)):
        keep_metric(metrics, one_line(key)[:LONGEST_METRIC_WORD], one_line(str(value))[:LONGEST_METRIC_WORD])
    return metrics


def pairs(values: object) -> Iterable[tuple[str, str | int | float]]:
    if isinstance(values, dict):
        yield from ((str(key), value) for key, value in values.items() if isinstance(value, str | int | float))


def attributes(values: object, seat: int) -> Iterable[tuple[str, str | int | float]]:
    """Those of a turn are none of the match's or the seat's."""
    for entry in values if isinstance(values, list) else []:
        if isinstance(entry, dict) and entry.get("turn") is None and entry.get("player") in (None, seat):
            yield from pairs({entry.get("name"): entry.get("value")})


PATIENCE = 4
"""A match may last this many times as long as its limit where the host is so busy that it waits for most of that."""
OUTPUT_KB = 1024
STDERR_KB = 64
KEPT_CHARS = 4_000
MOST_JSON_CHARS = 100_000
SHARED = 2
"""The cgroup keeps the limit on memory; sums over processes, which count what they share more than once, come after."""


def play_whole(
    setup: MatchSetup, programs: Sequence[Program], sandbox: Sandbox, conditions: Conditions
) -> tuple[Outcome, Notes]:
    """Raises RefereeFault with the evidence, HostBusy, SandboxFault, MissingTool, UsageFault."""
    setup.require_seed_in_range()
    program, players = setup.program, setup.spec.players
    limit_s = program.bounds.match_s
    with open_workspace().scratch() as scratch:
        write_starters(scratch, program.command, programs)
        box = whole_box(setup, programs, conditions, scratch)
        budget, wall_s = Budget(limit_s, SHARED * box.limits.memory_mb), PATIENCE * limit_s
        finished = run_to_end(
            sandbox, box, wall_limit_s=wall_s, output_kb=STDERR_KB, stdout_kb=OUTPUT_KB, budget=budget
        )
    try:
        require_success(finished, limit_s, box.limits.memory_mb)
        text = finished.stdout.decode("utf-8", "replace")
        outcome, notes = read_printed(text, players, negative_is_fault=program.negative_score_is_fault)
    except RefereeFault as fault:
        fault.evidence = evidence(finished)
        raise
    return outcome, replace(notes, stray=finished.stderr.decode("utf-8", "replace")[:KEPT_CHARS])


def whole_box(setup: MatchSetup, programs: Sequence[Program], conditions: Conditions, starters: Path) -> Box:
    referee_box, of_bot = box_of(setup.program), conditions.limits
    memory_mb = setup.program.memory_mb + len(programs) * of_bot.memory_mb
    threads = THREADS + len(programs) * of_bot.threads
    paths = dict.fromkeys([*referee_box.extra_paths, *(path for program in programs for path in program.extra_paths)])
    return replace(
        referee_box,
        command=fill_in(setup.program.command, setup.spec.seed, setup.spec.players),
        limits=replace(of_bot, memory_mb=memory_mb, threads=threads),
        writable=True,
        extra_paths=tuple(paths),
        compiles=True,
        shared_memory=True,
        beside={FOLDER: starters, **{home_of(seat): program.folder for seat, program in enumerate(programs)}},
    )


def require_success(finished: Finished, limit_s: float, memory_mb: int) -> None:
    if finished.too_much_memory:
        raise RefereeFault(f"the command and its bots used more than the {memory_mb} MB of memory that a match has")
    if finished.too_many_files:
        raise RefereeFault("the command and its bots made too many files")
    if finished.timed_out:
        raise RefereeFault(f"the match was not over within the {limit_s} s that it may last (`match_s` in game.toml)")
    if finished.exit_code != 0:
        last = quoted_end(finished.stderr.decode("utf-8", "replace"))
        raise RefereeFault(f"the command failed: {describe_exit(finished.exit_code)}{last}")
    if len(finished.stdout) >= OUTPUT_KB * 1024:
        raise RefereeFault(f"the command printed more than {OUTPUT_KB} kB")


def evidence(finished: Finished) -> str:
    stdout, complaints = Tail(), Tail()
    stdout.add(finished.stdout)
    complaints.add(finished.stderr)
    titled = complaints.with_title("what it wrote to stderr"), stdout.with_title("what it said")
    return "\n".join((describe_exit(finished.exit_code), *titled))
