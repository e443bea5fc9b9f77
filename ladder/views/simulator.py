"""What came of a simulation that was put beside the referee."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from engine.conformance.simulator import Comparison, answers, state_in
from ladder.ids import MatchId
from ladder.views.turns.transitions import Transition


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """Where a simulation first differs. `field`: with numbers, as in `submarines[0].cell`."""

    match: MatchId | str
    turn: int
    seat: int
    orders: str | None
    field: str
    expected: Any
    got: Any


@dataclass(slots=True)
class SimulationCheck:
    """What was compared, and how often fields differ. `unanswered`: by the simulator; `left_out`: after a fault."""

    SHOWN: ClassVar = ("agree",)

    matches: int = 0
    compared: int = 0
    differ: int = 0
    unanswered: int = 0
    left_out: int = 0
    fields: Counter[str] = field(default_factory=Counter[str])
    first: FirstDifference | None = None

    @property
    def agree(self) -> int:
        return self.compared - self.differ

    def take(self, command: Sequence[str], of_match: Sequence[Transition], comparison: Comparison) -> Transition | None:
        """Put a match to a simulator; return the turn in which it differs first of all. Raises UsageFault, HostBusy."""
        asked = [one for one in of_match if one.orders is not None and one.fault is None]
        places = [one.words for one in asked]
        said = answers(command, [one.question() for one in asked], places)
        self.matches += 1
        self.left_out += len(of_match) - len(asked)
        first = None
        for one, place, line in zip(asked, places, said, strict=True):
            state = state_in(line, place)
            if state is None:
                self.unanswered += 1
                continue
            self.compared += 1
            found = list(comparison.differing(one.after, state, place))
            self.differ += bool(found)
            self.fields.update({differing.field for differing in found})
            if found and self.first is None:
                path, expected, got = found[0].path, found[0].expected, found[0].got
                self.first = FirstDifference(one.match, one.turn, one.seat, one.orders, path, expected, got)
                first = one
        return first
