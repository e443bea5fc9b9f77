"""A live bot: a program in a sandbox that is asked and answers, one line a turn, within its time.

How this works. The parent's pipe ends are non-blocking and one `poll` waits for all of them: room to write the request,
the answer, debug output, and the end of the process (by its pidfd, because the sandbox's monitor keeps copies of the
pipes, so a bot that closes them sends no end-of-file). The turn's clock is monotonic; it starts when the request is
handed over and stops when the complete line has been read. Debug output is drained all the time so that it never blocks
the bot, but only its beginning is kept.
"""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import suppress
from dataclasses import dataclass

from engine.conversation import NO_ANSWER, Ask, SeatVerdict, Verdict
from engine.errors import SandboxFault
from engine.lines import LONGEST_LINE_BYTES, LineBuffer
from engine.sandbox.box import Box, BoxedProcess, Sandbox

STDERR_KEPT_PER_TURN_BYTES = 4_096
STDERR_KEPT_PER_MATCH_BYTES = 204_800
LAST_WORDS_MS = 100
"""How long a bot that failed may go on writing to stderr, so that its owner sees its last words."""
CHUNK_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the line, or None with the reason. `wall_us` is the time from request to answer, microseconds."""

    line: str | None
    wall_us: int
    fault: SeatVerdict | None = None


class Bot:
    """One running bot. Use as a context manager: the process ends with the block."""

    def __init__(self, sandbox: Sandbox, box: Box, *, early_line_loses: bool = False) -> None:
        """Start the program. Raises SandboxFault where its box cannot be made.

        With `early_line_loses` a line that came before it was asked for is a fault instead of the answer.
        """
        self._process: BoxedProcess = sandbox.start(box)
        self._answers = LineBuffer()
        self._early_line_loses = early_line_loses
        self.early_lines = 0
        """How many asks were answered with a line that had come before they were asked."""
        self._unsent = b""
        self._stderr = bytearray()
        self._stderr_left_bytes = STDERR_KEPT_PER_TURN_BYTES
        self._gone = False
        self._waits_for_room = False
        self._poll = select.poll()
        for descriptor in (self._process.stdout, self._process.stderr, self._process.pidfd):
            self._poll.register(descriptor, select.POLLIN)

    def __enter__(self) -> Bot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def stderr(self) -> str:
        """What was kept of the bot's debug output."""
        return self._stderr.decode("utf-8", "replace")

    def close(self) -> None:
        """End the program. Safe to call again."""
        self._process.kill()

    def ask(self, ask: Ask) -> Reply:
        """Send the lines and wait for one line back, `ask.limit_ms` at most. A bot's failure is in the reply.

        Raises SandboxFault where the program could not be started, which shows only now.
        """
        if self._has_spoken():
            self.early_lines += 1
            if self._early_line_loses:
                return Reply(None, 0, SeatVerdict(Verdict.ILLEGAL, "spoke before it was asked"))
        self._unsent += "".join(f"{line}\n" for line in ask.lines).encode()
        self._stderr_left_bytes = STDERR_KEPT_PER_TURN_BYTES
        started_ns = time.monotonic_ns()  # before the write: it may hand our core to the bot until it has answered
        self._send()
        limit_ns = ask.limit_ms * 1_000_000
        line = self._answers.take()
        if line is None:
            line = self._wait_for_line(started_ns + limit_ns)
        wall_ns = time.monotonic_ns() - started_ns
        if line is None or wall_ns > limit_ns:
            return Reply(None, wall_ns // 1000, self._fault(ask.limit_ms))
        return Reply(line, wall_ns // 1000)

    def _has_spoken(self) -> bool:
        """Say whether a complete line is there already."""
        if not len(self._answers):
            with suppress(BlockingIOError):
                self._answers.feed(os.read(self._process.stdout, CHUNK_BYTES))
        return len(self._answers) > 0

    def _wait_for_line(self, deadline_ns: int) -> str | None:
        while not self._gone and not self._answers.flooded:
            left_ns = deadline_ns - time.monotonic_ns()
            if left_ns <= 0:
                return None
            self._wait_for_something(left_ns)
            line = self._answers.take()
            if line is not None:
                return line
        return None

    def _wait_for_something(self, at_most_ns: int) -> None:
        """Wait once, for at most that long, and do what can be done with each descriptor that woke us."""
        for descriptor, _ in self._poll.poll(at_most_ns / 1e6):
            if descriptor == self._process.stdout:
                self._answers.feed(self._read(descriptor))
            elif descriptor == self._process.stderr:
                self._keep_stderr(self._read(descriptor))
            elif descriptor == self._process.stdin:
                self._send()
            elif not self._gone:
                self._drain()
                self._gone = True

    def _read(self, descriptor: int) -> bytes:
        try:
            chunk = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return b""
        if not chunk:
            self._poll.unregister(descriptor)
        return chunk

    def _drain(self) -> None:
        """Take what a finished process left in its pipes."""
        self._answers.feed(self._read_all(self._process.stdout, LONGEST_LINE_BYTES))
        self._keep_stderr(self._read_all(self._process.stderr, STDERR_KEPT_PER_TURN_BYTES))

    def _read_all(self, descriptor: int, enough_bytes: int) -> bytes:
        collected = b""
        while len(collected) <= enough_bytes:
            try:
                chunk = os.read(descriptor, CHUNK_BYTES)
            except BlockingIOError:
                break
            if not chunk:
                break
            collected += chunk
        return collected

    def _keep_stderr(self, chunk: bytes) -> None:
        room = min(self._stderr_left_bytes, STDERR_KEPT_PER_MATCH_BYTES - len(self._stderr))
        self._stderr += chunk[: max(room, 0)]
        self._stderr_left_bytes -= len(chunk)

    def _send(self) -> None:
        """Write as much of the request as the pipe takes; what is left goes when there is room again."""
        stdin = self._process.stdin
        try:
            while self._unsent:
                self._unsent = self._unsent[os.write(stdin, self._unsent) :]
        except BlockingIOError:
            self._poll.register(stdin, select.POLLOUT)
            self._waits_for_room = True
            return
        except BrokenPipeError:
            self._unsent = b""  # It no longer listens; it may still speak.
        if self._waits_for_room:
            self._poll.unregister(stdin)
            self._waits_for_room = False

    def _fault(self, limit_ms: int) -> SeatVerdict:
        """Say why there is no answer. Called once, for the bot has lost."""
        if self._answers.flooded:
            return SeatVerdict(Verdict.FLOODED, f"more than {LONGEST_LINE_BYTES:,} bytes without a line end")
        self._hear_last_words()
        exit_code = self._exit_code() if self._gone else None
        if exit_code is not None:
            return SeatVerdict(Verdict.CRASHED, describe_exit(exit_code))
        return SeatVerdict(NO_ANSWER.verdict, f"no complete line within {limit_ms} ms")

    def _exit_code(self) -> int | None:
        """Ask the sandbox how the program ended. Raises SandboxFault, with what was said, if it never began."""
        try:
            return self._process.exit_code()
        except SandboxFault as fault:
            raise SandboxFault(f"{fault}: {self.stderr.strip()}") from fault

    def _hear_last_words(self) -> None:
        deadline_ns = time.monotonic_ns() + LAST_WORDS_MS * 1_000_000
        while not self._gone and (left_ns := deadline_ns - time.monotonic_ns()) > 0:
            self._wait_for_something(left_ns)


def describe_exit(exit_code: int) -> str:
    """Put an exit code (negative: killed by that signal) into words."""
    if exit_code >= 0:
        return f"the program ended with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    return f"the program was killed by {name}"
