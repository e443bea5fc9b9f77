"""A match as it can be looked at again, turn by turn: computed from the rules and what was said, never stored.

How this works. The game's referee is led once more with the recorded lines. Where the game brings pictures (see
`engine.frames`), that is its own referee on sides that note what happens to them: so each turn has a state, events and
an advantage. Any other game has lines, times and debug output, and so has a match that was played by other rules than
today's.

A referee program says what has come of an answer together with its next question. So what it says before a question
stands with the turn before that; what it says before the first turn stands with the first.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise
from typing import NamedTuple

from engine.bot.clock import Spent, TimeRule
from engine.conversation import Ask, Outcome, Referee, Verdict, own_turns
from engine.errors import ArenaError
from engine.frames import CurveKind, Damage, Event, Knowledge, View
from engine.immutable import immutable
from engine.match import MatchResult, Turn, check_rules, guard_referee, lead_by_rules, stderr_of_turns
from engine.referees.notes import Notes, Tooltip
from engine.rejudge import ELSEWHERE, asks_noted, is_counted_elsewhere, lead, rulings


@immutable
class Said:
    summary: list[str] = field(default_factory=list[str])
    tooltips: list[Tooltip] = field(default_factory=list[Tooltip])


def said_of_turns(notes: Notes | None, turns: int) -> list[Said]:
    words_of_turns = [Said() for _ in range(turns)]
    if notes is None or not words_of_turns:
        return words_of_turns
    turn = -1
    turn_before = [0]  # for each question, and for the end, from 0; 0 also for the first question
    for question in notes.questions:
        turn += question.limit_ms is not None
        turn_before.append(min(max(turn, 0), turns - 1))
    for step, text in enumerate(notes.summaries):
        if text:
            words_of_turns[turn_before[step]].summary.extend(text.split("\n"))
    for tooltip in notes.tooltips:
        words_of_turns[turn_before[tooltip.question]].tooltips.append(tooltip)
    return words_of_turns


SCHEMA = 1
MOST_TURNING_POINTS = 5
HIDDEN = CurveKind("hidden", "Cells where it could have been, as the opponent knew", "cells")
SUMMARY, TOOLTIP = "summary", "tooltip"
FAULT_EVENTS = {Verdict.TIMEOUT: "timeout", Verdict.ILLEGAL: "illegal"}
CRASHED = "crashed"
FAULT_KINDS = frozenset({CRASHED, *FAULT_EVENTS.values()})
"""The kinds of events by which a seat loses in any game."""


@immutable
class ReplayTurn:
    """One turn. `number` counts the turns of the match from 1, `own_number` those of its seat. `input`: what the seat
    was sent; `limit_ms`: its time; both are None where the rules of today do not lead there. `line`: what it said; None
    where no answer came in time. `ruling`: what the rule for time made of an overrun. `state`, `events`, `advantage`:
    see `engine.frames`; None and nothing where there are no pictures.
    """

    number: int
    seat: int
    own_number: int
    input: tuple[str, ...] | None
    line: str | None
    limit_ms: int | None
    spent: Spent
    ruling: str
    stderr: str
    state: Mapping[str, object] | None = None
    events: tuple[Event, ...] = ()
    advantage: float | None = None


@immutable
class Curve:
    """A number of both seats at the start and after each turn; None where it is not known."""

    kind: CurveKind
    values: tuple[list[float | None], list[float | None]]


@immutable
class SeenAfter:
    turn: int
    view: View


@immutable
class Replay:
    """A match, turn by turn. `setup`, `start`: what never changes, and the state before the first turn. `views`: for
    each seat what it could know. `turning_points`: the turns that cost the loser most of its advantage. `fault`: why
    there are no pictures although the game has some; "" where there are, or it has none. `damage`: which events bring a
    side nearer to losing; None where there are no pictures, or the game does not say so.
    """

    setup: Mapping[str, object] | None
    start: Mapping[str, object] | None
    turns: tuple[ReplayTurn, ...]
    curves: tuple[Curve, ...] = ()
    views: tuple[tuple[SeenAfter, ...], ...] = ()
    turning_points: tuple[int, ...] = ()
    fault: str = ""
    damage: Damage | None = None


class FrameState(NamedTuple):
    """What the pictures say at the start, or after a turn, with what has happened in it."""

    state: Mapping[str, object]
    events: Sequence[Event]
    advantage: float
    values: Sequence[tuple[float, float]]


def replay_of(result: MatchResult, rule: TimeRule | None = None, *, views: bool = True) -> Replay:
    """`rule`: by which its time was judged. `views`: what the seats could know, which takes longer than all else."""
    try:
        check_rules(result)
        return _lead(result, rule, has_views=views)
    except ArenaError as why:
        return Replay(None, None, _turns(result, rule, None), fault=str(why))


def unled(result: MatchResult, rule: TimeRule | None = None) -> Replay:
    """With nothing but what was recorded of its turns, which is quick."""
    return Replay(None, None, _turns(result, rule, None))


def _lead(result: MatchResult, rule: TimeRule | None, *, has_views: bool) -> Replay:
    spec = result.spec
    spec.game.require_lines("this view")
    pictures = None if spec.game.program else spec.game.pictures()
    if pictures is None:
        asks = asks_noted(result) if spec.game.program else _asks(result, lead_by_rules(spec))
        return Replay(None, None, _turns(result, rule, asks))
    frames = pictures.frames(spec.seed, spec.rules_level, spec.limits)
    moments = [FrameState(frames.state(), (), frames.advantage(), frames.values())]

    def look(turn: Turn) -> None:
        events = frames.events(turn.seat, turn.line)
        moments.append(FrameState(frames.state(), events, frames.advantage(), frames.values()))

    turns = _turns(result, rule, _asks(result, guard_referee(spec, lambda: frames.referee), look), moments[1:])
    knowledge = pictures.knowledge if has_views else None
    views = tuple(_views(knowledge, spec.rules_level, turns, seat) for seat in (0, 1))
    return Replay(
        frames.setup,
        moments[0].state,
        turns,
        curves=(*_curves(frames.curves, moments), *_curves_of_views(views, len(turns))),
        views=views,
        turning_points=_turning_points([moment.advantage for moment in moments], result.outcome),
        damage=frames.damage,
    )


def _asks(result: MatchResult, referee: Referee, after: Callable[[Turn], None] | None = None) -> tuple[Ask, ...]:
    asks, outcome = lead(result, referee, after)
    if outcome.scores != result.outcome.scores:
        raise ArenaError(ELSEWHERE)
    return asks


def _turns(
    result: MatchResult, rule: TimeRule | None, asks: Sequence[Ask] | None, moments: Sequence[FrameState] = ()
) -> tuple[ReplayTurn, ...]:
    turns = result.turns
    limits_ms = [ask.limit_ms for ask in asks] if asks else [None] * len(turns)
    counts_here = not is_counted_elsewhere(result)
    ruled = rulings(turns, limits_ms, rule, counts=counts_here) if rule else [""] * len(turns)
    of_referee = said_of_turns(result.notes, len(turns))
    stderr_pieces = stderr_of_turns(turns, dict(enumerate(result.stderr)))
    own_numbers = own_turns(turn.seat for turn in turns)
    replay_turns: list[ReplayTurn] = []
    for index, turn in enumerate(turns):
        moment = moments[index] if moments else None
        words = of_referee[index]
        events = (
            *(moment.events if moment else ()),
            *(Event(SUMMARY, turn.seat, line) for line in words.summary),
            *(Event(TOOLTIP, tooltip.seat, tooltip.text) for tooltip in words.tooltips),
            *_common_events(result, index, ruled[index]),
        )
        replay_turns.append(
            ReplayTurn(
                number=index + 1,
                seat=turn.seat,
                own_number=own_numbers[index],
                input=asks[index].lines if asks else None,
                line=turn.line,
                limit_ms=limits_ms[index],
                spent=turn.spent,
                ruling=ruled[index],
                stderr=stderr_pieces[index],
                state=moment.state if moment else None,
                events=events,
                advantage=moment.advantage if moment else None,
            )
        )
    return tuple(replay_turns)


def _common_events(result: MatchResult, index: int, ruling: str) -> list[Event]:
    turn = result.turns[index]
    events = [Event("overrun", turn.seat, f"Takes longer than its limit: {ruling}.")] if ruling else []
    verdict = result.outcome.verdicts[turn.seat]
    if verdict.verdict is not Verdict.OK and all(later.seat != turn.seat for later in result.turns[index + 1 :]):
        events.append(Event(FAULT_EVENTS.get(verdict.verdict, CRASHED), turn.seat, f"Loses: {verdict.words}."))
    return events


def _views(knowledge: Knowledge | None, level: int, turns: Sequence[ReplayTurn], seat: int) -> tuple[SeenAfter, ...]:
    if knowledge is None:
        return ()
    of_seat = [turn for turn in turns if turn.seat == seat]
    views = knowledge(level, [turn.input or () for turn in of_seat], [turn.line for turn in of_seat])
    return tuple(SeenAfter(turn.number - 1, view) for turn, view in zip(of_seat, views, strict=True))


def _curves(kinds: Sequence[CurveKind], moments: Sequence[FrameState]) -> Iterator[Curve]:
    for index, kind in enumerate(kinds):
        zero, one = zip(*(moment.values[index] for moment in moments), strict=True)
        yield Curve(kind, (list(zero), list(one)))


def _curves_of_views(views: Sequence[Sequence[SeenAfter]], turns: int) -> Iterator[Curve]:
    """Yield for each side in how many cells it could have been, as the other knew; each view holds until the next."""
    if not all(views):
        return
    counts = [{after.turn: after.view.count for after in of_seat} for of_seat in views]
    sides: list[list[float | None]] = [[], []]
    for side, by_other in enumerate(reversed(counts)):
        count: float | None = None
        for turn in range(turns + 1):
            count = by_other.get(turn, count)
            sides[side].append(count)
    yield Curve(HIDDEN, (sides[0], sides[1]))


def _turning_points(advantages: Sequence[float], outcome: Outcome) -> tuple[int, ...]:
    if outcome.winner is None:
        return ()
    sign = 1 if outcome.winner == 0 else -1
    losses = [(sign * (after - before), -turn) for turn, (before, after) in enumerate(pairwise(advantages), 1)]
    return tuple(-turn for loss, turn in sorted(losses, reverse=True)[:MOST_TURNING_POINTS] if loss > 0)
