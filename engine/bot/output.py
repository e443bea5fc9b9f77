"""What comes out of a bot: its reply when it is asked, the lines of that, its debug output, and the metrics in this.

How this works. Lines end as CodinGame's runner reads them. `\\n`, `\\r\\n` or a lone `\\r` ends one. A lone `\\r` ends
it at once, so a `\\n` that comes right after, perhaps in the next chunk, is swallowed instead of making an empty line.
Bytes are UTF-8; invalid ones become U+FFFD. No other character splits a line (`str.splitlines` would split at eight
more). Lines that come before they are asked for wait.

Of the debug output the beginning is kept, per turn and per match; the rest is searched for metrics, counted and
dropped. Of a bot that ends the last words are kept as well, however much it said before: there it says why. What is
kept is one text. Where a turn's share of it ends is counted in bytes while it is collected; bytes become characters
only when all is there, as a character may begin in one turn and end in the next.

Metrics are numbers that bots print about themselves, by psyleague's convention: lines on stderr that begin with a tag.

    [TDATA] key = value     about the match, as the seat that prints it sees it
    [PDATA] key = value     about the seat that prints it
    [PDATA+] key = value    likewise, but the values are summed

Either way a value belongs to the seat that printed it, and the last one counts. A tag, a key, `=` and a value are words
with single blanks between; what follows the value is ignored, and so is every line that is not of this form.
"""

import math
import re
import signal
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Iterable, Mapping
from itertools import pairwise

from engine.bot.clock import Spent
from engine.bot.conditions import FLOOD_BYTES, OutputLimits
from engine.conversation import SeatVerdict, Verdict
from engine.immutable import immutable

NO_TIME = Spent()


@immutable
class Reply:
    """What came back: the line, or lines with line ends between them, or None with the reason; and the turn's times."""

    line: str | None
    spent: Spent = NO_TIME
    fault: SeatVerdict | None = None


MEMORY_WORDS = re.compile(
    r"MemoryError|bad_alloc|OutOfMemoryError|out of memory|heap limit|Cannot allocate memory|memory allocation of|"
    r"insufficient memory|Could not reserve enough space|ENOMEM|exceeds? (?:the )?memory",
    re.IGNORECASE,
)
"""What the runtimes of the languages here say before they end for lack of memory."""


def verdict_of_exit(exit_code: int, last_words: str, memory_mb: int, *, ended_for_memory: bool) -> SeatVerdict:
    """Judge a program that ended instead of answering. `ended_for_memory`: we know it. More often the kernel refuses to
    give more, and the program ends itself: then its runtime's words are all there is to go by, and the message says so.
    """
    how = describe_exit(exit_code)
    if ended_for_memory:
        return SeatVerdict(Verdict.MEMORY, f"{how}; it had used up its {memory_mb} MB of memory")
    if exit_code != 0 and (words := MEMORY_WORDS.search(last_words)):
        return SeatVerdict(Verdict.MEMORY, f'{how}; it wrote "{words[0]}", and may have {memory_mb} MB')
    return SeatVerdict(Verdict.CRASHED, how)


def describe_exit(exit_code: int) -> str:
    """Negative: killed by that signal."""
    if exit_code == 0:
        return "the program ended without an answer (exit code 0)"
    if exit_code > 0:
        return f"the program ended with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    return f"the program was killed by {name}"


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


LAST_WORDS_BYTES = 4096
"""So much of the end is looked at, whatever a league keeps."""
TAGGED_TURN_BYTES = 128 * 1024
"""Two full pipes."""


class DebugOutput:
    def __init__(self, limits: OutputLimits) -> None:
        self._limits = limits
        self._kept = bytearray()
        self._turns_begin: list[int] = []
        self._latest = b""
        self._line = b""
        self._tagged = bytearray()
        self._metrics: Mapping[str, str] = {}
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

    @property
    def metrics(self) -> Mapping[str, str]:
        """Those in all that was said, kept or not, but for more than TAGGED_TURN_BYTES of lines with some in a turn."""
        return metrics_of((self._tagged + self._line).decode("utf-8", "replace"), self._metrics)

    def new_turn(self) -> None:
        self._metrics = metrics_of(self._tagged.decode("utf-8", "replace"), self._metrics)
        self._tagged.clear()
        self._turns_begin.append(len(self._kept))
        self._turn_left_bytes = self._limits.stderr_turn_bytes
        self._turn_dropped_bytes = 0

    def take(self, chunk: bytes) -> None:
        room = max(0, min(self._turn_left_bytes, self._limits.stderr_match_bytes - len(self._kept)))
        self._kept += chunk[:room]
        self._turn_left_bytes -= min(room, len(chunk))
        self._drop(max(0, len(chunk) - room))
        self._latest = (self._latest + chunk[-LAST_WORDS_BYTES:])[-LAST_WORDS_BYTES:]
        self._keep_tagged(self._line + chunk)

    def _keep_tagged(self, said: bytes) -> None:
        """Keep lines in which metrics may be until the turn is over: to read them takes too long while the bot runs."""
        lines_end = said.rfind(b"\n") + 1
        if said.find(b"DATA", 0, lines_end) >= 0 and len(self._tagged) + lines_end <= TAGGED_TURN_BYTES:
            self._tagged += said[:lines_end]
        self._line = said[lines_end : lines_end + LAST_WORDS_BYTES]

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


MOST_METRICS = 100
"""This many keys are kept of each seat."""
LONGEST_METRIC_WORD = 100


def metrics_of(stderr: str, before: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the metrics in a text, together with those `before` it."""
    metrics = dict(before or {})
    for tag, key, value in tagged_lines(stderr):
        if tag == "[PDATA+]":
            add_metric(metrics, key, value)
        else:
            keep_metric(metrics, key, value)
    return metrics


def tagged_lines(text: str) -> Iterable[tuple[str, str, str]]:
    for line in text.split("\n"):
        words = line.strip().split(" ")
        if len(words) >= 4 and words[0] in {"[TDATA]", "[PDATA]", "[PDATA+]"} and words[2] == "=":
            yield words[0], words[1][:LONGEST_METRIC_WORD], words[3][:LONGEST_METRIC_WORD]


def keep_metric(metrics: dict[str, str], key: str, value: str) -> None:
    if key in metrics or len(metrics) < MOST_METRICS:
        metrics[key] = value


def add_metric(metrics: dict[str, str], key: str, value: str) -> None:
    """What is not a number counts for nothing."""
    keep_metric(metrics, key, f"{number_in(metrics.get(key, '0')) + number_in(value):.15g}")


def number_in(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 0.0
