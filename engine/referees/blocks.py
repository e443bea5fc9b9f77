"""Blocks out of bytes, and bytes of blocks: how referee programs of the kind `sdk` and Ladder talk. Pure.

How this works. A block is a header, `[[NAME] n]`, and n lines. What a referee says until it waits is a *step*: blocks,
the last of which is a question (`NEXT_PLAYER_INFO`), the end (`SCORES`) or a breakdown (`FAIL`). `\\n`, `\\r\\n` and a
lone `\\r` end a line, for that is how referees count theirs.

The count of a block is trusted. So a bot may say `[[SCORES] 2]`, and a referee may show that in a summary. But some
blocks are shorter than they say, and then the next header ends them. A block with a header among its lines holds what
it says if another header follows its last line. If something else follows, or nothing does and the referee is silent,
the block ended at the first header in it. And where a step that is read in this way asks a question without input, and
a header of input was taken for a line, every header in it is one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from engine.bot.output import LineEnds
from engine.errors import RefereeFault
from engine.immutable import immutable
from engine.text import shortened

VIEW, INFOS, SUMMARY, TOOLTIP, MONITORING = "VIEW", "INFOS", "SUMMARY", "TOOLTIP", "MONITORING"
INPUT, QUESTION = "NEXT_PLAYER_INPUT", "NEXT_PLAYER_INFO"
PARAMETERS, METADATA, SCORES, FAIL = "UINPUT", "METADATA", "SCORES", "FAIL"
KNOWN = frozenset({VIEW, INFOS, SUMMARY, TOOLTIP, MONITORING, INPUT, QUESTION, PARAMETERS, METADATA, SCORES, FAIL})
ENDS_OF_STEPS = frozenset({QUESTION, SCORES, FAIL})
NUMBERS_ONLY = frozenset({QUESTION, SCORES})

MOST_BLOCK_LINES = 100_000
MOST_STEP_LINES = 200_000
MOST_READ_AGAIN = 1_000_000
"""How many lines of a match are read a second time at most: each is, where a block was too short before it."""
MOST_STRAY_BYTES = 4096

MOST_HEADER_BYTES = 100
_HEADER = re.compile(rb"\[\[([A-Za-z0-9_]{1,64})\] ?([0-9]{1,18})\]")


@immutable
class Block:
    """`name`: one of `KNOWN`; `lines`: without their ends."""

    name: str
    lines: tuple[str, ...]


@immutable
class RefereeStep:
    """What a referee said until it waited, without the blocks that nobody knows. The last block says what it wants."""

    blocks: tuple[Block, ...]

    def find(self, name: str) -> Block | None:
        return next((block for block in reversed(self.blocks) if block.name == name), None)

    @property
    def last(self) -> Block:
        return self.blocks[-1]


@dataclass(slots=True)
class _Open:
    """A block that is being read. `header_at`: which of its lines is the first that looks like a header; -1: none."""

    name: str
    line_count: int
    lines: list[bytes] = field(default_factory=list[bytes])
    header_at: int = -1


class BlockReader:
    """Takes what a referee says, in chunks of any size, and gives steps."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._ends = LineEnds()
        self._lines: list[bytes] = []
        self._step_at = self._at = self._read_again = 0
        self._blocks: list[Block] = []
        self._open: _Open | None = None
        self._hid_input = self._every_header_counts = False
        self._stray = bytearray()

    @property
    def stray(self) -> str:
        return self._stray.decode("utf-8", "replace")

    @property
    def is_unsure(self) -> bool:
        """Whether a block is open that may be too short, which only silence shows."""
        return self._open is not None and self._open.header_at >= 0

    @property
    def has_begun(self) -> bool:
        return bool(self._open or self._blocks)

    def feed(self, chunk: bytes) -> None:
        first, *others = self._ends.plain(chunk).split(b"\n")
        self._pieces.append(first)
        if others:
            del self._lines[: self._step_at]
            self._at, self._step_at = self._at - self._step_at, 0
            self._lines += [b"".join(self._pieces), *others[:-1]]
            self._pieces = [others[-1]] if others[-1] else []

    def take(self) -> RefereeStep | None:
        """Return None where the next step is not all there. Raises RefereeFault for what nobody can read."""
        while self._at < len(self._lines):
            if (block := self._open) is None:
                self._begin()
            elif len(block.lines) < block.line_count:
                self._fill(block)
            elif _HEADER.fullmatch(self._lines[self._at]):
                self._close(block)
            else:
                self._cut(block)
            if self._at - self._step_at > MOST_STEP_LINES:
                raise RefereeFault(f"the referee said more than {MOST_STEP_LINES:,} lines without a question")
            if self._blocks and self._blocks[-1].name in ENDS_OF_STEPS:
                return self._end_of_step()
        return None

    def silence(self) -> RefereeStep | None:
        """Take a block that is not full and has a header in it for one that was too short. Raises as `take`."""
        while self._open is not None and self._open.header_at >= 0:
            self._cut(self._open)
            if (step := self.take()) is not None:
                return step
        return None

    def _begin(self) -> None:
        """Take what is outside of blocks: a header, with all of its block where that is there; or text for nobody."""
        line = self._lines[self._at]
        self._at += 1
        header = _header_of(line) if line[:2] == b"[[" and len(line) < MOST_HEADER_BYTES else None
        if header is None:
            self._stray += (line + b"\n")[: MOST_STRAY_BYTES - len(self._stray)]
            return
        name, line_count = header
        if line_count > MOST_BLOCK_LINES:
            raise RefereeFault(
                f"the referee began a block {name} of {line_count:,} lines; at most {MOST_BLOCK_LINES:,}"
            )
        lines = self._lines[self._at : self._at + line_count]
        text = b"\n".join(lines)
        if len(lines) == line_count and b"[[" not in text:  # as nearly always
            self._at += line_count
            self._add(name, text, line_count)
        else:
            self._open = _Open(name, line_count)

    def _fill(self, block: _Open) -> None:
        had = len(block.lines)
        block.lines += self._lines[self._at : self._at + block.line_count - had]
        self._at += len(block.lines) - had
        if block.header_at < 0:
            block.header_at = next(
                (at for at, line in enumerate(block.lines[had:], had) if line[:2] == b"[[" and _known_header(line)), -1
            )
        if block.header_at >= 0 and (self._every_header_counts or block.name in NUMBERS_ONLY):
            self._cut(block)
        elif block.header_at < 0 and len(block.lines) == block.line_count:
            self._close(block)

    def _close(self, block: _Open, *, is_short: bool = False) -> None:
        self._open = None
        if block.header_at >= 0 and not is_short:
            self._hid_input = self._hid_input or any(_known_header(line) == INPUT for line in block.lines)
        if not (is_short and block.name in NUMBERS_ONLY):
            self._add(block.name, b"\n".join(block.lines), len(block.lines))

    def _add(self, name: str, text: bytes, lines: int) -> None:
        if name in KNOWN:
            self._blocks.append(Block(name, tuple(_decoded(name, text).split("\n")) if lines else ()))

    def _cut(self, block: _Open) -> None:
        again = len(block.lines) - block.header_at
        del block.lines[block.header_at :]
        self._read_again_from(self._at - again)
        self._close(block, is_short=True)

    def _read_again_from(self, at: int) -> None:
        self._read_again += self._at - at
        if self._read_again > MOST_READ_AGAIN:
            raise RefereeFault("the referee's blocks are shorter than they say, too often")
        self._at = at

    def _end_of_step(self) -> RefereeStep | None:
        step, hid_input = RefereeStep(tuple(self._blocks)), self._hid_input
        self._blocks, self._hid_input = [], False
        if hid_input and step.last.name == QUESTION and step.find(INPUT) is None:
            self._read_again_from(self._step_at)
            self._every_header_counts = True
            return self.take()
        self._step_at, self._every_header_counts = self._at, False
        return step


def block_of(name: str, lines: tuple[str, ...] | list[str] = ()) -> bytes:
    return "\n".join((f"[[{name}] {len(lines)}]", *lines, "")).encode()


GET_GAME_INFO = block_of("GET_GAME_INFO")
TIMEOUT = block_of("SET_PLAYER_TIMEOUT") + GET_GAME_INFO


def beginning_of_match(players: int, parameters: Mapping[str, str]) -> bytes:
    lines = [f"{key}={value}" for key, value in parameters.items()]
    return block_of("INIT", [str(players), *lines]) + GET_GAME_INFO


@lru_cache(maxsize=256)
def _header_of(line: bytes) -> tuple[str, int] | None:
    header = _HEADER.fullmatch(line)
    return (header[1].decode(), int(header[2])) if header else None


def _known_header(line: bytes) -> str:
    name, _ = _header_of(line) or ("", 0)
    return name if name in KNOWN else ""


def _decoded(name: str, text: bytes) -> str:
    if b"\0" in text:
        raise RefereeFault(f"the referee's {name} has the character NUL in it")
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        near = text[max(0, error.start - 20) : error.end + 20].decode("utf-8", "replace")
        raise RefereeFault(f'the referee\'s {name} is not UTF-8, near "{shortened(near)}"') from error
