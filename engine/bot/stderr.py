"""What is kept of a bot's debug output: its beginning, per turn and per match; the rest is counted and dropped.

Of a bot that ends the last words are kept as well, however much it said before: there it says why.

What is kept is one text. Where a turn's share of it ends is counted in bytes while it is collected; bytes become
characters only when all is there, as a character may begin in one turn and end in the next.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from itertools import pairwise

from engine.bot.conditions import OutputLimits

LAST_WORDS_BYTES = 4096
"""So much of the end is looked at, whatever a league keeps."""


class DebugOutput:
    def __init__(self, limits: OutputLimits) -> None:
        self._limits = limits
        self._kept = bytearray()
        self._turns_begin: list[int] = []
        self._latest = b""
        self._turn_left_bytes = limits.stderr_turn_bytes
        self._turn_dropped_bytes = 0
        self.dropped_bytes = 0

    @property
    def text(self) -> str:
        return self._kept.decode("utf-8", "replace")

    @property
    def turn_chars(self) -> list[int]:
        """How many characters of `text` each turn wrote. A character that two turns share is the later one's."""
        if not self._kept:
            return [0] * len(self._turns_begin)
        decode = getincrementaldecoder("utf-8")("replace").decode
        turns = list(pairwise([*self._turns_begin, len(self._kept)]))
        return [len(decode(self._kept[begin:end], (begin, end) == turns[-1])) for begin, end in turns]

    @property
    def last_words(self) -> str:
        """The end of all that was said, kept or not: where a program says why it ends."""
        return self._latest.decode("utf-8", "replace")

    def new_turn(self) -> None:
        self._turns_begin.append(len(self._kept))
        self._turn_left_bytes = self._limits.stderr_turn_bytes
        self._turn_dropped_bytes = 0

    def take(self, chunk: bytes) -> None:
        room = max(0, min(self._turn_left_bytes, self._limits.stderr_match_bytes - len(self._kept)))
        self._kept += chunk[:room]
        self._turn_left_bytes -= min(room, len(chunk))
        self._drop(max(0, len(chunk) - room))
        self._latest = (self._latest + chunk[-LAST_WORDS_BYTES:])[-LAST_WORDS_BYTES:]

    def keep_last_words(self) -> None:
        """When the bot has ended, keep the end of this turn's output too: a turn's share of it at most."""
        most_bytes = min(self._turn_dropped_bytes, self._limits.stderr_turn_bytes)
        last = self._latest[-most_bytes:] if most_bytes else b""
        between_bytes = self._turn_dropped_bytes - len(last)
        if last and between_bytes:
            self._kept += b"\n[%d bytes were dropped here]\n" % between_bytes
        self._kept += last
        self._drop(-len(last))

    def _drop(self, count_bytes: int) -> None:
        self._turn_dropped_bytes += count_bytes
        self.dropped_bytes += count_bytes
