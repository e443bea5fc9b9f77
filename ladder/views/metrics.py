"""What a ladder measures for those who watch it by programs: its metrics, by Prometheus's names, and their samples.

How this works. One snapshot is read. What only grows is kept as sums by PostgreSQL (`ladder.database.tallies`); all
else is looked up by indexes that hold only what waits or lives. So a reading takes as long after ten million matches as
after none. No bot and no player is in a label: there are too many, and they are nobody's business.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import LiteralString, TypeAlias

from engine.immutable import immutable
from ladder.database import tallies
from ladder.database.connection import Connection
from ladder.database.tallies import Tallied, Tally
from ladder.database.worker_sessions import borrowable
from ladder.fleet import room
from ladder.gauntlets import gauntlets
from ladder.ids import GauntletId
from ladder.leagues import leagues
from ladder.matches.failures import CAUSES, HOST_BUSY, Blame
from ladder.matchmaking import demand

GAUGE, COUNTER, HISTOGRAM = "gauge", "counter", "histogram"


@immutable
class Metric:
    """A metric as Prometheus knows it: its kind, what it says, and its labels in their order."""

    kind: str
    about: str
    labels: tuple[str, ...] = ()


METRICS: Mapping[str, Metric] = {
    "ladder_build_info": Metric(GAUGE, "Always 1, with the program's version.", ("version",)),
    "ladder_up": Metric(GAUGE, "Whether a service answers.", ("service",)),
    "ladder_matches": Metric(GAUGE, "Matches by their state.", ("game", "league", "state")),
    "ladder_matches_finished_total": Metric(
        COUNTER, "Matches played here, by the first verdict of a seat that is not ok.", ("game", "verdict")
    ),
    "ladder_match_seconds": Metric(HISTOGRAM, "How long matches took that were played here."),
    "ladder_match_wait_seconds": Metric(HISTOGRAM, "How long they had waited, from when they were made."),
    "ladder_oldest_waiting_seconds": Metric(GAUGE, "For how long the oldest has waited that nobody has.", ("kind",)),
    "ladder_battles_wanted": Metric(GAUGE, "Battles that boards, requests and gauntlets have still to be made."),
    "ladder_workers_wanted": Metric(GAUGE, "Processes that would do all that waits within the accepted wait."),
    "ladder_queue_messages": Metric(GAUGE, "Messages that wait in the broker.", ("queue",)),
    "ladder_workers": Metric(GAUGE, "Processes that live, and the tier of their sandbox.", ("state", "tier")),
    "ladder_workers_refused_total": Metric(COUNTER, "Workers that did not start.", ("reason",)),
    "ladder_workers_lost_total": Metric(COUNTER, "Processes of workers that ended without a word."),
    "ladder_failed_attempts_total": Metric(COUNTER, "Attempts at matches that were not recorded.", ("cause",)),
    "ladder_matches_void_total": Metric(COUNTER, "Matches that were given up, cut off or taken back."),
    "ladder_host_busy_total": Metric(COUNTER, "Attempts given back as the machine was too busy.", ("host",)),
    "ladder_builds": Metric(GAUGE, "Versions to be built.", ("state",)),
    "ladder_build_seconds": Metric(HISTOGRAM, "How long builds took, with their trial match."),
    "ladder_builds_rejected_total": Metric(COUNTER, "Versions that were turned down.", ("reason",)),
    "ladder_leagues_without_boss": Metric(GAUGE, "Leagues from which nobody can go up."),
    "ladder_no_room": Metric(GAUGE, "1 while no matches are made, as there is no room on disk; else 0."),
    "ladder_last_round_timestamp_seconds": Metric(GAUGE, "When a round was last made.", ("round",)),
    "ladder_database_bytes": Metric(GAUGE, "Size of a table with its indexes.", ("table",)),
    "ladder_database_connections": Metric(GAUGE, "Sessions of the database's server.", ("state",)),
    "ladder_database_connections_limit": Metric(GAUGE, "With how many sessions workers wait for others to end."),
    "ladder_gauntlets_open": Metric(GAUGE, "Gauntlets that run."),
    "ladder_hooks": Metric(GAUGE, "Addresses for notices; those that fail, or have failed for a day.", ("state",)),
}
Labels: TypeAlias = tuple[str, ...]
BOUNDS = ("1", "2", "5", "10", "20", "30", "60", "120", "300", "600", "1800", "3600", "+Inf")
"""Of histograms, in seconds; `tally_bound` in the schema has the same."""


@immutable
class Histogram:
    """`counts`: how many there are below each of BOUNDS, those of lower ones included; `sum_s`: of all of them."""

    counts: Sequence[int]
    sum_s: float


@immutable
class Samples:
    """Samples by metric and labels, and histograms by metric."""

    values: dict[str, dict[Labels, float]] = field(default_factory=lambda: defaultdict(dict))
    histograms: dict[str, Histogram] = field(default_factory=dict[str, Histogram])

    def put(self, name: str, value: float, *labels: str) -> None:
        self.values[name][labels] = value

    def add(self, name: str, value: float, *labels: str) -> None:
        self.put(name, self.values[name].get(labels, 0) + value, *labels)


def samples(connection: Connection, wait_s: float) -> Samples:
    """Read all that the database can tell, in one snapshot. `wait_s`: the wait that is accepted."""
    readings = Samples()
    sums = tallies.tallies(connection)
    for tally in sums:
        for name, sign, label in from_tally(tally):
            readings.add(name, sign * tally.number, *label)
    for name, tallied in HISTOGRAMS.items():
        readings.histograms[name] = histogram([tally for tally in sums if tally.name == tallied])
    for name, series in FROM_ZERO.items():
        for label in series:
            readings.add(name, 0, *label)
    for query in QUERIES:
        for name, value, *labels in connection.execute(query):
            readings.add(name, float(value), *labels)
    readings.put("ladder_leagues_without_boss", len(leagues.unguarded(connection)))
    readings.put("ladder_database_connections_limit", borrowable(connection))
    readings.put("ladder_no_room", int(room.written_down(connection) is not None))
    boards = demand.of_leagues(connection)
    builds = readings.histograms["ladder_build_seconds"]
    build_s = builds.sum_s / builds.counts[-1] if builds.counts[-1] else demand.USUAL_BUILD_S
    of_builds = demand.Workload(None, round(sum(readings.values["ladder_builds"].values())), 0, build_s)
    demands = [*boards, *of_gauntlets(connection, boards), of_builds]
    readings.put("ladder_battles_wanted", demand.battles_wanted(demands))
    readings.put("ladder_workers_wanted", demand.workers_wanted(demands, wait_s))
    return readings


FROM_ZERO: Mapping[str, Sequence[Labels]] = {
    "ladder_workers_lost_total": [()],
    "ladder_matches_void_total": [()],
    "ladder_failed_attempts_total": [
        (cause,) for cause in (*CAUSES.values(), HOST_BUSY, *(blame.value for blame in Blame))
    ],
    "ladder_builds_rejected_total": [("bot",), ("missing_tool",), ("not_tried",), ("worker_lost",)],
    "ladder_workers_refused_total": [("guarantees",), ("machine_busy",), ("missing_tool",), ("settings",)],
}
"""What is there before it has happened: Prometheus takes the first number of a series for its beginning."""
HISTOGRAMS = {
    "ladder_match_seconds": Tallied.MATCH_S,
    "ladder_match_wait_seconds": Tallied.WAIT_S,
    "ladder_build_seconds": Tallied.BUILD_S,
}
BY_LABEL = {
    Tallied.FAILED: "ladder_failed_attempts_total",
    Tallied.HOST_BUSY: "ladder_host_busy_total",
    Tallied.REJECTED: "ladder_builds_rejected_total",
    Tallied.REFUSED: "ladder_workers_refused_total",
}


def from_tally(tally: Tally) -> Iterator[tuple[str, int, Labels]]:
    """Give the samples to which a tally is added: the metric, whether it is taken off (-1), and the labels."""
    board = (tally.game, tally.league)
    match tally.name:
        case Tallied.FINISHED:
            yield "ladder_matches", 1, (*board, "finished")
            yield "ladder_matches_finished_total", 1, (tally.game, tally.label)
        case Tallied.IMPORTED:
            yield "ladder_matches", 1, (*board, "finished")
        case Tallied.TAKEN_BACK | Tallied.PUT_ASIDE:
            yield "ladder_matches", 1, (*board, "void")
            yield "ladder_matches_void_total", 1, ()
            if tally.name == Tallied.TAKEN_BACK:
                yield "ladder_matches", -1, (*board, "finished")
        case Tallied.FAILED | Tallied.HOST_BUSY | Tallied.REJECTED | Tallied.REFUSED as name:
            yield BY_LABEL[Tallied(name)], 1, (tally.label,)
        case Tallied.LOST:
            yield "ladder_workers_lost_total", 1, ()


def histogram(sums: Sequence[Tally]) -> Histogram:
    below = Counter({tally.label: tally.number for tally in sums})
    counts = [sum(below[lower] for lower in BOUNDS[: place + 1]) for place in range(len(BOUNDS))]
    return Histogram(counts, sum(tally.seconds for tally in sums))


def of_gauntlets(connection: Connection, boards: Sequence[demand.Workload]) -> list[demand.Workload]:
    """Return what the running ones may still have made at most: many end before. Those that wait want nothing."""
    slots: dict[GauntletId, int | None] = dict(
        connection.execute("""
            SELECT id, (SELECT max(slot) + 1 FROM matches WHERE gauntlet_id = gauntlets.id) FROM gauntlets
            WHERE state = 'running' AND waits_until IS NULL AND NOT waits_for_room
            """).fetchall()
    )
    lengths = {board.league_id: board.each_s for board in boards}
    workloads: list[demand.Workload] = []
    for row in gauntlets.running(connection):
        if row.id in slots:
            lacking = max(row.schedule.slots - (slots[row.id] or 0), 0) * row.players
            workloads.append(demand.Workload(row.league_id, 0, lacking, lengths[row.league_id], row.players))
    return workloads


QUERIES: tuple[LiteralString, ...] = (
    """
    SELECT 'ladder_matches', count(*), game, leagues.name, state
    FROM matches JOIN leagues ON leagues.id = league_id WHERE is_waiting(state) GROUP BY game, leagues.name, state
    """,
    """
    SELECT 'ladder_oldest_waiting_seconds', seconds_between(min(since), now()), kind FROM (
        SELECT created_at AS since, CASE WHEN gauntlet_id IS NOT NULL THEN 'gauntlet'
                                         WHEN request_id IS NOT NULL THEN 'request' ELSE 'board' END AS kind
        FROM matches WHERE is_waiting(state) AND state = 'queued'
        UNION ALL
        SELECT submitted_at, 'build' FROM versions WHERE state = 'building' AND lease_until IS NULL
        UNION ALL
        SELECT NULL::timestamptz, unnest(ARRAY['gauntlet', 'request', 'board', 'build'])) AS waiting
    GROUP BY kind
    """,
    """
    SELECT 'ladder_workers', count(id), doing, coalesce(tier, 'unknown') FROM (
        SELECT id, tier, CASE
            WHEN out_of_reach THEN 'out_of_reach'
            WHEN id IN (SELECT worker_id FROM matches WHERE state = 'running') THEN 'playing'
            WHEN id IN (SELECT worker_id FROM versions WHERE state = 'building' AND lease_until IS NOT NULL)
            THEN 'building' ELSE 'idle' END AS doing
        FROM workers JOIN live_workers USING (id)) AS alive
    GROUP BY doing, tier
    """,
    """
    SELECT 'ladder_builds', count(id), state FROM (
        SELECT id, CASE WHEN lease_until > now() THEN 'running' ELSE 'waiting' END AS state
        FROM versions WHERE state = 'building'
        UNION ALL
        SELECT NULL::bigint, unnest(ARRAY['running', 'waiting'])) AS building
    GROUP BY state
    """,
    "SELECT DISTINCT 'ladder_matches_finished_total', 0, game, 'ok' FROM leagues",
    "SELECT 'ladder_last_round_timestamp_seconds', extract(epoch FROM at), name FROM rounds",
    """
    SELECT 'ladder_database_bytes', pg_total_relation_size(oid), relname
    FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
    """,
    """
    SELECT 'ladder_database_connections', count(*), coalesce(state, 'unknown')
    FROM pg_stat_activity WHERE datname IS NOT NULL GROUP BY state
    """,
    """
    SELECT 'ladder_hooks', count(id), state FROM (
        SELECT id, CASE WHEN disabled_at IS NOT NULL THEN 'disabled'
                        WHEN failing_since IS NOT NULL THEN 'failing' ELSE 'well' END AS state
        FROM hooks
        UNION ALL
        SELECT NULL::bigint, unnest(ARRAY['well', 'failing', 'disabled'])) AS hooked
    GROUP BY state
    """,
    "SELECT 'ladder_gauntlets_open', count(*) FROM gauntlets WHERE state = 'running'",
)
"""Each row is a metric, its value and its labels."""
