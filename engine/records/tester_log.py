"""Logs that cg-brutaltester writes with `-l` of matches by the older protocol.

How this works. A log has what the referee said to bots, without the words of the protocol but the first and the last,
and what the bots answered: `Referee: 5 7`, `Player 0: MOVE 3`. To whom the referee spoke is not in it, nor the seed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from engine.errors import UsageFault

LINE = re.compile(r"(?:Player (?P<seat>[0-7])|Referee): (?P<text>.*)")
ERROR = re.compile(r"(?:Player [0-9]+|Referee) error: ")
END = "###End"


@dataclass(frozen=True, slots=True)
class Answered:
    """What the referee said since the answer before, whoever heard it, and one line of an answer."""

    heard: tuple[str, ...]
    seat: int
    line: str


@dataclass(frozen=True, slots=True)
class TesterLog:
    """A log. `groups`: the seats by places, best first, as the referee said them; seats of one group are level."""

    lines: tuple[Answered, ...]
    groups: tuple[str, ...]

    @property
    def players(self) -> int:
        """How many seats there are."""
        return sum(map(len, self.groups))


def read_tester_log(path: Path, text: str) -> TesterLog:
    """Read a log. Raises UsageFault, naming file and line, for what is none."""
    heard: list[str] = []
    answers: list[Answered] = []
    for number, line in enumerate(text.splitlines(), 1):
        found = LINE.fullmatch(line)
        if ERROR.match(line):
            continue
        if found is None:
            raise UsageFault(f"{path}, line {number}: not a line of a log of cg-brutaltester")
        if found["seat"] is not None:
            answers.append(Answered(tuple(heard), int(found["seat"]), found["text"]))
            heard = []
        elif found["text"].startswith(END):
            return TesterLog(tuple(answers), tuple(found["text"].split()[1:]))
        elif not found["text"].startswith("###"):
            heard.append(found["text"])
    raise UsageFault(f"{path}: the log has no {END}; was the match cut off?")
