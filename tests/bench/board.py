"""What a large ladder costs to look at, to watch and to play on: the same queries after more and more matches.

Times are those of the project's own functions, so they hold planning the query and making rows in Python. With
BENCH_MATCHES=10000000 it goes on to ten million matches, which takes some minutes and 12 GB under /tmp.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from random import Random
from statistics import median

from prometheus_client import CollectorRegistry, generate_latest

from ladder.bots import bots, versions
from ladder.database.connection import Connection, connect, one, open_pool
from ladder.fleet import workers
from ladder.flows.recording import record
from ladder.ids import BotId, MatchId, WorkerId
from ladder.leagues import leagues
from ladder.matches import claims, match_rows
from ladder.matchmaking import demand
from ladder.ratings import standings
from ladder.ratings.standings import TOP, Standing
from tests.bench.full_ladder import GAME, LEAGUE, VERSIONS, add_versions, fill, services
from tests.bench.report import line
from tests.fakes import result_of
from tests.ladder.arena import insert_battle
from workers.embedded.state_file import Running
from workers.exporter import LadderCollector

MOST = int(os.environ.get("BENCH_MATCHES", "1000000"))
SIZES = [size for size in (100_000, 1_000_000, 10_000_000) if size <= MOST]
ROWS = 50
WAITING = 64
RUNS = 100
CHANCE = Random(1)
FIRST_PAGE = f"a board's first {ROWS} rows"
PROCESSES = 1000
SCRAPE = f"metrics, {PROCESSES:,} processes"
AIMS = {FIRST_PAGE: "; aim: under 10", SCRAPE: "; aim: under 50"}


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds: the median of all runs, and what 95 % of them stayed below."""

    middle_ms: float
    late_ms: float


def lines() -> Iterator[str]:
    """Measure and give what the bench prints."""
    found: dict[str, list[Timing]] = {}
    with services() as running:
        database_url = running.database_url
        add_versions(database_url)
        for size in SIZES:
            began = time.perf_counter()
            fill(database_url, size)
            yield line(
                f"{size:,} matches", time.perf_counter() - began, "s", f"to add; {gigabytes(database_url):.1f} GB"
            )
            for name, timing in timings(running).items():
                found.setdefault(name, []).append(timing)
    yield growth_row(f"{VERSIONS:,} versions, of", [f"{size:,}" for size in SIZES], "matches")
    for name, column in found.items():
        cells = [f"{timing.middle_ms:.2f} ({timing.late_ms:.2f})" for timing in column]
        yield growth_row(name, cells, f"ms, median (95 %){AIMS.get(name, '')}")


def growth_row(name: str, cells: list[str], words: str) -> str:
    return f"{name:28}" + "".join(f"{cell:>17}" for cell in cells) + f"  {words}"


def gigabytes(database_url: str) -> float:
    with connect(database_url) as connection:
        return float(one(connection, "SELECT pg_database_size(current_database()) / 1e9", {})[0])


def timings(running: Running) -> dict[str, Timing]:
    """Measure everything at the present size."""
    with connect(running.database_url, autocommit=True) as connection:
        connection.prepare_threshold = None  # a command asks once, so it pays for planning each time
        worker_id = workers.enlist(connection, "bench", os.getpid())
        board = standings.board(connection, leagues.find_league(connection, GAME, LEAGUE).id)
        for _ in range(match_rows.count_matches(connection).waiting, WAITING, 2):
            make_battle(connection, board)
        found = {name: timing(call) for name, call in reads(connection, board).items()}
        found["a battle, made to recorded"] = timing(partial(play_battle, connection, worker_id, board))
        for number in range(PROCESSES):
            workers.enlist(connection, f"machine{number // 40}", number)
        with closing(open_pool(running.database_url, most=1)) as pool:
            registry = CollectorRegistry(auto_describe=False)
            registry.register(LadderCollector(pool, running.broker_url, 300))
            found[SCRAPE] = timing(partial(generate_latest, registry))
    return found


def timing(call: Callable[[], object]) -> Timing:
    """Run it often enough."""
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - began))
    return Timing(median(times), sorted(times)[int(0.95 * RUNS)])


def make_battle(connection: Connection, board: Sequence[Standing]) -> list[MatchId]:
    """Make two matches of neighbours; return their ids."""
    place = CHANCE.randrange(len(board) - 1)
    league_id = leagues.find_league(connection, GAME, LEAGUE).id
    pair = (board[place].version_id, board[place + 1].version_id)
    with connection.transaction():
        return insert_battle(connection, league_id, pair, seed=1, made_for=pair[0])


def play_battle(connection: Connection, worker_id: WorkerId, board: Sequence[Standing]) -> None:
    """Make a battle, claim and record both matches, each step for good, as scheduler and workers do."""
    for match_id in make_battle(connection, board):
        claim = claims.claim_match(connection, match_id, worker_id)
        assert claim is not None
        with connection.transaction():
            assert record(connection, claim, result_of(claim, (1, 0)))


def reads(connection: Connection, board: Sequence[Standing]) -> dict[str, Callable[[], object]]:
    """Return what people and the scheduler ask for, by name."""
    league_id = leagues.find_league(connection, GAME, LEAGUE).id
    busiest = max(board, key=lambda row: row.record.matches)

    def page(rank: int) -> Callable[[], object]:
        after = board[rank - 1].mark(rank) if rank else TOP
        return partial(standings.board, connection, league_id, after, ROWS)

    def match_list(bot_id: BotId | None = None) -> None:
        found = match_rows.latest_matches(connection, 20, bot_id)
        match_rows.seats_of(connection, [match.id for match in found])

    def bot_show() -> None:
        bot = bots.find_bot(connection, busiest.bot)
        versions.versions_of(connection, bot.id)
        standings.stays_of(connection, bot.id)
        match_list(bot.id)

    return {
        FIRST_PAGE: page(0),
        f"{ROWS} rows in the middle": page(len(board) // 2),
        f"the last {ROWS} rows": page(len(board) - ROWS),
        "how many rows come after": partial(standings.count_after, connection, league_id, board[ROWS].mark(ROWS)),
        "the whole board": partial(standings.board, connection, league_id),
        "match list": match_list,
        "bot show": bot_show,
        "matches by state": partial(match_rows.count_matches, connection),
        "whom a version has met": partial(demand.met, connection, busiest.version_id),
    }
