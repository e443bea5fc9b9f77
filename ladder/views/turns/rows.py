"""The turns of a match, one row for each: what was said, all times, whose fault an overrun was.

And matches that this machine has just played, as plain values.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from engine.bot.clock import Clock, Policy, Spent, TimeRule, whose_fault
from engine.conversation import own_turns, turn_words
from engine.immutable import immutable
from engine.match import MatchResult, MatchSpec, Turn, stderr_of_turns
from engine.referees.notes import Notes, Tooltip
from engine.rejudge import asks_of, rulings
from engine.replay import said_of_turns
from engine.toolchains.params import Params


@immutable
class SeatLog:
    """Everything of one seat. `sent`: exactly what it was sent; `said`: a line for each answer; `stderr`: by turns."""

    sent: str
    said: str
    stderr: str


def seat_logs(result: MatchResult) -> tuple[SeatLog, ...]:
    """Return all seats' texts. Raises ArenaError where the match was played by other rules than today's."""
    return tuple(seat_log(result, seat) for seat in range(result.spec.players))


def seat_log(result: MatchResult, seat: int) -> SeatLog:
    lines = [line for ask in asks_of(result) if ask.seat == seat for line in ask.lines]
    answers = [turn.line for turn in result.turns if turn.seat == seat and turn.line is not None]
    sent, said = ("".join(f"{line}\n" for line in part) for part in (lines, answers))
    return SeatLog(sent, said, stderr_by_turn(result, seat))


def stderr_by_turn(result: MatchResult, seat: int) -> str:
    written = stderr_of_turns(result.turns, {seat: result.stderr[seat]})
    numbers = own_turns(turn.seat for turn in result.turns)
    return "".join(
        f"--- {turn_words(nth, number)}\n{text}{'' if text.endswith(chr(10)) else chr(10)}"
        for number, (nth, text) in enumerate(zip(numbers, written, strict=True), 1)
        if text
    )


@immutable
class RefereeTurn:
    """What a referee program said in a turn: the lines since the seat's last, and words for people."""

    sent: tuple[str, ...]
    answer_lines: int
    summary: list[str]
    tooltips: list[Tooltip]


@immutable
class RefereeWords:
    """What a referee program said besides its turns. `metadata`: a line of JSON; `stray`: where it had no turn."""

    PRIVATE: ClassVar = ("metadata", "stray")

    parameters: dict[str, str]
    metadata: str
    stray: str


def referee_words(notes: Notes | None) -> RefereeWords | None:
    return None if notes is None else RefereeWords(dict(notes.parameters), notes.metadata, notes.stray)


def referee_turns(notes: Notes | None, turns: int) -> list[RefereeTurn | None]:
    """Return what a referee program said in each turn of a match of that many; None where that is not known."""
    asks = notes.asks() if notes else ()
    if len(asks) != turns:
        return [None] * turns
    return [
        RefereeTurn(ask.lines, ask.answer_lines, words.summary, words.tooltips)
        for ask, words in zip(asks, said_of_turns(notes, turns), strict=True)
    ]


@immutable
class TurnRow:
    """One turn. `turn`, `own_turn`: counted from 1, of the match and of its seat. `stderr`: what is kept of it.

    `ruling`: what the rule made of an overrun, `fault`: whose one of wall time was; "" without one, None where only
    wall times are known. `limit_ms`: None where it is not known. `referee`: None where the rules are in Python.
    """

    MERGED: ClassVar = ("spent",)
    PRIVATE: ClassVar = ("stderr",)

    turn: int
    seat: int
    line: str | None
    limit_ms: int | None
    charged_us: int
    spent: Spent
    fault: str | None
    ruling: str | None
    stderr: str
    own_turn: int
    referee: RefereeTurn | None = None


def turn_rows(
    turns: Sequence[Turn],
    limits_ms: Sequence[int | None],
    rule: TimeRule | None,
    stderr: Mapping[int, str],
    notes: Notes | None = None,
) -> list[TurnRow]:
    """Return a match's turns. `rule`: None where only wall times are known. `stderr`: what is kept of each seat's."""
    counts = notes is None or not notes.is_monitored
    ruled = rulings(turns, limits_ms, rule, counts=counts) if rule else [None] * len(turns)
    numbers, texts = own_turns([turn.seat for turn in turns]), stderr_of_turns(turns, stderr)
    columns = zip(turns, limits_ms, ruled, texts, numbers, referee_turns(notes, len(turns)), strict=True)
    rows: list[TurnRow] = []
    for number, (turn, limit_ms, ruling, text, nth, referee) in enumerate(columns, 1):
        spent = turn.spent
        fault = None if rule is None or limit_ms is None else whose_fault(spent, limit_ms)
        rows.append(
            TurnRow(
                turn=number,
                seat=turn.seat,
                line=turn.line,
                limit_ms=limit_ms,
                charged_us=spent.charged_us,
                spent=spent,
                fault=fault,
                ruling=ruling,
                stderr=text,
                own_turn=nth,
                referee=referee,
            )
        )
    return rows


def allowances_us(turns: Iterable[Turn]) -> Counter[int]:
    """Add up for each seat what the allowance for its runtime's work bore of its turns; see engine.bot.runtime_work."""
    drawn_us: Counter[int] = Counter()
    for turn in turns:
        drawn_us[turn.seat] += turn.spent.runtime_us
    return drawn_us


@immutable
class PlayedMatch:
    """A match of files, by seats. `points_of_first`: of the bot named first; `kept_as`: its name, if it is kept."""

    MERGED: ClassVar = ("result",)
    SHOWN: ClassVar = ("caution",)

    bots: tuple[str, ...]
    time_policy: Policy
    clock: Clock
    host_faults: int
    points_of_first: float
    result: MatchResult
    turns: list[TurnRow]
    params: tuple[Params, ...]
    kept_as: str | None = None
    referee: RefereeWords | None = None

    @property
    def caution(self) -> str | None:
        return self.result.spec.game.caution


@immutable
class UnplayedMatch:
    """A match that could not be played, as the host was too busy each time. `void`: how that was."""

    bots: tuple[str, ...]
    time_policy: Policy
    clock: Clock
    host_faults: int
    spec: MatchSpec
    void: str


def played_row(match: PlayedMatch | UnplayedMatch) -> dict[str, object]:
    """Return a match as a row of a table, with columns for each seat. What is not known of a void one is None."""
    row: dict[str, object]
    if isinstance(match, UnplayedMatch):
        result = None
        reason = f"void: {match.void}"
        row = {"match": None, "seed": match.spec.seed, "turns": None, "reason": reason, "points": None}
    else:
        result = match.result
        row = {
            "match": match.kept_as,
            "seed": result.spec.seed,
            "turns": len(result.turns),
            "reason": result.outcome.reason,
            "points": match.points_of_first,
        }
    for seat, bot in enumerate(match.bots):
        row |= columns_of_seat(result, seat, bot)
    return row


def columns_of_seat(result: MatchResult | None, seat: int, bot: str) -> dict[str, object]:
    outcome = None if result is None else result.outcome
    charged_us = [turn.spent.charged_us for turn in result.turns if turn.seat == seat] if result else []
    values = {
        "bot": bot,
        "score": outcome and outcome.scores[seat],
        "place": outcome and outcome.places[seat],
        "verdict": outcome and outcome.verdicts[seat].verdict.value,
        "slowest_ms": max(charged_us) / 1000 if charged_us else None,
    }
    return {f"{name}_{seat}": value for name, value in values.items()}
