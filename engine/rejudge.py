"""How a finished match would have ended under another rule for time. Pure: turns in, judgement out.

How this works. The turns are judged again in their order, each with its times and its limit, until one is judged
otherwise than it was; what would have been said from there on is unknown. Which of its two limits a turn had is not
recorded: it comes from leading the conversation once more with the lines that were said. Of a match that a referee
program led the questions are recorded, limits and all. A turn that gave no answer for
another reason than time (a crash, a flood ...) keeps that reason.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum

from engine.bot.clock import TimeRule
from engine.conversation import Ask, Outcome, Referee, Verdict
from engine.errors import ArenaError
from engine.immutable import immutable
from engine.match import MatchResult, Turn, check_rules, lead_by_rules

ELSEWHERE = "the match's record leads to another end: the rules have changed since it was played"
LEFT_TO_REFEREE = "left to the referee, which counts overruns itself"


class RejudgedEnd(StrEnum):
    """`timeout`: a seat loses by time-out on a turn that was taken. `open`: a turn that lost by time-out does not."""

    SAME = "same"
    TIMEOUT = "timeout"
    OPEN = "open"


@immutable
class Decisive:
    """`turn`: of the match, from 1; `counted_us`: by the rule's clock; `overruns`: its seat's, this one included."""

    seat: int
    turn: int
    limit_ms: int
    counted_us: int
    overruns: int


@immutable
class Rejudged:
    end: RejudgedEnd
    decisive: Decisive | None = None


def rejudge(result: MatchResult, limits_ms: Sequence[int], rule: TimeRule) -> Rejudged:
    """`limits_ms`: one for each turn, see `limits_of`."""
    overruns = [0] * result.spec.players
    counts = not is_counted_elsewhere(result)
    for number, (turn, limit_ms) in enumerate(zip(result.turns, limits_ms, strict=True), 1):
        lost = rule.loses(turn.spent, limit_ms, overruns[turn.seat])
        overruns[turn.seat] += counts and rule.is_overrun(turn.spent, limit_ms)
        is_timeout = result.outcome.verdicts[turn.seat].verdict is Verdict.TIMEOUT
        is_late = is_timeout and turn.spent.wall_us > 1000 * limit_ms
        if lost != (turn.line is None) and (is_late or turn.line is not None):  # else it failed otherwise
            counted_us = turn.spent.counted_us(rule.clock)
            decisive = Decisive(turn.seat, number, limit_ms, counted_us, overruns[turn.seat])
            return Rejudged(RejudgedEnd.TIMEOUT if lost else RejudgedEnd.OPEN, decisive)
    return Rejudged(RejudgedEnd.SAME)


def is_counted_elsewhere(result: MatchResult) -> bool:
    return result.notes is not None and result.notes.is_monitored


def rulings(
    turns: Sequence[Turn], limits_ms: Sequence[int | None], rule: TimeRule, *, counts: bool = True
) -> list[str]:
    """Say of each turn whether an overrun is forgiven, or, where that is not plain, why it lost; "" without one, and
    where the limit is not known. `counts`: false where the referee counts overruns.
    """
    overruns: Counter[int] = Counter()
    words: list[str] = []
    for turn, limit_ms in zip(turns, limits_ms, strict=True):
        if limit_ms is None or not rule.is_overrun(turn.spent, limit_ms):
            words.append("")
            continue
        earlier = overruns[turn.seat]
        if rule.loses(turn.spent, limit_ms, earlier):
            words.append(rule.breach(turn.spent.counted_us(rule.clock), limit_ms))
        else:
            words.append("" if turn.line is None else rule.pardon(turn.spent, limit_ms, earlier))
        overruns[turn.seat] += counts
        if words[-1] and turn.line is not None and not counts:
            words[-1] = LEFT_TO_REFEREE
    return words


def overruns_of(result: MatchResult, limits_ms: Sequence[int], rule: TimeRule) -> tuple[int, ...]:
    turns = zip(result.turns, limits_ms, strict=True)
    over = [turn.seat for turn, limit_ms in turns if rule.is_overrun(turn.spent, limit_ms)]
    return tuple(over.count(seat) for seat in range(result.spec.players))


def limits_of(result: MatchResult) -> tuple[int, ...]:
    """In milliseconds. Raises ArenaError as `asks_of` does."""
    return tuple(ask.limit_ms for ask in asks_of(result))


def asks_of(result: MatchResult) -> tuple[Ask, ...]:
    """Raises ArenaError where it is not played by today's rules, or a program's questions are not known."""
    if result.spec.game.program:
        return asks_noted(result)
    check_rules(result)
    return lead(result, lead_by_rules(result.spec))[0]


def lead(
    result: MatchResult, referee: Referee, after: Callable[[Turn], None] | None = None
) -> tuple[tuple[Ask, ...], Outcome]:
    """Return what was asked, and the end; `after` is called after each turn. Raises ArenaError where it goes astray."""
    asks: list[Ask] = []
    outcome: Outcome | None = None
    ask = next(referee, None)
    for turn in result.turns:
        if outcome is not None or ask is None or ask.seat != turn.seat:
            raise ArenaError(ELSEWHERE)
        asks.append(ask)
        try:
            ask = referee.send(turn.line)
        except StopIteration as end:
            outcome = end.value
        if after is not None:
            after(turn)
    if outcome is None:
        raise ArenaError(ELSEWHERE)
    return tuple(asks), outcome


def asks_noted(result: MatchResult) -> tuple[Ask, ...]:
    asks = result.notes.asks() if result.notes else ()
    if [ask.seat for ask in asks] != [turn.seat for turn in result.turns]:
        raise ArenaError("the questions of this match were not recorded, and its referee is a program")
    return asks
