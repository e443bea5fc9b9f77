"""A live bot: a program in a sandbox that is asked and answers, within its time.

How this works. A bot runs only in its own turns: it waits at its gate until it is first asked, is let go when it is
asked, and frozen as soon as its answer is there. The request is written before. One `poll` waits for all: room to
write, the answer, debug output, and the end of the process (by its pidfd, as the sandbox's monitor keeps copies of the
pipes). Debug output is drained all the time so that it never blocks the bot, but only its beginning is kept.

Looks at the clock are few, and none falls near the limit: on a busy host a look comes late, and an answer that arrived
meanwhile is forgiven our lateness, though we cannot know how much of it. So a bot that does not answer is given up only
some time after its limit; it has lost by then in any case.
"""

import fcntl
import os
import select
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager

from engine.bot.clock import Clock, Spent, backstop_us
from engine.bot.conditions import Conditions
from engine.bot.output import NO_TIME, DebugOutput, LineBuffer, Reply, verdict_of_exit
from engine.bot.runtime_work import NO_RUNTIME, Allowance, Runtime
from engine.bot.stopwatch import Stopwatch
from engine.conversation import NO_ANSWER, Ask, SeatVerdict, Verdict
from engine.errors import HostBusy, StillRunning
from engine.sandbox.box import Box, BoxedProcess, Sandbox
from engine.sandbox.standstill import is_overloaded
from engine.text import time_words

LAST_WORDS_MS = 100
"""How long a bot that failed may go on writing to stderr, so that its owner sees its last words."""
CHUNK_BYTES = 65_536
FULL_SHARE = 2
"""With this part of what it holds in it, a half, a pipe may be full: it holds pages, and a write that does not fit into
what is left of one begins another."""
SLICE_US = 2000
SLICES = 100
"""We wait no longer at once than SLICE_US, or this part of a long limit: where the whole machine stands still, this is
how well we know for how long. Each slice costs the bot's core up to a tenth of a millisecond."""
SAMPLE_US = 20_000
"""How often memory is looked at..."""
BRIEF_US = 1000
"""... and after every turn but those that were shorter: no bot fills much memory in that time."""
CLEAR_OF_LIMIT_US = 100_000
"""No look falls so near before the limit..."""
AFTER_LIMIT_US = 150_000
"""... or so near behind it."""
PATIENCE = 5
"""A bot that others keep from its core is waited for this many times as long as any other."""
MEGABYTE = 1024 * 1024


class RunningBot(AbstractContextManager["RunningBot"]):
    """One running bot. Use as a context manager: the process ends with the block."""

    def __init__(
        self, sandbox: Sandbox, box: Box, conditions: Conditions, runtime: Runtime = NO_RUNTIME, suspicion: str = ""
    ) -> None:
        """`suspicion`: why the bot is to blame where the host seems to keep it from answering, and the machine is not
        overloaded. Raises SandboxFault where its box cannot be begun.
        """
        self._suspicion = suspicion
        self._conditions = conditions
        self._memory_mb = box.limits.memory_mb
        self._answers = LineBuffer(conditions.output.line_bytes)
        self._debug = DebugOutput(conditions.output)
        self._unsent = b""
        self._overruns = 0
        self._gone = False
        self._over_memory = False
        self._waits_for_room = False
        self._sampled_us = 0
        self._slice_us = SLICE_US
        self._released = False
        self._is_ready = False
        self._runtime = runtime
        self._allowance: Allowance | None = None
        self.early_lines = 0
        """How many asks were answered with a line that had come before they were asked."""
        self._process: BoxedProcess = sandbox.start(box)

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def stderr(self) -> str:
        return self._debug.text

    @property
    def stderr_chars(self) -> list[int]:
        return self._debug.turn_chars

    @property
    def stderr_dropped_bytes(self) -> int:
        return self._debug.dropped_bytes

    @property
    def metrics(self) -> Mapping[str, str]:
        return self._debug.metrics

    def ready(self) -> None:
        """Raises SandboxFault where building the box fails."""
        if not self._is_ready:
            self._process.ready()
            self._watch = Stopwatch(self._process.meter)
            if self._runtime.cpu_ms and self._conditions.time.clock is Clock.FAIR:
                self._allowance = Allowance(self._runtime, self._process.pid)
            self._poll = select.poll()
            self._full_bytes = fcntl.fcntl(self._process.stderr, fcntl.F_GETPIPE_SZ) // FULL_SHARE
            self._is_ready = True
            for descriptor in (self._process.stdout, self._process.stderr, self._process.pidfd):
                self._poll.register(descriptor, select.POLLIN)

    def close(self) -> None:
        self._process.kill()
        if self._is_ready:
            self._watch.close()
        if self._allowance:
            self._allowance.close()

    def ask(self, ask: Ask) -> Reply:
        """Send the lines and wait for the answer, or its fault. Raises SandboxFault, HostBusy where the host kept it
        from that.
        """
        self.ready()
        self.hear_rest()
        self._debug.new_turn()
        self._unsent += "\n".join((*ask.lines, "")).encode()
        self._answers.answer_lines = ask.answer_lines
        if len(self._answers) and (self._answers.has_answer or self._conditions.early_line_loses):
            return self._early()
        try:
            return self._turn(ask.limit_ms, counts_overruns=ask.counts_overruns)
        except HostBusy as fault:
            if not self._suspicion or is_overloaded():
                raise
            self._process.kill()
            cheat = f"cheated the clock: {fault}; {self._suspicion}"
            return Reply(None, Spent(wall_us=self._watch.wall_us()), SeatVerdict(NO_ANSWER.verdict, cheat))

    def hear_rest(self) -> None:
        """Take what came before the bot was stopped, before its next turn, and before `stderr` is read at the end."""
        if not self._released or self._process.stderr < 0:
            return
        for descriptor, _ in self._poll.poll(0):
            if descriptor == self._process.stderr:
                self._debug.take(self._read(descriptor))
            elif descriptor == self._process.stdout and not len(self._answers):
                self._answers.feed(self._read(descriptor))

    def _early(self) -> Reply:
        """Take an answer that was there before it was asked for. The bot stays frozen: it gains no time by this."""
        self.early_lines += 1
        if self._conditions.early_line_loses:
            return Reply(None, NO_TIME, SeatVerdict(Verdict.ILLEGAL, "spoke before it was asked"))
        self._send()
        return Reply(self._answers.take())

    def _turn(self, limit_ms: int, *, counts_overruns: bool) -> Reply:
        self._go()
        self._slice_us = max(SLICE_US, 1000 * limit_ms // SLICES)
        line = self._hear(limit_ms)
        spent = self._watch.stop(1000 * limit_ms, answered=line is not None)
        if self._allowance:
            spent = self._allowance.draw(spent, limit_ms)
        has_ended = self._gone and line is None
        lacking = "" if line is not None else self._answers.lacking
        if line is None:
            self._hear_last_words()
            self._debug.keep_last_words()
        goes_on = self._freeze()
        if spent.wall_us >= BRIEF_US or self._is_sample_due():
            self._sample_memory()
        rule = self._conditions.time
        overran = rule.is_overrun(spent, limit_ms)
        if line is None or self._over_memory or (overran and rule.loses(spent, limit_ms, self._overruns)):
            return Reply(None, spent, self._fault(limit_ms, spent, has_ended=has_ended, lacking=lacking))
        if goes_on:
            return Reply(None, spent, SeatVerdict(NO_ANSWER.verdict, goes_on))
        self._overruns += overran and counts_overruns
        return Reply(line, spent)

    def _freeze(self) -> str:
        """Stop the bot; return what it did instead of stopping, and end it then: it would disturb its opponent."""
        try:
            self._process.freeze()
        except StillRunning as fault:
            self._process.kill()
            return str(fault)
        return ""

    def _go(self) -> None:
        if self._released:
            self._send()
            self._watch.go()
            self._process.thaw()
        else:
            self._watch.go()
            self._process.release()
            self._send()
            self._released = True

    def _hear(self, limit_ms: int) -> str | None:
        self._wait_until(self._slice_us)
        line = self._answers.take()
        return self._hear_late(limit_ms) if line is None else line

    def _hear_late(self, limit_ms: int) -> str | None:
        while not self._gone and not self._answers.flooded and not self._over_memory:
            wall_us = self._watch.wall_us()
            if wall_us > 1000 * limit_ms:
                self._wait_until(wall_us)  # we may have been late for all of the turn: the answer may be there
                if self._answers.has_answer:
                    return self._answers.take()
            next_look_us = self._next_look_us(wall_us, limit_ms)
            self._wait_until(wall_us if next_look_us is None else next_look_us)
            line = self._answers.take()
            if line is not None or next_look_us is None:  # it may have answered while we judged it
                return line
        return None

    def _next_look_us(self, wall_us: int, limit_ms: int) -> int | None:
        """Return None where the bot is given up. Raises HostBusy where others had its core for far too long."""
        limit_us = 1000 * limit_ms
        last_us = self._conditions.time.last_us(limit_ms)
        if self._conditions.time.clock is Clock.WALL:
            return last_us + 1 if wall_us <= last_us else None
        if wall_us < limit_us - SAMPLE_US - CLEAR_OF_LIMIT_US:
            if self._is_sample_due():
                self._sample_memory()
            return wall_us + SAMPLE_US
        if wall_us < last_us + AFTER_LIMIT_US:
            return last_us + AFTER_LIMIT_US
        self._sample_memory()
        borne_us = self._allowance.available_us() if self._allowance else 0
        if self._watch.is_over(last_us + borne_us):
            return None
        stop_us = backstop_us(limit_ms) + borne_us
        for patience_us in (stop_us, PATIENCE * stop_us):
            if wall_us < patience_us:
                return min(2 * wall_us, patience_us)
            if not self._watch.is_kept_from_its_core(last_us + borne_us):
                return None
        raise HostBusy(
            f"the host left a bot without a CPU for most of {wall_us // 1000} ms in a turn of {limit_ms} ms; "
            "fewer programs beside the matches would help"
        )

    def _wait_until(self, next_look_us: int) -> None:
        """Wait until something wakes us, or the turn has taken so long; do what can be done with each descriptor."""
        bot_was_waiting = False
        for descriptor, _ in self._woken_by(next_look_us):
            if descriptor == self._process.stdout:
                self._answers.feed(self._read(descriptor))
                bot_was_waiting = bot_was_waiting or self._answers.has_answer
            elif descriptor == self._process.stderr:
                chunk = self._read(descriptor)
                self._debug.take(chunk)
                bot_was_waiting = bot_was_waiting or len(chunk) >= self._full_bytes
            elif descriptor == self._process.stdin:
                self._send()
                bot_was_waiting = True
            elif not self._gone:
                self._drain()
                self._gone = True
        self._watch.looked(bot_was_waiting=bot_was_waiting)

    def _woken_by(self, next_look_us: int) -> list[tuple[int, int]]:
        """Wait, a slice at once, and return what woke us. A short path: the bot cannot run on its core meanwhile."""
        wall_us = self._watch.wall_us()
        while True:
            alarm_us = max(wall_us, min(next_look_us, wall_us + self._slice_us))
            ready = self._poll.poll((alarm_us - wall_us) / 1000)
            wall_us = self._watch.woke(alarm_us)
            if self._allowance:
                self._allowance.look()
            if ready or wall_us >= next_look_us:
                return ready
            self._watch.looked(bot_was_waiting=False)

    def _read(self, descriptor: int) -> bytes:
        try:
            chunk = os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            return b""
        if not chunk:
            self._poll.unregister(descriptor)
        return chunk

    def _drain(self) -> None:
        enough_bytes = self._answers.answer_lines * self._conditions.output.line_bytes
        self._answers.feed(self._read_all(self._process.stdout, enough_bytes))
        self._debug.take(self._read_all(self._process.stderr, self._conditions.output.stderr_turn_bytes))

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

    def _send(self) -> None:
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

    def _is_sample_due(self) -> bool:
        return time.monotonic_ns() // 1000 - self._sampled_us >= SAMPLE_US

    def _sample_memory(self) -> None:
        self._sampled_us = time.monotonic_ns() // 1000
        if self._process.meter.memory_bytes() > self._memory_mb * MEGABYTE:
            self._over_memory = True

    def _fault(self, limit_ms: int, spent: Spent, *, has_ended: bool, lacking: str) -> SeatVerdict:
        """`has_ended`: before it was given up. `lacking`: what there was then of an answer that was not whole."""
        if self._over_memory:
            return SeatVerdict(Verdict.MEMORY, f"it used more than its {self._memory_mb} MB of memory")
        if self._answers.flooded:
            bytes_without_end = self._conditions.output.line_bytes
            return SeatVerdict(Verdict.FLOODED, f"{bytes_without_end:,} bytes or more without a line end")
        exit_code = self._process.exit_code() if has_ended else None
        if exit_code is not None:
            ended_for_memory = self._process.ran_out_of_memory()
            return verdict_of_exit(
                exit_code, self._debug.last_words, self._memory_mb, ended_for_memory=ended_for_memory
            )
        rule = self._conditions.time
        if lacking:
            words = [f"{lacking} within {rule.patience_words(limit_ms)}", spent.words]
        else:
            counted_us = spent.counted_us(rule.clock)
            times = f"answered after {time_words(counted_us)}: {spent.words}"
            words = [times, f"the limit is {time_words(1000 * limit_ms)}", rule.breach(counted_us, limit_ms)]
        return SeatVerdict(NO_ANSWER.verdict, ", ".join(filter(None, words)))

    def _hear_last_words(self) -> None:
        deadline_us = self._watch.wall_us() + 1000 * LAST_WORDS_MS
        while not self._gone and self._watch.wall_us() < deadline_us:
            self._wait_until(deadline_us)
