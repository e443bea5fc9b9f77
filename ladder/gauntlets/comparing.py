"""What came of a gauntlet in which variants of one version meet each other."""

from __future__ import annotations

from dataclasses import dataclass

from ladder.bots import versions
from ladder.database.connection import Connection
from ladder.gauntlets import gauntlets
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.report import elapsed_s
from ladder.gauntlets.variants import Comparison, names_of, tally_of


@dataclass(frozen=True, slots=True)
class ComparisonReport:
    """A gauntlet of variants and what came of it. `elapsed_s`: since it began, or what it took.

    `pairs`: played, of `slots`.
    """

    gauntlet: Gauntlet
    comparison: Comparison
    pairs: int
    slots: int
    elapsed_s: float


def comparison_report_of(connection: Connection, gauntlet: Gauntlet) -> ComparisonReport:
    """Read what there is about a gauntlet of variants. The connection must see one snapshot."""
    tally, pairs = tally_of(gauntlet.players), gauntlets.pairs_of(connection, gauntlet.id)
    for pair in pairs:
        tally.take(gauntlet.schedule.slot(pair.slot), pair.outcome)
    params = versions.find_version(connection, gauntlet.candidate_id).params
    names = names_of(gauntlet.variants)
    comparison = Comparison(
        gauntlet.game,
        gauntlet.league,
        gauntlet.candidate,
        gauntlet.seed,
        gauntlet.pairs,
        gauntlet.state,
        tally.scores(names, [{**params, **variant} for variant in gauntlet.variants]),
        tally.compared(names),
    )
    return ComparisonReport(gauntlet, comparison, len(pairs), gauntlet.schedule.slots, elapsed_s(gauntlet))
