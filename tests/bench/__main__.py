"""`make bench`: every figure that we claim, measured in one run, the service as a ratio of the bare engine."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cli.play import Seating, each_result
from engine.conditions import OFFICIAL
from engine.games import GAMES
from engine.golden import MatchRecord, read_records
from engine.languages import find_language
from engine.match import MatchSpec, play
from engine.sandbox import open_sandbox
from engine.toolchain import Program, build
from ladder.database import connect, open_pool
from ladder.storage import leagues
from ladder.submission import Submission, submit
from tests.bench import bots, ratings, settle
from workers.bell import bell_for
from workers.commands import cores, embedded_children
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.embedded.state import Running

GAME = GAMES["ocean-of-code"]
SOURCE = (GAME.bots_folder / "trivial.c").read_text()
LADDER = Path(sys.executable).with_name("ladder")
HELP_RUNS = 15
BARE_MATCHES = 150
SERVICE_S = 12
ROUNDS = 3

SAMPLES = Path(__file__).parents[1] / "golden"
OFFICIAL_PER_S = {"ocean-of-code": "2,900", "ice-and-fire": "310 to 760"}
"""Game logic of the official Java referees on warm machines, as measured elsewhere on like hardware."""
LOGIC_S = 4.0


def main() -> None:
    """Measure and print everything."""
    say(f"{cores()} cores, load {os.getloadavg()[0]:.1f} before we began, Python {sys.version.split()[0]}")
    say(f"ladder --help            {help_ms():7.0f} ms       median of {HELP_RUNS}; aim: under 150")
    for name, official in OFFICIAL_PER_S.items():
        pace, asks = logic(name)
        say(f"rules, {name:16} {pace:7.0f} matches/s  one core, {asks:.0f} asks a match; official referee: {official}")
    say_bots()
    for line in ratings.lines():
        say(line)
    say(f"settle                   {settle.settle_s():7.1f} s        1,000,000 matches of 850 bots; aim: under 30")
    program = build(SOURCE, find_language("c"), open_sandbox())
    say(f"a match                  {match_ms(program):7.1f} ms       600 turns of trivial C bots, with starts; aim: 80")
    with a_service() as running:
        rows = [(bare(program, 1), bare(program, cores()), service(running)) for _ in range(ROUNDS)]
    one, many, served = (statistics.median(column) for column in zip(*rows, strict=True))
    say(f"engine, one core         {one:7.1f} matches/s  trivial C bots, 600-turn matches; aim: at least 25")
    say(f"engine, {cores()} cores          {many:7.1f} matches/s")
    say(f"service, {cores()} cores         {served:7.1f} matches/s  Celery, Redis, PostgreSQL and ratings included")
    ratios = [served / many for _, many, served in rows]
    say(f"service : engine         {statistics.median(ratios):7.2f}            of {ROUNDS} rounds; aim: at least 0.80")


def say_bots() -> None:
    """Measure what the sandbox costs."""
    for start, bare_ms in bots.starts():
        added_ms = start.answer_ms - bare_ms
        say(
            f"start, {start.tier:19} {added_ms:6.1f} ms       added to {bare_ms:.1f} by {start.language} bots alone, "
            f"until the first answer (the box alone: {start.ready_ms:.1f}); aim: at most 5"
        )
    for language in ("c", "python"):
        times_us = bots.turns_us(language)
        middle_us, late_us = times_us[len(times_us) // 2], times_us[len(times_us) * 99 // 100]
        say(
            f"a turn, {language:6}           {middle_us:7.1f} us       median of {len(times_us):,}, frozen in between "
            f"(99 %: {late_us:.0f}); aim: at most 60"
        )


def match_ms(program: Program) -> float:
    """Return the median time of a match on one core, in milliseconds."""
    sandbox = open_sandbox()
    times = []
    for seed in range(HELP_RUNS):
        began = time.perf_counter()
        play(MatchSpec(GAME.name, 1, seed), (program, program), sandbox)
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def help_ms() -> float:
    """Return how long `ladder --help` takes, in milliseconds."""
    times = []
    for _ in range(HELP_RUNS):
        began = time.perf_counter()
        subprocess.run([LADDER, "--help"], check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return 1000 * statistics.median(times)


def logic(game: str) -> tuple[float, float]:
    """Feed recorded answers to a game's referee; return matches per second and asks per match."""
    records = [record for record in read_records(SAMPLES / f"{game}.jsonl.gz") if isinstance(record, MatchRecord)]
    legal = [record for record in records if record.end not in {"disabled", "unrecognised", "timeout"}]
    played = asks = 0
    began = time.perf_counter()
    while time.perf_counter() - began < LOGIC_S:
        for record in legal:
            play_record(record)
            asks += len(record.asks)
        played += len(legal)
    return played / (time.perf_counter() - began), asks / played


def play_record(record: MatchRecord) -> None:
    """Play one recorded match through the rules."""
    referee = GAMES[record.game].referee(record.seed, record.rules_level)
    next(referee)
    with suppress(StopIteration):
        for ask in record.asks:
            referee.send(ask.answer)


def bare(program: Program, jobs: int) -> float:
    """Return the matches per second of the engine alone."""
    series = [Seating(MatchSpec(GAME.name, 1, seed), swapped=False) for seed in range(BARE_MATCHES)]
    began = time.perf_counter()
    played = list(each_result(series, (program, program), OFFICIAL, jobs))
    return len(played) / (time.perf_counter() - began)


@contextmanager
def a_service() -> Iterator[Running]:
    """Run a ladder on which only two trivial bots play, as fast as it can; stopped while the engine is measured."""
    folder = Path(tempfile.mkdtemp(prefix="ladder-bench-", dir="/tmp"))
    folder.chmod(0o755)
    home = LadderHome.at(folder / "home")
    running = control.up(home, embedded_children(cores()), prepare="ladder.house:bring_up_to_date")
    try:
        two_trivial_bots(running)
        yield running
    finally:
        control.destroy(home)
        folder.rmdir()


def two_trivial_bots(running: Running) -> None:
    """Submit two, let nobody else play, and stop them again."""
    pool = open_pool(running.database_url)
    bell = bell_for(running.broker_url)
    for name in ("first", "second"):
        submit(pool, bell, Submission(GAME.name, name, "bench", f"{SOURCE}\n// {name}\n", "c"))
    while True:
        with connect(running.database_url) as connection:
            waiting = connection.execute("SELECT count(*) FROM versions WHERE state = 'building'").fetchone()
            if waiting == (0,):
                connection.execute(
                    """
                    UPDATE standings SET on_board = false
                    WHERE version_id IN
                        (SELECT versions.id FROM versions JOIN bots ON bots.id = bot_id WHERE boss_of IS NOT NULL)
                    """
                )
                break
        time.sleep(0.2)
    pool.close()
    rest(running)


def rest(running: Running) -> None:
    """Let the queue run empty."""
    with connect(running.database_url) as connection:
        leagues.set_battles(connection, GAME.name, 1)
    while count(running, "queued") + count(running, "running"):
        time.sleep(0.1)


def count(running: Running, state: str) -> int:
    """Count matches in a state."""
    with connect(running.database_url) as connection:
        row = connection.execute("SELECT count(*) FROM matches WHERE state = %s", [state]).fetchone()
    return int(row[0]) if row else 0


def service(running: Running) -> float:
    """Let the service play for some seconds and return its matches per second."""
    with connect(running.database_url) as connection:
        leagues.set_battles(connection, GAME.name, 1_000_000)
    while count(running, "running") == 0:
        time.sleep(0.05)
    before, began = count(running, "finished"), time.perf_counter()
    time.sleep(SERVICE_S)
    pace = (count(running, "finished") - before) / (time.perf_counter() - began)
    rest(running)
    return pace


if __name__ == "__main__":
    main()
