"""What is kept of a referee program that failed, for those who look into it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.referees.notes import Notebook
from engine.text import harmless

TAIL_BYTES = 64 * 1024


class Tail:
    """The last part of a stream, and how long all of it was."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self.bytes = 0

    def add(self, chunk: bytes) -> None:
        """Take more of it."""
        self.bytes += len(chunk)
        self._kept += chunk[-TAIL_BYTES:]
        if len(self._kept) > 2 * TAIL_BYTES:
            del self._kept[:-TAIL_BYTES]

    @property
    def text(self) -> str:
        """What is kept."""
        return self._kept[-TAIL_BYTES:].decode("utf-8", "replace")

    def titled(self, title: str) -> str:
        """What is kept, under a title that says how much it is of how much."""
        how_much = "all of it" if self.bytes <= TAIL_BYTES else f"the last {TAIL_BYTES:,} of {self.bytes:,} bytes"
        return f"--- {title}, {how_much}:\n{harmless(self.text)}" if self.bytes else f"--- {title}: nothing"


@dataclass(frozen=True, slots=True)
class Evidence:
    """How a referee program ended, and what was said both ways."""

    how_it_ended: str
    said: Tail
    sent: Tail
    stderr: Tail

    def text(self, notebook: Notebook) -> str:
        """Write it down, with what was going on in the match."""
        asked = notebook.questions
        question = "no question had been asked"
        if asked:
            last = asked[-1]
            question = f"the last question, number {len(asked)}, was to seat {last.seat}"
        answered = notebook.last_answer_seat
        answer = "no bot had answered" if answered is None else f"the last answer was that of seat {answered}"
        return "\n".join(
            (
                f"{self.how_it_ended}; {question}; {answer}",
                self.stderr.titled("what it wrote to stderr"),
                self.said.titled("what it said"),
                self.sent.titled("what it was sent"),
            )
        )
