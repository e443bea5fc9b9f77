"""Foragers as a game in Python: by the rules of `foragers.py`, with the usual parameters."""

from collections import defaultdict

from engine.conversation import NO_ANSWER, OK, Ask, Outcome, Referee, SeatVerdict, TimeLimits, Verdict

from .foragers import Answer, Match, Question


def referee(seed: int, rules_level: int, limits: TimeLimits, players: int, **others: int) -> Referee:
    """Play a match; lines for a seat that is not asked come before its next question. `others`: more parameters."""
    given = {"seed": seed, "level": rules_level, "first_ms": limits.first_ms, "turn_ms": limits.turn_ms, **others}
    match = Match(players, {name: str(value) for name, value in given.items()})
    silent: set[int] = set()
    waiting: dict[int, list[str]] = defaultdict(list)
    playing = match.play()
    question = next(playing)
    while True:
        try:
            if question.answer_lines:
                lines = (*waiting.pop(question.seat, []), *question.lines)
                answer = yield Ask(question.seat, lines, question.limit_ms)
                question = playing.send(answer_of(question, answer, silent))
            else:
                waiting[question.seat] += question.lines
                question = playing.send(Answer([]))
        except StopIteration:
            return outcome_of(match, silent)


def answer_of(question: Question, answer: str | None, silent: set[int]) -> Answer:
    """Return what the rules take; note who gave no answer."""
    if answer is None:
        silent.add(question.seat)
        return Answer(None)
    return Answer(answer.split("\n"))


def outcome_of(match: Match, silent: set[int]) -> Outcome:
    faults = {seat: SeatVerdict(Verdict.ILLEGAL, message) for message, seat in match.tooltips}
    verdicts = [NO_ANSWER if seat in silent else faults.get(seat, OK) for seat in range(match.players)]
    return Outcome(tuple(match.scores), "over", tuple(verdicts))
