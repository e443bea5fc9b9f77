"""Running a program in a box to its end: for compilers, syntax checks and probes. Bots are talked to in the match."""

from __future__ import annotations

import math
import os
import select
import time
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from enum import Enum, auto

from engine.errors import HostBusy, SandboxFault
from engine.immutable import immutable
from engine.sandbox.box import Box, BoxedProcess, Sandbox
from engine.sandbox.budget import LOOK_EVERY_S, Budget, BudgetUse

CHUNK_BYTES = 65536
MOST_FILES = 20_000
"""In memory, at any moment, of a program that may write. Each takes a kilobyte of the kernel's own memory, which no
limit on size counts."""


@immutable
class Finished:
    """`exit_code`: negative for the signal that killed it. `truncated`: it said more. Others: why it was killed."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    truncated: bool
    too_many_files: bool = False
    too_much_memory: bool = False


class _End(Enum):
    OVER = auto()
    LATE = auto()
    OUT_OF_TIME = auto()
    TOO_MANY_FILES = auto()
    TOO_MUCH_MEMORY = auto()


@dataclass(slots=True)
class _Output:
    """The first `most_bytes` of one stream; the rest is read and dropped, so that its writer never blocks."""

    most_bytes: int
    first: bytearray = field(default_factory=bytearray)
    truncated: bool = False

    def take(self, descriptor: int) -> bool:
        try:
            chunk = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return False
        room = self.most_bytes - len(self.first)
        self.first += chunk[:room]
        self.truncated = self.truncated or len(chunk) > room
        return chunk != b""


def run_to_end(
    sandbox: Sandbox,
    box: Box,
    stdin: bytes = b"",
    *,
    wall_limit_s: float,
    output_kb: int,
    stdout_kb: int | None = None,
    budget: Budget | None = None,
) -> Finished:
    """Run a program with `stdin` to its end, or kill it after `wall_limit_s` or when it has made too many files; keep
    `output_kb` of each stream. `stdout_kb`, where it is given, is what is kept of its standard output. `budget`: what
    it and all that it starts may use; then it is killed when that is used up, and HostBusy is raised where
    `wall_limit_s` is over before. Raises SandboxFault where the box could not be made.
    """
    process = sandbox.start(box)
    process.ready()
    process.release()
    stdout, stderr = _Output((output_kb if stdout_kb is None else stdout_kb) * 1024), _Output(output_kb * 1024)
    outputs = {process.stdout: stdout, process.stderr: stderr}
    try:
        with ExitStack() as accounts:
            use = accounts.enter_context(closing(BudgetUse(budget, process.pid))) if budget else None
            look = _Look(process, use, box.writable)
            end = _converse(process, memoryview(stdin), outputs, time.monotonic() + wall_limit_s, look)
        for descriptor, output in outputs.items() if end is _End.OVER else ():
            while output.take(descriptor):
                pass
        too_much_memory = end is _End.TOO_MUCH_MEMORY or process.ran_out_of_memory()
    finally:
        process.kill()
    if end is _End.LATE and use and not use.may_be_out_of_time():
        raise HostBusy(
            f"the host was so busy that a program of {use.charged_s():.0f} s had not ended after "
            f"{wall_limit_s:.0f} s; fewer programs beside it would help"
        )
    return Finished(
        _exit_code(process, stderr),
        bytes(stdout.first),
        bytes(stderr.first),
        timed_out=end in {_End.LATE, _End.OUT_OF_TIME},
        truncated=stdout.truncated or stderr.truncated,
        too_many_files=end is _End.TOO_MANY_FILES,
        too_much_memory=too_much_memory,
    )


def _exit_code(process: BoxedProcess, stderr: _Output) -> int:
    try:
        code = process.exit_code()
    except SandboxFault as fault:
        raise SandboxFault(f"{fault}: {stderr.first.decode(errors='replace').strip()}") from fault
    if code is None:
        raise AssertionError("a killed program has an exit code")
    return code


@dataclass(slots=True)
class _Look:
    process: BoxedProcess
    account: BudgetUse | None
    may_write: bool
    next_s: float = 0.0

    def find_end(self) -> _End | None:
        if (now_s := time.monotonic()) < self.next_s:
            return None
        self.next_s = now_s + LOOK_EVERY_S
        if self.may_write and self.process.files_made() > MOST_FILES:
            return _End.TOO_MANY_FILES
        if self.account is None:
            return None
        self.account.look()
        if self.account.is_out_of_memory() or self.process.ran_out_of_memory():
            return _End.TOO_MUCH_MEMORY
        return _End.OUT_OF_TIME if self.account.is_out_of_time() else None


def _converse(
    process: BoxedProcess, stdin: memoryview, outputs: dict[int, _Output], deadline: float, look: _Look
) -> _End:
    poll = select.poll()
    poll.register(process.stdin, select.POLLOUT)
    for descriptor in (*outputs, process.pidfd):
        poll.register(descriptor, select.POLLIN)
    most_pause_ms = 1000 * LOOK_EVERY_S if look.may_write or look.account else math.inf
    while (left_s := deadline - time.monotonic()) > 0:
        for descriptor, _ in poll.poll(min(left_s * 1000, most_pause_ms)):
            if descriptor == process.pidfd:
                return _End.OVER
            if descriptor == process.stdin:
                stdin = _feed(descriptor, stdin)
                if not stdin:
                    poll.unregister(descriptor)
            elif not outputs[descriptor].take(descriptor):
                poll.unregister(descriptor)
        if (end := look.find_end()) is not None:
            return end
    return _End.LATE


def _feed(descriptor: int, data: memoryview) -> memoryview:
    """After the last byte, or where the reader is gone, the stream ends."""
    with suppress(BlockingIOError):
        try:
            data = data[os.write(descriptor, data) :]
        except BrokenPipeError:
            data = data[:0]
    if not data:  # close our end of the pipe but keep its number taken, as the process still owns and later closes it
        null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.dup2(null, descriptor, inheritable=False)
        os.close(null)
    return data
