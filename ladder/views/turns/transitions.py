"""The turns of a match as transitions: the state before, what was said, the state after, and what each seat was sent.

How this works. The states are those of the match as it can be looked at: the game's own referee is led once more, and
says after each turn how both sides are. A line of a file of transitions is one of them as JSON, with all that it takes
to work out the state after from it; so lines can be sorted, sampled and put together as one likes.

A simulation that was put beside the referee is checked transition by transition.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from engine.bot.clock import Spent
from engine.conformance.simulator import StateComparison, answers, state_in
from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.replay import FAULT_KINDS, Replay, ReplayTurn
from ladder.choices import MatchState
from ladder.ids import MatchId
from ladder.views.encoding import to_json
from ladder.views.turns.watched_match import WatchedMatch, WatchedSeat

AS_JSON = ("sent", "setup", "before", "after")
ANSWER = frozenset({"fault", "after"})
"""What a simulator is not told of a transition."""
KINDS: Mapping[str, Any] = {
    "match": (int, str),
    **dict.fromkeys(("game", "league", "seed"), str),
    **dict.fromkeys(("rules_level", "turn", "seat"), int),
    "sent": list,
    **dict.fromkeys(("orders", "fault"), (str, type(None))),
    **dict.fromkeys(("setup", "before", "after"), dict),
}


@immutable
class Transition:
    """One turn. `match`: its number or name; `seed`: as text, for it can be too long for readers of JSON.

    `sent`: to each seat in this turn, None: nothing. `fault`: by which the seat lost in it, so that not all was carried
    out. `orders`: None where no answer came in time.
    """

    match: MatchId | str
    game: str
    league: str
    rules_level: int
    seed: str
    turn: int
    seat: int
    sent: list[list[str] | None]
    orders: str | None
    fault: str | None
    setup: Mapping[str, Any]
    before: Mapping[str, Any]
    after: Mapping[str, Any]

    def values(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def line(self) -> str:
        return to_json(self.values(), compact=True)

    def question(self) -> str:
        """Return what a simulator is asked: the same line without what it is to find out."""
        return to_json({name: value for name, value in self.values().items() if name not in ANSWER}, compact=True)

    @property
    def words(self) -> str:
        name = f"match {self.match}" if isinstance(self.match, int) else self.match
        return f"{name}, turn {self.turn}"

    def scene(self) -> WatchedMatch:
        turn = ReplayTurn(1, self.seat, 1, None, self.orders, None, Spent(), ruling="", stderr="", state=self.after)
        seats = tuple(WatchedSeat(seat, f"seat {seat}", None, None, None, "") for seat in range(len(self.sent)))
        return WatchedMatch(
            id=self.match,
            game=self.game,
            league=self.league,
            rules_level=self.rules_level,
            seed=int(self.seed),
            reason="",
            state=MatchState.FINISHED,
            seats=seats,
            replay=Replay(self.setup, self.before, (turn,)),
        )


COLUMNS: Mapping[str, type] = {
    one.name: int if one.name in {"rules_level", "turn", "seat"} else str for one in fields(Transition)
}
"""Of a table of transitions. What is not a number or text stands in a cell as JSON."""


def in_cells(transition: Transition) -> dict[str, Any]:
    values = transition.values()
    as_json = {name: to_json(values[name], compact=True).rstrip() for name in AS_JSON}
    return {**values, "match": str(transition.match), **as_json}


def transitions(watched: WatchedMatch) -> Iterator[Transition]:
    """Yield the turns of a match. Raises Refused where its states are not known."""
    replay = watched.replay
    if replay.setup is None or replay.start is None:
        raise Refused(
            f"{watched.name} has no states: {replay.fault or f'{watched.game} does not say how both sides are'}"
        )
    before = replay.start
    for turn in replay.turns:
        if turn.state is None:
            raise Refused(f"{watched.name} has no state after turn {turn.number}")
        sent = [list(turn.input or ()) if seat.seat == turn.seat else None for seat in watched.seats]
        fault = next((event.kind for event in turn.events if event.kind in FAULT_KINDS), None)
        yield Transition(
            match=watched.id,
            game=watched.game,
            league=watched.league,
            rules_level=watched.rules_level,
            seed=str(watched.seed),
            turn=turn.number,
            seat=turn.seat,
            sent=sent,
            orders=turn.line,
            fault=fault,
            setup=replay.setup,
            before=before,
            after=turn.state,
        )
        before = turn.state


def read_transitions(name: str, lines: Iterable[str]) -> Iterator[Transition]:
    """Read a file of transitions. `name`: of the file. Raises UsageFault, naming file and line."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise UsageFault(f"{name}, line {number}: it is not JSON; was the file cut off?") from error
        yield transition_from(values, f"{name}, line {number}")


def transition_from(values: Any, place: str) -> Transition:
    """Return a transition from what `Transition.values` gave. `place`: where it stands. Raises UsageFault."""
    members: dict[str, Any] = values if isinstance(values, dict) else {}
    wrong = next((name for name, kind in KINDS.items() if not isinstance(members.get(name), kind)), None)
    if wrong is not None or not re.fullmatch(r"-?\d{1,19}", members["seed"]):
        what = f"`{wrong or 'seed'}` is missing or no such thing"
        raise UsageFault(f"{place}: it is not a transition, as `ladder match transitions` writes them: {what}")
    values_read: dict[str, Any] = {name: members.get(name) for name in KINDS}
    return Transition(**values_read)


@immutable
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

    def take(
        self, command: Sequence[str], of_match: Sequence[Transition], comparison: StateComparison
    ) -> Transition | None:
        """Put a match to a simulator; return the turn in which it differs first of all. Raises UsageFault, HostBusy."""
        questions = [turn for turn in of_match if turn.orders is not None and turn.fault is None]
        places = [turn.words for turn in questions]
        lines = answers(command, [turn.question() for turn in questions], places)
        self.matches += 1
        self.left_out += len(of_match) - len(questions)
        first = None
        for turn, place, line in zip(questions, places, lines, strict=True):
            state = state_in(line, place)
            if state is None:
                self.unanswered += 1
                continue
            self.compared += 1
            differences = list(comparison.differing(turn.after, state, place))
            self.differ += bool(differences)
            self.fields.update({differing.field for differing in differences})
            if differences and self.first is None:
                first, one = turn, differences[0]
                self.first = FirstDifference(
                    turn.match, turn.turn, turn.seat, turn.orders, one.path, one.expected, one.got
                )
        return first
