"""The work of a bot's runtime: threads that compile and collect garbage while the bot thinks.

How this works. On CodinGame such threads run beside the bot, on other cores. Here a match has one core, and the CPU
time of all threads is charged to the bot. So a recipe may state the names of these threads and an allowance per match:
what they computed in a turn that would be over its limit is charged to that first. A runtime compiles most in its first
turns, so after three of them only a small part of the allowance is left, and no more in a turn than the bot's own
threads computed in it: a compiler works beside its bot, not in its place. The bot's own threads are always charged in
full.

A bot can give its own threads any name. So each name means one thread: the first that has it while the runtime starts,
before any code of the bot runs. A new thread may have to wait for a core before it names itself, so its name is read
until it has been seen to have run some times, and never again. We look each time that we wake in the first turn, at
least every 10 ms. On a busy host our first look may be late: so of two threads with one name at the first answer
neither counts. Should a bot win that race all the same, or make such a thread do its work by a signal, it gains what
the allowance is, once a match, and no more.
"""

import os
from contextlib import suppress
from dataclasses import replace

from engine.bot.clock import Spent, allowed_us
from engine.immutable import immutable
from engine.sandbox.meter import SCHEDSTAT_BYTES, open_to_read, read_schedstat, read_small

NAME_BYTES = 64
LOOKS = 4
"""A thread's name is read until so many looks found that it had run since the one before."""
EARLY_TURNS = 3
"""After this many turns what is left of an allowance is cut down to what the recipe leaves for later ones."""


@immutable
class Runtime:
    """Its threads' names, as Linux has them, and its CPU time per match. `late_cpu_ms`: after the first `EARLY_TURNS`
    turns.
    """

    threads: tuple[str, ...] = ()
    cpu_ms: int = 0
    late_cpu_ms: int = 0


NO_RUNTIME = Runtime()
"""Of languages whose bots do all their work themselves."""


class Allowance:
    """What the runtime of one running bot may still compute in a match without charge."""

    def __init__(self, runtime: Runtime, pid: int) -> None:
        """Begin with the whole allowance. `pid`: the bot's process. Raises SandboxFault, as all readings do."""
        self._left_us = 1000 * runtime.cpu_ms
        self._late_us = 1000 * runtime.late_cpu_ms
        self._turns = 0
        self._threads = RuntimeThreads(pid, runtime.threads)
        self._counted_ns = 0

    def look(self) -> None:
        self._threads.look()

    def available_us(self) -> int:
        return min(self._left_us, self._worked_us(self._threads.cpu_ns()))

    def draw(self, spent: Spent, limit_ms: int) -> Spent:
        """End a turn: return its times less what the allowance bears of them, which then is used up."""
        self._threads.close_search()
        cpu_ns = self._threads.cpu_ns()
        worked_us = self._worked_us(cpu_ns)
        if self._turns >= EARLY_TURNS:
            worked_us = min(worked_us, spent.cpu_us - worked_us)
        drawn_us = allowed_us(spent, limit_ms, worked_us, self._left_us)
        self._counted_ns = cpu_ns
        self._left_us -= drawn_us
        self._turns += 1
        if self._turns == EARLY_TURNS:
            self._left_us = min(self._left_us, self._late_us)
        return replace(spent, runtime_us=drawn_us) if drawn_us else spent

    def close(self) -> None:
        self._threads.close()

    def _worked_us(self, cpu_ns: int) -> int:
        return (cpu_ns - self._counted_ns) // 1000


class RuntimeThreads:
    """The threads of a process that its runtime started for itself, found by their names while it starts."""

    def __init__(self, pid: int, names: tuple[str, ...]) -> None:
        self._tasks = f"/proc/{pid}/task"
        self._missing = {name.encode() for name in names}
        self._looks: dict[int, int] = {pid: LOOKS}  # the first thread is where the program itself begins
        self._ran: dict[int, bytes] = {}
        self._accounts: dict[int, int] = {}
        """The open `schedstat` of each thread found."""
        self._cpu_ns: dict[int, int] = {}
        self._is_closed = False

    def look(self) -> None:
        """The lowest number comes first: the oldest thread."""
        if not self._missing:
            return
        with suppress(FileNotFoundError, ProcessLookupError):
            for thread in sorted(int(entry.name) for entry in os.scandir(self._tasks)):
                looks = self._looks.get(thread, 0)
                if looks < LOOKS:
                    ran = read_small(f"{self._tasks}/{thread}/schedstat", SCHEDSTAT_BYTES).partition(b" ")[0]
                    if ran != self._ran.get(thread):
                        self._ran[thread], self._looks[thread] = ran, looks + 1
                    self._take_if_named(thread)

    def close_search(self) -> None:
        """Find no more: from now on they can be the bot's. Of two with one name it is unknown which is the bot's."""
        self._missing.clear()
        if self._is_closed:
            return
        self._is_closed = True
        with suppress(FileNotFoundError, ProcessLookupError):
            names = [read_small(f"{self._tasks}/{entry.name}/comm", NAME_BYTES) for entry in os.scandir(self._tasks)]
            for thread in [
                account
                for account in self._accounts
                if names.count(read_small(f"{self._tasks}/{account}/comm", NAME_BYTES)) > 1
            ]:
                os.close(self._accounts.pop(thread))

    def cpu_ns(self) -> int:
        for thread, account in self._accounts.items():
            if numbers := read_schedstat(account):
                self._cpu_ns[thread] = numbers[0]
        return sum(self._cpu_ns.values())

    def close(self) -> None:
        for account in self._accounts.values():
            os.close(account)
        self._accounts.clear()

    def _take_if_named(self, thread: int) -> None:
        folder = f"{self._tasks}/{thread}"
        name = read_small(f"{folder}/comm", NAME_BYTES).rstrip(b"\n")
        if name in self._missing and (account := open_to_read(f"{folder}/schedstat")) >= 0:
            self._missing.remove(name)
            self._looks[thread] = LOOKS
            self._accounts[thread] = account
