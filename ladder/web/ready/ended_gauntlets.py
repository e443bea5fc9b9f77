"""The results of gauntlets that have ended, kept for the next reader: they are worked out from thousands of pairs.

How this works. A gauntlet that has ended changes only if matches of it are taken back, or if it goes on. Then its row
changes too, or the number of its finished matches.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from ladder.choices import GauntletState
from ladder.database.connection import Connection
from ladder.gauntlets import gauntlets
from ladder.gauntlets.comparing import ComparisonReport
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.ids import GauntletId
from ladder.sight import Sight
from ladder.views.gauntlets import ReportWithPath, with_path

MOST_KEPT = 16
Found = ReportWithPath | ComparisonReport


@dataclass(slots=True)
class EndedGauntlets:
    """The latest MOST_KEPT that were asked for, each with its row and the number of its finished matches."""

    kept: OrderedDict[tuple[GauntletId, Sight], tuple[Gauntlet, int, Found]] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    def read(self, connection: Connection, gauntlet_id: GauntletId, sight: Sight) -> Found:
        """Return the result of a gauntlet, as far as it goes if it still runs. `sight`: the connection's.

        Raises UnknownName.
        """
        gauntlet = gauntlets.find(connection, gauntlet_id)
        if gauntlet.state == GauntletState.RUNNING:
            return with_path(connection, gauntlet)
        finished = gauntlets.count_finished(connection, gauntlet_id)
        known = self.kept.get((gauntlet_id, sight))
        if known is not None and known[:2] == (gauntlet, finished):
            return known[2]
        found = with_path(connection, gauntlet)
        with self.lock:
            self.kept[gauntlet_id, sight] = (gauntlet, finished, found)
            while len(self.kept) > MOST_KEPT:
                self.kept.popitem(last=False)
        return found
