"""A referee program that runs: in a box as bots are, with limits of its own, and the evidence of what it did.

How this works. The referee is a stranger's program, in a box as bots are, with its files to read and nothing to write
to, and not frozen while bots have their turns. What it does wrong is a `RefereeFault`, never a bot's loss: an end
before the end, silence for too long, too much CPU time, memory or output. Its limit for a question is of time in which
it computes or sleeps. Waits for a core are the host's, and where they last for too long the host is to blame, as with
bots. The kernel keeps its memory and threads in bounds at any time; the other limits are looked at while we wait for
it.
"""

from __future__ import annotations

import os
import select
import time
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING

from engine.bot.clock import TimeRule
from engine.bot.output import describe_exit, verdict_of_exit
from engine.boxes import MEGABYTE, Limits
from engine.conversation import TimeLimits
from engine.errors import HostBusy, MissingTool, RefereeFault, UsageFault
from engine.immutable import immutable
from engine.referees.notes import Notebook
from engine.referees.program import JAVA, JarStart, ProgramBounds, RefereeProgram
from engine.sandbox.box import Box, BoxedProcess, Sandbox, read_now
from engine.text import harmless, shortened, time_words
from engine.toolchains.languages import Toolchain, find_language
from engine.toolchains.program import missing_tools, present_folders, search_path, shown_folders

if TYPE_CHECKING:
    from engine.match import MatchSpec

FIRST_LIMIT_MS, TURN_LIMIT_MS = 1000, 100
"""Of bots' answers, where neither the referee nor anybody else sets limits."""


@immutable
class MatchSetup:
    """A match that a referee program leads, and the rule by which the time of its bots is judged."""

    spec: MatchSpec
    time: TimeRule = TimeRule()

    @property
    def program(self) -> RefereeProgram:
        """Raises UsageFault for a game without one."""
        if self.spec.game.program is None:
            raise UsageFault(f"{self.spec.game.name} has no referee program: its rules are in Python")
        return self.spec.game.program

    @property
    def all_parameters(self) -> dict[str, str]:
        return {"seed": str(self.spec.seed), **dict(self.program.parameters), **dict(self.spec.parameters)}

    def limit_ms(self, *, is_first: bool, own_ms: int | None = None) -> int:
        usual = TimeLimits(FIRST_LIMIT_MS, TURN_LIMIT_MS).but(own_ms, own_ms)
        limits = (self.program.limits or usual).but(self.spec.first_limit_ms, self.spec.turn_limit_ms)
        return limits.first_ms if is_first else limits.turn_ms

    def require_seed_in_range(self) -> None:
        if self.program.seed_bits == 31 and not 0 <= self.spec.seed < 2**31:
            raise UsageFault(f"seeds of this game's referee are 0 to {2**31 - 1}; {self.spec.seed} is none of them")


TAIL_BYTES = 64 * 1024


class Tail:
    """The last part of a stream, and how long all of it was."""

    def __init__(self) -> None:
        self._bytes_kept = bytearray()
        self.bytes = 0

    def add(self, chunk: bytes) -> None:
        self.bytes += len(chunk)
        self._bytes_kept += chunk[-TAIL_BYTES:]
        if len(self._bytes_kept) > 2 * TAIL_BYTES:
            del self._bytes_kept[:-TAIL_BYTES]

    @property
    def text(self) -> str:
        return self._bytes_kept[-TAIL_BYTES:].decode("utf-8", "replace")

    def with_title(self, title: str) -> str:
        how_much = "all of it" if self.bytes <= TAIL_BYTES else f"the last {TAIL_BYTES:,} of {self.bytes:,} bytes"
        return f"--- {title}, {how_much}:\n{harmless(self.text)}" if self.bytes else f"--- {title}: nothing"


@immutable
class Evidence:
    how_it_ended: str
    said: Tail
    sent: Tail
    stderr: Tail

    def text(self, notebook: Notebook) -> str:
        questions, answered = notebook.questions, notebook.last_answer_seat
        question = "no question had been asked"
        if questions:
            question = f"the last question, number {len(questions)}, was to seat {questions[-1].seat}"
        answer = "no bot had answered" if answered is None else f"the last answer was that of seat {answered}"
        stderr, said = self.stderr.with_title("what it wrote to stderr"), self.said.with_title("what it said")
        sent = self.sent.with_title("what it was sent")
        return "\n".join((f"{self.how_it_ended}; {question}; {answer}", stderr, said, sent))


CHUNK_BYTES = 65_536
LOOK_EVERY_S = 0.1
"""How often at least its CPU time and its memory are looked at."""
THREADS = 64
LAST_WORDS_S = 0.1
MOST_WAITS = 4
"""So many times its limit a referee may wait for a core besides, before the host is too busy for it."""
LEAST_MORE_S = 0.1
"""A referee that is given more time is looked at again after so long at the earliest."""


def box_of(program: RefereeProgram, start: JarStart | None = None) -> Box:
    """Raises MissingTool where what it needs is not here."""
    needs = {*program.needs, JAVA} if program.needs_java else program.needs
    runtimes = [runtime_here(name) for name in sorted(needs)]
    folders = present_folders(path for runtime in runtimes for path in runtime.extra_paths)
    command, limits = start.command if start else program.command, Limits(program.memory_mb, THREADS)
    environment = {"PATH": search_path(folders)}
    return Box(command, program.folder, limits, extra_paths=shown_folders(folders), environment=environment)


def runtime_here(name: str) -> Toolchain:
    language = find_language(name)
    for way in language.toolchains:
        if not missing_tools(way.tools, present_folders(way.extra_paths)):
            return way
    tools = dict.fromkeys(tool for way in language.toolchains for tool in way.tools)
    needed = " or ".join(tools) or language.title
    raise MissingTool(f"this game's referee needs {needed}, which is not installed here")


@immutable
class _Used:
    at_s: float
    cpu_s: float
    waited_s: float


class RefereeProcess(AbstractContextManager["RefereeProcess"]):
    """A `Channel`. Use as a context manager: the process ends with the block."""

    def __init__(self, sandbox: Sandbox, box: Box, bounds: ProgramBounds) -> None:
        self._bounds = bounds
        self._memory_mb = box.limits.memory_mb
        self._poll = select.poll()
        self._exit_code: int | None = None
        self._limit_s = bounds.first_question_s
        self._since_s = self._until_s = self._looked_s = self._cpu_before_s = 0.0
        self._ended = self._released = False
        self._forget()
        self._process: BoxedProcess = sandbox.start(box)

    def _forget(self) -> None:
        self._chunks: list[bytes] = []
        self._output_bytes, self._begun = 0, False
        self._output, self._sent, self._complaints = Tail(), Tail(), Tail()
        self._used_before: _Used | None = None

    def __exit__(self, *_: object) -> None:
        self.close()

    def ready(self) -> None:
        self._process.ready()
        for descriptor in (self._process.stdout, self._process.stderr, self._process.pidfd):
            self._poll.register(descriptor, select.POLLIN)

    def begin_again(self) -> None:
        """Begin all limits anew, on the core that this process is on. Raises PermissionError."""
        self._forget()
        self._cpu_before_s = self._process.meter.cpu_ns() / 1e9
        move_to(self._process.pid, os.sched_getaffinity(0))

    def is_running(self) -> bool:
        with suppress(RefereeFault):
            self._wait(0)
            return not self._ended
        return False

    def close(self) -> None:
        self._process.kill()

    def send(self, data: bytes) -> None:
        if not self._released:
            self._process.release()
            self._released = True
        self._limit_s = self._bounds.question_s if self._begun else self._bounds.first_question_s
        self._begun, self._used_before = True, None
        self._since_s = time.monotonic()
        self._until_s = self._since_s + self._limit_s
        self._sent.add(data)
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[os.write(self._process.stdin, rest) :]
            except BlockingIOError:
                self._wait_for_room()
            except BrokenPipeError:  # it no longer listens; what it has said is still to be heard
                return

    def receive(self, patience_s: float | None = None) -> bytes:
        patient_until_s = None if patience_s is None else time.monotonic() + patience_s
        while not self._chunks:
            if self._ended:
                if patience_s is not None:
                    return b""
                raise self._end_fault()
            if patient_until_s is not None and (time.monotonic() >= min(patient_until_s, self._until_s)):
                self._look()
                return b""
            self._wait_within_limit(patient_until_s)
        output, self._chunks = b"".join(self._chunks), []
        return output

    def evidence(self) -> Evidence:
        until_s = time.monotonic() + LAST_WORDS_S
        with suppress(RefereeFault):
            while not self._ended and (left_s := until_s - time.monotonic()) > 0:
                self._wait(left_s)
        code = self._exit_code if self._ended else None
        how = describe_exit(code) if code is not None else "it was still running, and was ended"
        self.close()
        return Evidence(how, self._output, self._sent, self._complaints)

    def _wait_for_room(self) -> None:
        self._poll.register(self._process.stdin, select.POLLOUT)
        try:
            self._wait_within_limit()
        finally:
            self._poll.unregister(self._process.stdin)
        if self._ended:
            raise self._end_fault()

    def _wait_within_limit(self, until_s: float | None = None) -> None:
        """Wait until something happens, a look is due, or the limit or that moment is reached. Raises as `receive`."""
        if (now_s := time.monotonic()) >= self._until_s:
            self._look()
            self._give_more_time()
        self._wait(max(0.0, min(self._until_s, self._until_s if until_s is None else until_s) - now_s))

    def _wait(self, most_s: float) -> None:
        for descriptor, _ in self._poll.poll(1000 * min(most_s, LOOK_EVERY_S)):
            if descriptor == self._process.pidfd:
                self._take_end()
            elif descriptor != self._process.stdin:
                self._take(descriptor)
        if time.monotonic() - self._looked_s >= LOOK_EVERY_S:
            self._look()

    def _take(self, descriptor: int) -> bool:
        chunk = read_now(descriptor, CHUNK_BYTES)
        if descriptor == self._process.stderr:
            self._complaints.add(chunk)
        elif chunk:
            self._output.add(chunk)
            self._chunks.append(chunk)
        self._output_bytes += len(chunk)
        if self._output_bytes > self._bounds.output_bytes:
            raise RefereeFault(f"the referee said more than {self._bounds.output_bytes // 1_000_000} MB")
        return bool(chunk)

    def _take_end(self) -> None:
        self._ended = True
        self._poll.unregister(self._process.pidfd)
        while self._take(self._process.stdout) or self._take(self._process.stderr):
            pass
        self._exit_code = self._process.exit_code()

    def _look(self) -> None:
        self._looked_s = time.monotonic()
        if self._ended:
            return
        meter = self._process.meter
        used = _Used(self._looked_s, meter.cpu_ns() / 1e9, meter.waited_ns() / 1e9)
        self._used_before = self._used_before or used
        if used.cpu_s - self._cpu_before_s > self._bounds.cpu_s:
            raise RefereeFault(f"the referee has used up its {self._bounds.cpu_s} s of CPU time")
        if meter.memory_bytes() > self._memory_mb * MEGABYTE:
            raise RefereeFault(f"the referee uses more than its {self._memory_mb} MB of memory")

    def _give_more_time(self) -> None:
        """The time in which it waited for a core. Raises RefereeFault, HostBusy where it has waited for too long."""
        meter, then = self._process.meter, self._used_before or _Used(self._since_s, 0, 0)
        took_s = time.monotonic() - then.at_s
        computed_s = meter.cpu_ns() / 1e9 - then.cpu_s
        own_s = computed_s
        if not meter.is_ready():  # else it may be in the middle of a wait, which is not counted yet
            own_s = max(computed_s, took_s - (meter.waited_ns() / 1e9 - then.waited_s))
        if own_s >= self._limit_s:
            computed = time_words(int(1e6 * computed_s))
            raise RefereeFault(f"the referee asked nothing for {self._limit_s} s, in which it computed {computed}")
        if took_s >= self._limit_s * (1 + MOST_WAITS):
            raise HostBusy(
                f"the host left the referee without a CPU for most of {took_s:.0f} s; fewer programs beside the "
                "matches would help"
            )
        self._until_s = time.monotonic() + max(self._limit_s - own_s, LEAST_MORE_S)

    def _end_fault(self) -> RefereeFault:
        code = self._exit_code
        last = self._complaints.text
        if code is None:
            return RefereeFault("the referee ended before the end of the match")
        by_kernel = self._process.ran_out_of_memory()
        how = verdict_of_exit(code, last, self._memory_mb, ended_for_memory=by_kernel).message if code else "it ended"
        return RefereeFault(f"the referee ended before the end of the match: {how}{quoted_end(last)}")


def move_to(pid: int, cores: set[int]) -> None:
    """Threads that they start later follow them."""
    with suppress(FileNotFoundError):  # it has ended
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - names, not paths
            with suppress(ProcessLookupError):
                os.sched_setaffinity(int(thread), cores)


def quoted_end(text: str) -> str:
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "")
    return f'; its last words: "{shortened(last)}"' if last else ""
