"""What the protocols of referee programs share: answers on their way to the referee, and numbers that it says."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import TypeAlias

from engine.bot.reply import Reply
from engine.conversation import Ask, Outcome
from engine.errors import RefereeFault
from engine.referees.program import RefereeProgram
from engine.text import shortened

Conversation: TypeAlias = Generator[Ask, Reply, Outcome]
"""As a `Referee`, but it is sent whole replies: a referee program may want to know how long an answer took."""

MOST_ANSWER_LINES = 1000
MOST_LIMIT_MS = 60_000
SCORES_BELOW = 2**31
JAVA = "java"
LINE_ENDS_OF_OTHERS = "\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What some readers of lines take for a line end, Java's and Python's among them, and a bot's line goes on after."""
_MADE_VISIBLE = str.maketrans(dict.fromkeys(LINE_ENDS_OF_OTHERS, "\ufffd"))
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


def is_java(program: RefereeProgram) -> bool:
    return JAVA in program.needs or program.command[0].rpartition("/")[2] == JAVA


def answer_for(program: RefereeProgram, answer: str) -> str:
    """Return an answer as the referee may see it: only we end lines, unless its game says that it takes others whole.

    By a line end of others a bot could end its line within, say an opponent's answer too, and void matches that it
    would lose. In which language a referee reads is not seen by its command, so this is for every one.
    """
    return answer if program.keeps_line_ends else answer.translate(_MADE_VISIBLE)


def whole_number(text: str, what: str) -> int:
    """Read a number that the referee says. Raises RefereeFault."""
    if not _NUMBER.fullmatch(text.strip()):
        raise RefereeFault(f'the referee says "{shortened(text)}" for {what}, which is not a whole number')
    return int(text)


def seat_number(text: str, players: int) -> int:
    """Read a seat that the referee says. Raises RefereeFault."""
    seat = whole_number(text, "a seat")
    if not 0 <= seat < players:
        raise RefereeFault(f"the referee speaks of seat {seat}; there are the seats 0 to {players - 1}")
    return seat


def answer_lines_number(text: str) -> int:
    """Read how many lines the referee wants for an answer. Raises RefereeFault."""
    count = whole_number(text, "a number of answer lines")
    if not 0 <= count <= MOST_ANSWER_LINES:
        raise RefereeFault(f"the referee wants an answer of {count:,} lines; 0 to {MOST_ANSWER_LINES:,} are possible")
    return count
