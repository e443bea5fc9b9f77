"""A recorded match put to a fresh referee program: with the same answers, does it ask the same and end the same?

How this works. A referee cannot know that it talks to a record: it is sent each answer as it was given, with the time
that the turn took, and a time-out where none came. What it asks is compared as it comes, so the first difference ends
the comparison; what it shows people may differ.

A golden record, also of rules in Python, and a file of another program are compared in the same way: a fresh referee is
given its answers, each when it asks for it. A file of an SDK runner says who answered which question, and what was said
for people; a log of cg-brutaltester says the lines that bots heard.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Protocol

from engine.bot.conditions import OFFICIAL, Conditions
from engine.bot.output import Reply
from engine.conversation import NO_ANSWER, Ask, Outcome
from engine.errors import UsageFault
from engine.game import Game
from engine.games.golden import GoldenDifference, MatchRecord, RecordedAsk, quoted
from engine.immutable import immutable
from engine.live import program_referee
from engine.match import MatchResult, MatchSpec, Player, Recorded, converse
from engine.records.runner_file import RunnerRecord, TesterLog, words_of_step
from engine.referees.notes import Notes, Question
from engine.referees.session import ProgramReferee
from engine.rejudge import asks_noted
from engine.sandbox.box import Sandbox


@immutable
class RepeatResult:
    """`questions`: how many the bots were asked again; `difference`: the first, or None."""

    questions: int
    difference: GoldenDifference | None


def put_again(result: MatchResult, sandbox: Sandbox, conditions: Conditions) -> RepeatResult:
    """Raises ArenaError where its questions were not recorded, RefereeFault, and what building its box raises."""
    seats = Answers(result, asks_noted(result))
    difference = _difference(result.spec, sandbox, lambda _: seats, conditions)
    return RepeatResult(seats.ask_count, difference)


class Parted(Exception):
    """The referee asks something else than it did. What: as a `GoldenDifference` has it."""

    def __init__(self, what: str, expected: str, got: str, ask: int | None = None, seat: int | None = None) -> None:
        super().__init__(what)
        self.difference = GoldenDifference(what, expected, got, ask, seat)


class Answers:
    """All seats of a recorded match, which compare what they are asked with what they were asked."""

    def __init__(self, result: MatchResult, expected: Sequence[Ask]) -> None:
        self._result = result
        self._seats = [Recorded(result, seat) for seat in range(result.spec.players)]
        self._expected = expected
        self.ask_count = 0

    def ask(self, ask: Ask) -> Reply:
        self.ask_count += 1
        if self.ask_count > len(self._expected):
            raise Parted("question", "the end of the match", quoted("\n".join(ask.lines)), self.ask_count, ask.seat)
        expected = self._expected[self.ask_count - 1]
        require_same_lines(expected, ask, self.ask_count)
        for what, before, now in (
            ("answer lines", f"{expected.answer_lines}", f"{ask.answer_lines}"),
            ("limit", f"{expected.limit_ms} ms", f"{ask.limit_ms} ms"),
        ):
            if before != now:
                raise Parted(what, before, now, self.ask_count, ask.seat)
        return self._seats[ask.seat].ask(ask)

    def require_same_end(self, outcome: Outcome, notes: Notes) -> None:
        result, count = self._result, self.ask_count
        if count < len(result.turns):
            seat = result.turns[count].seat
            raise Parted("question", f"one to seat {seat}", "the end of the match", count + 1, seat)
        if outcome.scores != result.outcome.scores:
            raise Parted("scores", str(result.outcome.scores), str(outcome.scores))
        before = result.notes.questions if result.notes else ()
        for old, new in zip_longest(before, notes.questions):
            if old != new:
                raise Parted("question without an answer", question_words(old), question_words(new))


def require_same_lines(expected: Ask | RecordedAsk, ask: Ask, number: int) -> None:
    """Raise Parted where a question is to another seat, or another one. `number`: which it is, from 1 on."""
    if ask.seat != expected.seat:
        raise Parted("question", f"to seat {expected.seat}", f"to seat {ask.seat}", number, expected.seat)
    for line, (before, now) in enumerate(zip_longest(expected.lines, ask.lines), 1):
        if before != now:
            raise Parted(f"line {line}", quoted(before), quoted(now), number, ask.seat)


def question_words(question: Question | None) -> str:
    return "none" if question is None else f"to seat {question.seat}: {quoted(question.text)}"


class Expected(Player, Protocol):
    """All seats of a match in a file: they give its answers, and raise Parted where they are asked something else."""

    def require_same_end(self, outcome: Outcome, notes: Notes) -> None: ...


def runner_difference(record: RunnerRecord, game: Game, rules_level: int, sandbox: Sandbox) -> GoldenDifference | None:
    """Raises UsageFault where the file does not fit the game, RefereeFault where the referee breaks."""
    if record.seed is None:
        raise UsageFault("it says no seed, so its match cannot be played again")
    repeating = game.program.repeating(record.parameters) if game.program else ()
    spec = spec_of(game, rules_level, record.seed, len(record.scores), repeating)
    return _difference(spec, sandbox, lambda referee: RunnerSeats(record, referee))


def log_difference(log: TesterLog, seed: int, game: Game, level: int, sandbox: Sandbox) -> GoldenDifference | None:
    """`seed`: of the match. Raises as `runner_difference`."""
    return _difference(spec_of(game, level, seed, log.players), sandbox, lambda _: LogSeats(log))


def record_difference(record: MatchRecord, game: Game, sandbox: Sandbox | None = None) -> GoldenDifference | None:
    """`sandbox`: of a referee program; None: the rules are in Python. Raises UsageFault, RefereeFault."""
    spec = spec_of(game, record.rules_level, record.seed, len(record.scores), record.parameters)
    if sandbox is not None:
        return _difference(spec, sandbox, lambda _: RecordSeats(record))
    seats = RecordSeats(record)
    try:
        outcome, _ = converse(spec, [seats] * spec.players)
        seats.require_same_end(outcome, None)
    except Parted as parted:
        return parted.difference
    return None


def spec_of(game: Game, level: int, seed: int, players: int, parameters: tuple[tuple[str, str], ...] = ()) -> MatchSpec:
    if players not in game.players:
        raise UsageFault(f"its match has {players} players, and {game.name} is not for as many")
    return MatchSpec(game, level, seed, players=players, parameters=parameters)


def _difference(
    spec: MatchSpec, sandbox: Sandbox, seats_of: Callable[[ProgramReferee], Expected], conditions: Conditions = OFFICIAL
) -> GoldenDifference | None:
    with program_referee(spec, sandbox, conditions) as referee:
        referee.ready()
        seats = seats_of(referee)
        try:
            outcome, _ = converse(spec, [seats] * spec.players, referee.conversation())
            seats.require_same_end(outcome, referee.notes())
        except Parted as parted:
            return parted.difference
        return None


class RecordSeats:
    def __init__(self, record: MatchRecord) -> None:
        self._record, self._ask_count = record, 0

    def ask(self, ask: Ask) -> Reply:
        self._ask_count += 1
        if self._ask_count > len(self._record.asks):
            raise Parted("question", "the end of the game", quoted("\n".join(ask.lines)), self._ask_count, ask.seat)
        recorded = self._record.asks[self._ask_count - 1]
        require_same_lines(recorded, ask, self._ask_count)
        return Reply(recorded.answer, fault=NO_ANSWER if recorded.answer is None else None)

    def require_same_end(self, outcome: Outcome, notes: Notes | None) -> None:
        """`notes`: of a program; the protocols have no word for the end."""
        record = self._record
        if self._ask_count < len(record.asks):
            missing = record.asks[self._ask_count]
            early_end = f"the end of the game ({outcome.reason}, scores {outcome.scores})"
            raise Parted("question", quoted("\n".join(missing.lines)), early_end, self._ask_count + 1, missing.seat)
        for what, expected, now in (
            ("scores", record.scores, outcome.scores),
            ("winner", record.winner, outcome.winner),
            ("end", record.end, outcome.reason if notes is None else record.end),
        ):
            if expected != now:
                raise Parted(what, str(expected), str(now))


class RunnerSeats:
    def __init__(self, record: RunnerRecord, referee: ProgramReferee) -> None:
        """`referee`: of which questions that no bot hears are counted, too."""
        self._record, self._referee = record, referee

    def ask(self, ask: Ask) -> Reply:
        if (number := self._referee.questions) > len(self._record.answers):
            raise Parted("question", "the end of the match", f"to seat {ask.seat}", number, ask.seat)
        row = self._record.answers[number - 1]
        others = [seat for seat, line in enumerate(row) if line is not None and seat != ask.seat]
        if others:
            raise Parted("question", f"to seat {others[0]}", f"to seat {ask.seat}", number, ask.seat)
        if (line := row[ask.seat]) is None:
            return Reply(None, fault=NO_ANSWER)
        if (lines := line.count("\n") + 1) != ask.answer_lines:
            raise Parted("answer lines", str(lines), str(ask.answer_lines), number, ask.seat)
        return Reply(line)

    def require_same_end(self, outcome: Outcome, notes: Notes) -> None:
        record = self._record
        for number, expected in enumerate(record.summaries[: len(notes.summaries)], 1):
            if (came := words_of_step(notes, number - 1)) != expected:
                raise Parted(f"summary {number}", quoted(expected), quoted(came))
        if len(notes.questions) != len(record.answers):
            raise Parted("number of questions", str(len(record.answers)), str(len(notes.questions)))
        if outcome.scores != record.scores:
            raise Parted("scores", str(record.scores), str(outcome.scores))


class LogSeats:
    def __init__(self, log: TesterLog) -> None:
        self._log = log
        self._lines = deque(log.lines)
        self._unheard: list[str] = []
        self._ask_count = 0

    def ask(self, ask: Ask) -> Reply:
        self._ask_count += 1
        answer = []
        for _ in range(ask.answer_lines):
            if not self._lines or self._lines[0].seat != ask.seat:
                expected = f"to seat {self._lines[0].seat}" if self._lines else "the end of the match"
                raise Parted("question", expected, f"to seat {ask.seat}", self._ask_count, ask.seat)
            answered = self._lines.popleft()
            self._unheard += answered.heard
            answer.append(answered.line)
        self._hear(ask)
        return Reply("\n".join(answer))

    def _hear(self, ask: Ask) -> None:
        at = 0
        heard_at: list[int] = []
        for line in ask.lines:
            at = next((place for place in range(at, len(self._unheard)) if self._unheard[place] == line), -1) + 1
            if at == 0:
                missed = next((old for place, old in enumerate(self._unheard) if place not in heard_at), None)
                raise Parted(f"line {len(heard_at) + 1}", quoted(missed), quoted(line), self._ask_count, ask.seat)
            heard_at.append(at - 1)
        self._unheard = [line for place, line in enumerate(self._unheard) if place not in set(heard_at)]

    def require_same_end(self, outcome: Outcome, notes: Notes) -> None:
        """In whichever turn the seats were, as the log names bots and not seats."""
        if self._lines:
            seat = self._lines[0].seat
            raise Parted("question", f"to seat {seat}", "the end of the match", len(notes.questions) + 1, seat)
        places, players = outcome.places, self._log.players
        came = ["".join(str(seat) for seat in range(players) if places[seat] == place) for place in sorted(set(places))]
        expected = [set(map(int, group)) for group in self._log.groups]
        turned = [[{(seat + by) % players for seat in group} for group in expected] for by in range(players)]
        if [set(map(int, group)) for group in came] not in turned:
            raise Parted("places", " ".join(self._log.groups), " ".join(came))
