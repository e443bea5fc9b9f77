"""How fast matches are played: by the engine alone, and by the whole service as a ratio of that."""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from random import Random

from cli.play.series import Seating, tasks_of
from engine.bot.conditions import OFFICIAL
from engine.live import play
from engine.match import MatchResult, MatchSpec
from engine.sandbox.choice import offered, open_sandbox
from engine.series import PlaySettings, in_order
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from engine.toolchains.program import Program
from ladder.access import Actor
from ladder.actions import gauntlets, tunes
from ladder.actions.bots import submit
from ladder.database.connection import Connection, Pool, connect, open_pool
from ladder.fleet import workers
from ladder.flows.recording import summed_up, write_down
from ladder.flows.submission import Submission
from ladder.gauntlets.lineup import GauntletRequest
from ladder.ids import WorkerId
from ladder.leagues import leagues
from ladder.matches.claims import claim_match
from ladder.tuning.parameters import TuneRequest
from tests.bench.full_ladder import add_versions, services
from tests.bench.report import line
from tests.catalogue import GAMES
from tests.fleet.servers import servers
from tests.ladder.arena import insert_battle
from workers.app import CeleryQueue, queue_for
from workers.commands import cores, embedded_children
from workers.embedded.processes import children_of, status_fields
from workers.embedded.state_file import Running

GAME = GAMES.find("ocean-of-code")
SOURCE = (GAME.bots_folder / "trivial.c").read_text()
BARE_MATCHES = 150
SERVICE_S = 12
REST_S = 60
PLAYER = Actor("bench")
ROUNDS = 3
RECORDINGS = 100
USUAL_CHARS = 20_000
"""A line of a hundred in each of two hundred turns."""


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    program = build(SOURCE, find_language("c"), open_sandbox())
    with a_service() as running:
        rows = [
            (bare(program, cores()), service(running), asked_for(running, a_gauntlet), asked_for(running, a_tune))
            for _ in range(ROUNDS)
        ]
        at_rest = resting(running)
        tiers = {tier: paces(program, tier) for tier, fault in offered().items() if fault is None}
    for tier, found in tiers.items():
        words = f"600-turn matches of C bots on one core (best of {ROUNDS} rounds: {max(found):.1f}); aim: at least 25"
        yield line(f"engine, {tier}", statistics.median(found), "matches/s", words)
    many, served, asked, tuned = (statistics.median(column) for column in zip(*rows, strict=True))
    yield line(f"engine, {cores()} cores", many, "matches/s", "in the strongest of these tiers")
    yield line(f"service, {cores()} cores", served, "matches/s", "Celery, Redis, PostgreSQL and ratings included")
    ratio = statistics.median(served / many for many, served, *_ in rows)
    yield line("service : engine", f"{ratio:.2f}", "", f"of {ROUNDS} rounds; aim: at least 0.80")
    yield line("service, asked for", asked, "matches/s", "of a gauntlet, whose use is added up for its player")
    yield compared("asked for : service", [asked / served for _, served, asked, _ in rows])
    words = "of a tune with two parameters, each pair made from where the values are when it is made"
    yield line("service, tuned", tuned, "matches/s", words)
    parts = ", ".join(f"{name} {used_s:.2f}" for name, used_s in at_rest.items())
    yield line("service, at rest", f"{sum(at_rest.values()):.2f}", "s/min", f"CPU time while nothing waits: {parts}")
    yield compared("tuned : asked for", [tuned / asked for *_, asked, tuned in rows])
    yield from recordings(play(MatchSpec(GAME, 1, 1), (program, program), open_sandbox()))


def recordings(played: MatchResult) -> Iterator[str]:
    """Compare recording with what bots wrote to stderr, compressed and counted for its players, with recording none."""
    most = OFFICIAL.output.stderr_match_bytes
    texts = {"none": "", "a line a turn": lines_of(USUAL_CHARS), "all they may": lines_of(most)}
    results = {name: replace(played, stderr=(text, text)) for name, text in texts.items()}
    times: dict[str, list[float]] = {name: [] for name in texts}
    with servers(max_connections=100) as running:
        add_versions(running.database_url)
        with connect(running.database_url, autocommit=True) as connection:
            worker_id = workers.enlist(connection, "bench", 1)
            for _ in range(RECORDINGS):
                for name, result in results.items():
                    times[name].append(recorded_s(connection, worker_id, result))
    yield line("recording", 1000 * statistics.median(times["none"]), "ms", "a match with nothing on stderr")
    for name in list(texts)[1:]:
        ratio = statistics.median(one / none for one, none in zip(times[name], times["none"], strict=True))
        words = f"{name}, {len(texts[name]) / 1000:.0f} kB of each of two, packed; of {RECORDINGS} pairs"
        yield line("recording stderr : none", f"{ratio:.2f}", "", words)


def lines_of(chars: int) -> str:
    """Return words such as a bot writes that searches: most of them numbers."""
    chance, text = Random(1), ""
    while len(text) < chars:
        move, value = chance.choice("NESW"), chance.random()
        text += f"turn {len(text) // 100}: depth {chance.randrange(20)}, best MOVE {move}, {value:.6f}\n"
    return text[:chars]


def recorded_s(connection: Connection, worker_id: WorkerId, result: MatchResult) -> float:
    """Make and claim a match between two of the board, and return how long its recording takes."""
    rows = connection.execute(
        "SELECT league_id, version_id FROM standings WHERE on_board ORDER BY random() LIMIT 2"
    ).fetchall()
    match_id, _ = insert_battle(connection, rows[0][0], [version_id for _, version_id in rows], seed=1)
    claim = claim_match(connection, match_id, worker_id)
    assert claim is not None
    began = time.perf_counter()
    over = summed_up(claim, result)
    with connection.transaction():
        assert write_down(connection, over)
    return time.perf_counter() - began


def compared(what: str, ratios: list[float]) -> str:
    words = f"of {ROUNDS} rounds ({min(ratios):.2f} to {max(ratios):.2f}); aim: 1.00 lies between"
    return line(what, f"{statistics.median(ratios):.2f}", "", words)


def paces(program: Program, tier: str) -> list[float]:
    """Return the matches per second on one core in a tier of the sandbox, in each of some rounds."""
    return [bare(program, 1, tier) for _ in range(ROUNDS)]


def bare(program: Program, jobs: int, tier: str | None = None) -> float:
    """Return the matches per second of the engine alone, in the usual tier of the sandbox or in another."""
    series = [Seating(MatchSpec(GAME, 1, seed)) for seed in range(BARE_MATCHES)]
    began = time.perf_counter()
    played = sum(1 for _ in in_order(tasks_of(series, (program, program)), PlaySettings(OFFICIAL, jobs, tier)))
    return played / (time.perf_counter() - began)


@contextmanager
def a_service() -> Iterator[Running]:
    """Run a ladder on which only two trivial bots play, as fast as it can; stopped while the engine is measured."""
    with services(embedded_children(cores())) as running:
        two_trivial_bots(running)
        yield running


def two_trivial_bots(running: Running) -> None:
    """Submit two, let nobody else play, and stop them again."""
    pool = open_pool(running.database_url)
    queue = queue_for(running.broker_url)
    for name in ("first", "second"):
        submit(PLAYER, pool, queue, Submission(GAME.name, name, f"{SOURCE}\n// {name}\n", "c"))
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
    with connect(running.database_url) as connection:
        leagues.set_battles(connection, GAME.name, 1)
    while count(running, "queued") + count(running, "running"):
        time.sleep(0.1)


def count(running: Running, state: str) -> int:
    with connect(running.database_url) as connection:
        row = connection.execute("SELECT count(*) FROM matches WHERE state = %s", [state]).fetchone()
    return int(row[0]) if row else 0


def service(running: Running) -> float:
    """Let the service play for some seconds and return its matches per second."""
    with connect(running.database_url) as connection:
        leagues.set_battles(connection, GAME.name, 1_000_000)
    found = pace(running)
    rest(running)
    return found


def asked_for(running: Running, ask: Callable[[Pool, CeleryQueue], Callable[[], object]]) -> float:
    """Let the service play what is asked for, and return its matches per second. `ask` returns what stops it."""
    pool = open_pool(running.database_url)
    end = ask(pool, queue_for(running.broker_url))
    found = pace(running)
    end()
    pool.close()
    rest(running)
    return found


def a_gauntlet(pool: Pool, queue: CeleryQueue) -> Callable[[], object]:
    asked = GauntletRequest("second@v1", PLAYER.player, against=("first@v1",), pairs=1_000_000)
    return partial(gauntlets.stop, PLAYER, pool, gauntlets.begin(PLAYER, pool, queue, asked).gauntlet)


def a_tune(pool: Pool, queue: CeleryQueue) -> Callable[[], object]:
    asked = TuneRequest("second@v1", ("A=1..20", "B=1..20"), ("A=10", "B=10"), against=("first@v1",), pairs=1_000_000)
    return partial(tunes.stop, PLAYER, pool, tunes.begin(PLAYER, pool, queue, asked).tune)


def resting(running: Running) -> dict[str, float]:
    """Return the CPU time that each service takes in a minute in which there is nothing to do."""
    before = {name: used_s(pid) for name, pid in running.children.items()}
    time.sleep(REST_S)
    return {name: (used_s(pid) - before[name]) * 60 / REST_S for name, pid in running.children.items()}


def used_s(pid: int) -> float:
    """Return the CPU time of a process and of those that it has started."""
    own = sum(map(int, status_fields(pid)[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(used_s, children_of(pid)))


def pace(running: Running) -> float:
    """Return how many matches per second are finished, once one is played."""
    while count(running, "running") == 0:
        time.sleep(0.05)
    before, began = count(running, "finished"), time.perf_counter()
    time.sleep(SERVICE_S)
    return (count(running, "finished") - before) / (time.perf_counter() - began)
