"""Matches in the files of other programs: what runners of CodinGame's SDK write, and logs of cg-brutaltester.

How this works. A runner's file has one entry for each question in each of its lists, in their order, and one for the
end; a seat's lists begin with an entry of before the first question. Where a seat was not asked, or gave no answer, the
entry is null. The questions themselves are not in it; texts of several lines end each with a line end. What nobody asks
a person for (the output of the referee's own process) is empty.

A log has what the referee said to bots, without the words of the protocol but the first and the last, and what the bots
answered: `Referee: 5 7`, `Player 0: MOVE 3`. To whom the referee spoke is not in it, nor the seed.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.conversation import MOST_PLAYERS
from engine.errors import UsageFault
from engine.immutable import immutable
from engine.match import MatchResult, stderr_of_turns
from engine.referees.notes import Notes, Question
from engine.rejudge import asks_of

LINE = re.compile(r"(?:Player (?P<seat>[0-7])|Referee): (?P<text>.*)")
ERROR = re.compile(r"(?:Player [0-9]+|Referee) error: ")
END = "###End"


@immutable
class AnsweredLine:
    """What the referee said since the answer before, whoever heard it, and one line of an answer."""

    heard: tuple[str, ...]
    seat: int
    line: str


@immutable
class TesterLog:
    """`groups`: the seats by places, best first, as the referee said them; seats of one group are level."""

    lines: tuple[AnsweredLine, ...]
    groups: tuple[str, ...]

    @property
    def players(self) -> int:
        return sum(map(len, self.groups))


def read_tester_log(path: Path, text: str) -> TesterLog:
    """Raises UsageFault, naming file and line."""
    lines_heard: list[str] = []
    answers: list[AnsweredLine] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = LINE.fullmatch(line)
        if ERROR.match(line):
            continue
        if match is None:
            raise UsageFault(f"{path}, line {number}: not a line of a log of cg-brutaltester")
        if match["seat"] is not None:
            answers.append(AnsweredLine(tuple(lines_heard), int(match["seat"]), match["text"]))
            lines_heard = []
        elif match["text"].startswith(END):
            return TesterLog(tuple(answers), tuple(match["text"].split()[1:]))
        elif not match["text"].startswith("###"):
            lines_heard.append(match["text"])
    raise UsageFault(f"{path}: the log has no {END}; was the match cut off?")


@immutable
class RunnerRecord:
    """`seed`: None where the file says none; `parameters`: all that the referee gave back. `answers`: for each question
    what each seat said, None for nothing. `summaries`: before each question, and the end, "" for nothing.
    """

    seed: int | None
    parameters: tuple[tuple[str, str], ...]
    answers: tuple[tuple[str | None, ...], ...]
    scores: tuple[int, ...]
    summaries: tuple[str, ...]


def runner_data(result: MatchResult, names: Sequence[str]) -> dict[str, Any]:
    """`names`: of the bots. Raises ArenaError where its questions are unknown."""
    notes, seats = result.notes, range(result.spec.players)
    if notes is None:
        asks = asks_of(result)
        questions = tuple(Question(ask.seat, "", ask.answer_lines, ask.limit_ms) for ask in asks)
        notes = Notes(questions, ("",) * (len(asks) + 1), ("",) * (len(asks) + 1))
    steps = len(notes.questions) + 1
    parameters = notes.parameters or (("seed", str(result.spec.seed)),)
    outputs, errors = answers_of(result, notes)
    data = {
        "errors": {"referee": [""] * (steps + 1), **{str(seat): [None, *errors[seat]] for seat in seats}},
        "outputs": {"referee": [""] * steps, **{str(seat): [None, *outputs[seat]] for seat in seats}},
        "summaries": [with_line_end(words_of_step(notes, step)) for step in range(steps)],
        "views": [with_line_end(notes.views[step]) if step < len(notes.views) else None for step in range(steps)],
        "scores": {str(seat): score for seat, score in enumerate(result.outcome.scores)},
        "uinput": ["".join(f"{key}={value}\n" for key, value in parameters)],
        "tooltips": [{"turn": tip.question, "text": tip.text, "event": tip.seat} for tip in notes.tooltips],
        "agents": [{"index": seat, "name": names[seat], "avatar": "", "agentId": seat} for seat in seats],
        "ids": {str(seat): seat for seat in seats},
    }
    return {**data, "metadata": with_line_end(notes.metadata)} if notes.metadata else data


def runner_text(result: MatchResult, names: Sequence[str]) -> str:
    return json.dumps(runner_data(result, names), ensure_ascii=False, separators=(",", ":"))


def answers_of(result: MatchResult, notes: Notes) -> tuple[list[list[str | None]], list[list[str | None]]]:
    """Return for each seat, question by question, what it said and wrote to stderr; None for nothing."""
    players = result.spec.players
    outputs: list[list[str | None]] = [[] for _ in range(players)]
    errors: list[list[str | None]] = [[] for _ in range(players)]
    turns = iter(zip(result.turns, stderr_of_turns(result.turns, dict(enumerate(result.stderr))), strict=True))
    failed: set[int] = set()
    for question in notes.questions:
        output = None if question.seat in failed else ""
        error = None
        if question.limit_ms is not None:
            turn, stderr = next(turns)
            output = None if turn.line is None else f"{turn.line}\n"
            error = stderr or None
            if turn.line is None:
                failed.add(turn.seat)
        for seat in range(players):
            outputs[seat].append(output if seat == question.seat else None)
            errors[seat].append(error if seat == question.seat else None)
    return outputs, errors


def words_of_step(notes: Notes, step: int) -> str:
    return notes.summaries[step] or notes.infos[step]


def with_line_end(text: str) -> str | None:
    return f"{text}\n" if text else None


def read_runner_file(path: Path, text: str) -> RunnerRecord:
    try:
        return record_of(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise UsageFault(f"{path} is not a file of a match as runners of the SDK write them ({error})") from error


def record_of(data: Mapping[str, Any]) -> RunnerRecord:
    """Raises ValueError, KeyError and the like for anything else."""
    scores = {int(seat): int(score) for seat, score in data["scores"].items()}
    if not 2 <= len(scores) <= MOST_PLAYERS or sorted(scores) != list(range(len(scores))):
        raise ValueError("its scores are not those of 2 to 8 seats")
    if not (summaries := tuple((text or "").rstrip("\n") for text in data["summaries"])):
        raise ValueError("it has no summaries")
    questions = len(summaries) - 1
    outputs = [last_entries(data["outputs"][str(seat)], questions) for seat in range(len(scores))]
    answers = tuple(
        tuple(None if answer is None else answer.removesuffix("\n") for answer in row)
        for row in zip(*outputs, strict=True)
    )
    lines = [line for text in data.get("uinput") or data.get("gameParameters") or () for line in text.splitlines()]
    parameters = tuple((key, value) for key, mark, value in (line.partition("=") for line in lines) if mark)
    seed = int(dict(parameters)["seed"]) if "seed" in dict(parameters) else None
    in_order = tuple(scores[seat] for seat in range(len(scores)))
    return RunnerRecord(seed, parameters, answers if questions else (), in_order, summaries)


def last_entries(entries: Sequence[str | None], count: int) -> Sequence[str | None]:
    """Return the entries of so many questions, without one of before the first. Raises ValueError."""
    if len(entries) - count not in {0, 1}:
        raise ValueError(f"a seat has {len(entries)} outputs and there are {count} questions")
    return entries[len(entries) - count :]
