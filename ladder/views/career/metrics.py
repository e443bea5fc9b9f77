"""The numbers that a version printed about itself, match by match: see engine.metrics."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from ladder.database.connection import Connection
from ladder.ids import MatchId, VersionId

MOST_MATCHES = 100
MOST_METRICS = 20
LARGEST = 1e100
"""Sums and differences of such numbers are still numbers."""


@dataclass(frozen=True, slots=True)
class MetricSeries:
    """A metric over a version's latest matches, the earliest first. `values`: of the matches where it is a number."""

    name: str
    match_ids: list[MatchId]
    values: list[float]

    @property
    def median(self) -> float:
        return median(self.values)


@dataclass(frozen=True, slots=True)
class LatestMetrics:
    """The metrics of a version's latest matches, at most MOST_METRICS by name, and how many `more` there are."""

    series: list[MetricSeries]
    more: int


def latest_metrics(connection: Connection, version_id: VersionId) -> LatestMetrics:
    rows = connection.execute(
        """
        SELECT match_id, metrics FROM (
            SELECT match_id, metrics FROM seats WHERE version_id = %s AND result IS NOT NULL
            ORDER BY match_id DESC
            LIMIT %s) AS latest
        WHERE metrics <> '{}'
        ORDER BY match_id
        """,
        [version_id, MOST_MATCHES],
    ).fetchall()
    found: dict[str, MetricSeries] = {}
    for match_id, metrics in rows:
        for name, text in metrics.items():
            value = as_number(text)
            if value is not None:
                series = found.setdefault(name, MetricSeries(name, [], []))
                series.match_ids.append(match_id)
                series.values.append(value)
    names = sorted(found)
    return LatestMetrics([found[name] for name in names[:MOST_METRICS]], len(names[MOST_METRICS:]))


def as_number(text: str) -> float | None:
    """Read what a bot printed as a number; None for anything else, also for what is beyond LARGEST."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) <= LARGEST else None
