"""Cases: positions in which a bot must not answer as it did when it lost. Each is a file that needs nothing else.

How this works. A file holds what one seat was sent up to a turn of a match, and what its answer there has to be. The
bot is sent that, as if it played, and only its last answer is looked at: no referee runs and no opponent plays. So what
it answered on the way does not count, and the recorded match goes on as it did. A bot that keeps its own account of its
orders may know less than it did in the match.
"""

import json
import re
import shlex
import subprocess
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from engine.bot.conditions import Conditions
from engine.bot.output import Reply
from engine.conversation import Ask
from engine.cores import core_for_a_match
from engine.errors import MissingTool, Refused, UsageFault, plain_words
from engine.live import seat_bot
from engine.sandbox.box import Sandbox
from engine.toolchains.program import Program

NOT = "not"
SLASH = "/"
ORDERS = re.compile(r"[|;\n]")
"""What stands between the orders of an answer in the games here."""


class CaseQuestion(BaseModel):
    """What a seat was sent, and its time. `lines`: of its answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sent: tuple[str, ...]
    limit_ms: int
    lines: int = 1


class Case(BaseModel):
    """A position. `said`: the answer in the match; `turn`: of the match, from 1 on. `expect`: what has to hold of the
    answer (see `holds`); none: that it is another. `judge`: a command that says so in their place.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    game: str
    match: str
    seat: int
    turn: int
    said: str | None
    expect: tuple[str, ...] = ()
    judge: str | None = None
    note: str = ""
    questions: tuple[CaseQuestion, ...]

    @field_validator("expect")
    @classmethod
    def check_expectations(cls, expectations: tuple[str, ...]) -> tuple[str, ...]:
        for expectation in expectations:
            require_expectation(expectation)
        return expectations

    @field_validator("judge")
    @classmethod
    def check_judge(cls, judge: str | None) -> str | None:
        if judge is not None and not shlex.split(judge):
            raise ValueError("the judge is empty: say which command it is")
        return judge

    @field_validator("questions")
    @classmethod
    def check_questions(cls, questions: tuple[CaseQuestion, ...]) -> tuple[CaseQuestion, ...]:
        if not questions:
            raise ValueError("a case without a question")
        return questions

    @property
    def expectation(self) -> str:
        if self.judge is not None:
            return self.judge
        return ", ".join(self.expect) or f"another answer than {'nothing' if self.said is None else self.said}"

    def holds(self, answer: str) -> bool:
        """Say whether an answer is as it should be; that of a judge is not asked for here."""
        if not self.expect:
            return answer.split() != (self.said or "").split()
        return all(holds(expectation, answer) for expectation in self.expect)


def split_expectation(expectation: str) -> tuple[bool, str]:
    """Return whether it begins with "not", and what follows."""
    first, _, rest = expectation.strip().partition(" ")
    return (True, rest.strip()) if first.casefold() == NOT else (False, expectation.strip())


def require_expectation(words: str) -> None:
    _, body = split_expectation(words)
    if not body:
        raise ValueError("an expectation is empty: say for example 'not SURFACE'")
    if is_pattern(body):
        try:
            re.compile(body[1:-1])
        except re.error as error:
            raise ValueError(f"{body} is not a pattern: {error}") from error


def is_pattern(body: str) -> bool:
    return len(body) > 2 and body.startswith(SLASH) and body.endswith(SLASH)


def holds(expectation: str, answer: str) -> bool:
    """Say whether an answer has an order that begins with these words; between slashes: whether a pattern is found;
    after `not`: that it is not so. Upper and lower case are the same.
    """
    is_not, body = split_expectation(expectation)
    words = body.casefold().split()
    orders = [order.split() for order in ORDERS.split(answer.casefold())]
    is_met = any(order[: len(words)] == words for order in orders)
    if is_pattern(body):
        is_met = re.search(body[1:-1], answer, re.IGNORECASE) is not None
    return is_met is not is_not


def read_case(data: bytes) -> Case:
    try:
        return Case.model_validate_json(data)
    except ValidationError as error:
        raise UsageFault(f"it is not a case: {first_fault(error)}") from error


def first_fault(error: ValidationError) -> str:
    first = error.errors()[0]
    return ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")]))


def is_judged_good(case: Case, answer: str, file: Path) -> bool:
    """Ask the judge of a case, in the folder of its file. Raises MissingTool, Refused for one that does not judge."""
    facts = {"sent": [question.sent for question in case.questions], "said": case.said, "answer": answer}
    try:
        words = shlex.split(case.judge or "")
        judged = subprocess.run(words, input=json.dumps(facts), text=True, cwd=file.parent, check=False)
    except (OSError, ValueError) as error:
        raise MissingTool(f"the judge of {file.name} cannot be started: {case.judge}: {plain_words(error)}") from error
    if judged.returncode not in {0, 1}:
        raise Refused(f"the judge of {file.name} ended with {judged.returncode}; 0 is good and 1 is not")
    return judged.returncode == 0


def answer_in_case(case: Case, program: Program, sandbox: Sandbox, conditions: Conditions) -> Reply:
    """Return a bot's last answer to what a case says, or the fault before. Raises what `engine.live.play` raises."""
    reply = Reply(None)
    with core_for_a_match(), seat_bot(program, sandbox, conditions, "") as bot:
        bot.ready()
        for question in case.questions:
            reply = bot.ask(Ask(case.seat, question.sent, question.limit_ms, question.lines))
            if reply.fault:
                break
    return reply
