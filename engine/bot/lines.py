"""Lines out of bytes, as CodinGame's runner reads a bot's answers.

How this works. `\\n`, `\\r\\n` or a lone `\\r` ends a line. A lone `\\r` ends it at once, so a `\\n` that comes right
after, perhaps in the next chunk, is swallowed instead of making an empty line. Bytes are UTF-8; invalid ones become
U+FFFD. No other character splits a line (`str.splitlines` would split at eight more). Lines that come before they are
asked for wait.
"""

from __future__ import annotations

from collections import deque

FLOOD_BYTES = 10_000
"""This many bytes without a line end are no answer; source: the transport rules of CodinGame's runner."""


class LineEnds:
    """Puts a newline in the place of every other line end, which may go on from the chunk before."""

    def __init__(self) -> None:
        self._after_return = False

    def plain(self, chunk: bytes) -> bytes:
        if not self._after_return and b"\r" not in chunk:
            return chunk
        if self._after_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_return = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


class LineBuffer:
    """Collects chunks and hands out complete lines. `answer_lines`: how many the answer has that is waited for."""

    def __init__(self, flood_bytes: int = FLOOD_BYTES) -> None:
        self._flood_bytes = flood_bytes
        self._partial = b""
        self._lines: deque[str] = deque()
        self._ends = LineEnds()
        self.answer_lines = 1
        self.flooded = False
        """Whether a line grew too long; nothing more is read then."""

    def feed(self, chunk: bytes) -> None:
        if self.flooded or not chunk:
            return
        *complete, self._partial = (self._partial + self._ends.plain(chunk)).split(b"\n")
        for line in complete:
            if len(line) >= self._flood_bytes:
                self.flooded = True
                return
            self._lines.append(line.decode("utf-8", "replace"))
        self.flooded = len(self._partial) >= self._flood_bytes

    def take(self) -> str | None:
        """Return the oldest lines that make a whole answer, without the last one's end, or None."""
        if self.answer_lines == 1:
            return self._lines.popleft() if self._lines else None
        if len(self._lines) < self.answer_lines:
            return None
        return "\n".join(self._lines.popleft() for _ in range(self.answer_lines))

    @property
    def has_answer(self) -> bool:
        return len(self._lines) >= self.answer_lines

    @property
    def lacking(self) -> str:
        """Say what there is of an answer that is not whole."""
        return f"{len(self._lines)} of {self.answer_lines} lines" if self._lines else "no complete line"

    def __len__(self) -> int:
        return len(self._lines)
