"""A game is a conversation: a referee asks one seat after another, gets a line or nothing, and says how it ended.

How this works. A referee is a generator. It yields an `Ask` and is sent the answer: the line the bot said, without its
line end, or `None` where no complete line came in time. When the game is over it returns an `Outcome`. It sees no
process, no clock and no file, so the same referee serves live bots, recorded answers, tests and replays.

    def referee(seed, rules_level, limits) -> Referee:
        answer = yield Ask(seat=0, lines=("15 15 0", ...), limit_ms=limits.first_ms)
        ...
        return Outcome(scores=(6, -1), reason="disabled", verdicts=(OK, SeatVerdict(Verdict.ILLEGAL, "moved onto ...")))

In words for people turns are counted from 1. A match counts those of both seats, a bot's author only the bot's own: so
they have both. Records have the games' own words for how a match ended.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import permutations
from typing import TypeAlias

from engine.immutable import immutable
from engine.text import listed

FOR_TWO = (2,)
MOST_PLAYERS = 8
UNFAIR = (
    "a command plays the matches and starts the bots itself: no fair clock, no stored lines, and bots see each other"
)
"""What is to be known of every match that a command plays."""


class Verdict(StrEnum):
    """How a seat ended. Everything but `ok` is the bot's fault and counts as a result."""

    OK = "ok"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    ILLEGAL = "illegal"
    MEMORY = "memory"
    FLOODED = "flooded"
    UNKNOWN = "unknown"
    """Of a match that was played by another program, which says no more than that there was a fault."""

    @property
    def words(self) -> str:
        return VERDICT_WORDS.get(self, self.value)


VERDICT_WORDS = {
    Verdict.TIMEOUT: "time-out",
    Verdict.CRASHED: "crash",
    Verdict.MEMORY: "out of memory",
    Verdict.FLOODED: "flood",
    Verdict.UNKNOWN: "fault of unknown kind",
}
"""Verdicts of which people use another word than records do."""


@immutable
class SeatVerdict:
    """A verdict and one sentence of explanation for people, empty for `ok`."""

    verdict: Verdict
    message: str = ""

    @property
    def words(self) -> str:
        """Both for people. Of a program that ended it is enough to say how: some do so without a crash."""
        return self.message if self.verdict is Verdict.CRASHED else f"{self.verdict.words} ({self.message})"


OK = SeatVerdict(Verdict.OK)
NO_ANSWER = SeatVerdict(Verdict.TIMEOUT, "no complete line in time")


@immutable
class TimeLimits:
    """How long a seat may take for its first answer and for each later one. Which is the first the referee says."""

    first_ms: int
    turn_ms: int

    def but(self, first_ms: int | None, turn_ms: int | None) -> TimeLimits:
        """None leaves a limit as it is."""
        return TimeLimits(self.first_ms if first_ms is None else first_ms, self.turn_ms if turn_ms is None else turn_ms)


@immutable
class Ask:
    """Every line sent since the seat's last answer, and its time. `answer_lines`: several are one text with line ends
    between. `counts_overruns`: not if the referee counts them itself.
    """

    seat: int
    lines: tuple[str, ...]
    limit_ms: int
    answer_lines: int = 1
    counts_overruns: bool = True


@immutable
class Outcome:
    """`scores`: higher is better. `reason`: the game's own word ("dead", "turn_limit"). `verdicts`: `NO_ANSWER` for a
    seat that gave none; the match, which knows whether it died, flooded or was late, puts the true reason there.
    """

    scores: tuple[int, ...]
    reason: str
    verdicts: tuple[SeatVerdict, ...]

    @property
    def places(self) -> tuple[int, ...]:
        return places_of(self.scores)

    @property
    def points(self) -> tuple[float, ...]:
        return points_of(self.places)

    @property
    def winner(self) -> int | None:
        """The seat that is alone on the first place, or None where several share it."""
        best = max(self.scores)
        return self.scores.index(best) if self.scores.count(best) == 1 else None


def places_of(scores: Sequence[float]) -> tuple[int, ...]:
    """By these scores, higher ones being better: 1 is best, and level seats share one."""
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def result_word(places: Sequence[int], seat: int) -> str:
    """Say win of a seat that is alone on the first place, draw of one that shares it, and loss of every other."""
    if places[seat] > 1:
        return "loss"
    return "win" if places.count(1) == 1 else "draw"


def points_of(places: Sequence[int]) -> tuple[float, ...]:
    """The seats below, and half of those level with it, of all its opponents: with two seats 1, 1/2 or 0."""
    opponents = len(places) - 1
    return tuple(
        (sum(other > place for other in places) + (places.count(place) - 1) / 2) / opponents for place in places
    )


Referee: TypeAlias = Generator[Ask, str | None, Outcome]


class SeatOrders(StrEnum):
    """The orders of a battle's players, all on one seed. `rotations`: each has each seat once. `all`: all n! of n
    players. `one`: a single match. Two players always have both orders.
    """

    ROTATIONS = "rotations"
    ALL = "all"
    ONE = "one"


def seat_orders(players: int, which: str = SeatOrders.ROTATIONS) -> list[tuple[int, ...]]:
    """For each match of a battle, the number of the player in seat 0, in seat 1 and so on."""
    order = tuple(range(players))
    if players > 2 and which == SeatOrders.ALL:
        return list(permutations(order))
    if players > 2 and which == SeatOrders.ONE:
        return [order]
    return [order[first:] + order[:first] for first in order]


TWO = 2
"""Of more players some go on when one has lost by a fault, and the match ends by the game's own reason."""


def ending_words(reason: str, verdicts: Iterable[str | None]) -> str:
    """By the faults of its seats, or else in the game's own words, as `turn limit`."""
    faults = [Verdict(verdict).words for verdict in verdicts if verdict is not None and verdict != Verdict.OK]
    return listed(list(dict.fromkeys(faults))) or reason.replace("_", " ")


def reason_word(reason: str, verdicts: Iterable[str | None]) -> str:
    """Return the fault by which one of two lost, or else the game's own word, which may say no more than that."""
    both = list(verdicts)
    faults = [Verdict(verdict).value for verdict in both if verdict is not None and verdict != Verdict.OK]
    return faults[0] if faults and len(both) == TWO else reason


def plainly_ended(outcome: Outcome) -> Outcome:
    return replace(outcome, reason=reason_word(outcome.reason, [verdict.verdict for verdict in outcome.verdicts]))


def own_turns(seats: Iterable[int]) -> list[int]:
    """`seats`: those of all turns, in order."""
    counts: Counter[int] = Counter()
    numbers = []
    for seat in seats:
        counts[seat] += 1
        numbers.append(counts[seat])
    return numbers


def turn_words(own_turn: int, turn: int) -> str:
    """`turn 4 (match turn 7)`."""
    return f"{'first turn' if own_turn == 1 else f'turn {own_turn}'} (match turn {turn})"


def last_turn_words(seats: Sequence[int], seat: int) -> str:
    """On it a fault was; "" where the seat had none. `seats`: those of all turns."""
    if seat not in seats:
        return ""
    number = max(number for number, of in enumerate(seats, 1) if of == seat)
    return turn_words(own_turns(seats)[number - 1], number)
