"""The attack table: hostile programs in whole matches, in every tier that works here, under root and an ordinary user.

How this works. Each row is a match of Ocean of Code: the attacker is seat 0, an honest bot seat 1. The attacker reports
on its stderr what it could do and what it could not (`attacks/seat.py`), and then loses by the rules, or by the verdict
that its deed deserves. So in each row the honest bot wins without a fault, nothing that the attacker tried has worked,
and after the match nothing of it is left on the host. The attacks are in `attacks/`, one function each. Those that are
refused and go on are tried one after the other, in one match for each family.
"""

from __future__ import annotations

import mmap
import os
import platform
import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pyseccomp
import pytest

from engine.bot.conditions import FLOOD_BYTES
from engine.conversation import Verdict
from engine.toolchains.languages import find_language
from engine.toolchains.program import missing_tools

if TYPE_CHECKING:
    from tests.sandbox.conftest import Arena, Host

OK, TIMEOUT, CRASHED, ILLEGAL, MEMORY, FLOODED = (
    Verdict.OK, Verdict.TIMEOUT, Verdict.CRASHED, Verdict.ILLEGAL, Verdict.MEMORY, Verdict.FLOODED,
)  # fmt: skip

SMALL = {"memory_mb": 96, "threads": 48}
"""The limits of all attackers and their opponents: small ones are reached sooner."""
ATTACKS = Path(__file__).with_name("attacks")
BURNT_US = 100_000
CORES = os.cpu_count() or 1
HAS_C = any(not missing_tools(way.build_tools, ()) for way in find_language("c").toolchains)
HONEST = "honest.c" if HAS_C else "honest.bot"
MOST_SOCKETS_MB, MOST_TABLES_MB = 64, 64
"""What the kernel holds at most for a bot beyond its limit where no cgroup counts it; see docs/sandbox.md."""
MOST_DISTURBED = 1.5
"""How much dearer the same work may be beside an attacker. A busy machine may double a turn, but not most."""
ROUNDS = 2
NO_PROCESS = "(PermissionError|could not start a process: Operation not permitted)"
STOLEN_SHARE = 0.1
"""Of the time that the opponent thinks; what a bot has left over from being stopped a moment late is far less."""

FORBIDDEN = """
    unshare setns chroot pivot_root mount umount2 open_tree move_mount fsopen fspick fsmount mount_setattr
    io_uring_setup io_uring_enter io_uring_register io_setup keyctl add_key request_key perf_event_open bpf userfaultfd
    ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp memfd_create memfd_secret seccomp
    name_to_handle_at open_by_handle_at fanotify_init inotify_init1 mknodat vmsplice shmget semget msgget mq_open
    clone3 setuid setgid setgroups setresuid capset sethostname setdomainname reboot kexec_load init_module finit_module
    delete_module swapon swapoff acct quotactl settimeofday clock_settime clock_adjtime adjtimex syslog iopl ioperm
    modify_ldt vhangup lookup_dcookie migrate_pages move_pages mbind set_mempolicy sched_setaffinity sched_setparam
    sched_setattr setpriority ioprio_set timer_create timerfd_create signalfd4
"""
"""Calls that the kernel must never get to see from a bot."""
USED_BY_ATTACKS = "fork vfork clone getpid pidfd_open get_robust_list"


@dataclass(frozen=True)
class Row:
    """One attack, and what must come of it.

    `attack`: functions in `attacks/`, with commas in between, or a source file there. `verdicts`: those that are right
    for it. `words`: in the verdict's message. `tells`: in the attacker's report, in this order, to see that it came to
    try. `opponent`: who sits in seat 1. `also`: what else holds of the match.
    """

    name: str
    attack: str
    verdicts: tuple[Verdict, ...] = (OK,)
    words: str = ""
    tells: tuple[str, ...] = ()
    opponent: str = HONEST
    limits: Mapping[str, int] = field(default_factory=lambda: SMALL)
    settings: Mapping[str, bool] = field(default_factory=dict[str, bool])
    also: Callable[[Arena, Played], None] | None = None


def rows() -> Iterator[Row]:
    """All rows. One that computes beside its answers may be late for them: that is its own doing."""
    yield Row(
        "fork bomb",
        "processes.fork_bomb,processes.outlive",
        tells=("could not clone with 0x8000", "could not leave a daemon"),
    )
    yield Row("thread bomb", "processes.thread_bomb", tells=("could not start thread",))
    yield Row("memory hog", "memory.hoard", (MEMORY,), "96 MB")
    yield Row("memory hog that catches its error", "memory.hoard_quietly", tells=("could not hoard more",))
    yield Row(
        "memory hog of processes, shared memory and memfds",
        "memory.hoard_in_processes,memory.share",
        tells=("could not fill memory in process 7", "could not fill shared memory of System V"),
    )
    yield Row("memory hog of page tables", "memory.page_tables", (OK, MEMORY))
    yield Row("endless stderr beside the answers", "output.errors_beside")
    yield Row("stderr of megabytes in each turn", "output.errors_then_answer", also=the_beginning_of_each_turn_is_kept)
    yield Row(
        "talks to servers, and listens",
        "network.connect,network.send_from_pair,network.open_sockets,network.serve",
        tells=("could not talk to port 6379", "could not send to", "could not open VSOCK socket", "could not listen"),
    )
    yield Row(
        "reads and changes files, and fills disks and inodes",
        "files.read_private,files.change,files.change_settings,files.fill",
        tells=(
            r"could not open [1-9]\d+ times",
            "could not  24 times",
            "could not write",
            r"could not make a file [1-9]\d+ times",
        ),
    )
    yield Row(
        "kills, traces and slows down others, and leaves its core",
        "neighbours.harm,neighbours.slow_everybody_down,neighbours.leave_core",
        tells=("could not see process 4998 times", "could not be real-time", "could not move to"),
    )
    yield Row("timer that tells it to go on", "turns.wake_by_timer", (OK, TIMEOUT), opponent="honest.thinker")
    yield Row("thread that tells it to go on", "turns.wake_by_thread", (OK, TIMEOUT), opponent="honest.thinker")
    yield Row("computes in the opponent's time", "turns.spin_on", (OK, TIMEOUT), opponent="honest.thinker")
    yield Row("ignores SIGTERM and all else", "turns.ignore_signals", (TIMEOUT,))
    yield Row("stops itself", "turns.stop_itself", (TIMEOUT,))
    yield Row("answers early", "turns.answer_early", opponent="honest.thinker", also=early_lines_gain_no_time)
    yield Row("answers for ever", "turns.answer_for_ever")
    yield Row("signal storm", "turns.storm")
    yield Row("setuid program", "files.become_root", tells=("could not have another uid",))
    yield Row(
        "calls that no bot needs, and new namespaces",
        "kernel.make_calls,kernel.make_namespaces",
        tells=(r"could not make the call [5-9]\d times", "could not clone with new user"),
    )
    if platform.machine() == "x86_64":
        yield Row("call of x32", "kernel.call_as_x32", (CRASHED,), "SIGSYS")
        yield Row("call of 32 bits", "kernel.call_as_32_bit", (CRASHED,), "SIGSYS|SIGSEGV")
    yield from rows_in_c()


def rows_of_the_engine() -> Iterator[Row]:
    """Those that no box has to do with: what comes out of a bot is judged alike in all tiers."""
    yield Row("endless stdout without a line end", "output.endless_line", (FLOODED,), "10,000 bytes")
    yield Row("endless stderr instead of an answer", "output.endless_errors", (TIMEOUT,))
    yield Row("line of 10,000 bytes", "output.long_line", (FLOODED,))
    yield Row("line of 9,999 bytes", "output.nearly_long_line", (ILLEGAL,))
    yield Row("NUL bytes", "output.nul_bytes", (ILLEGAL,))
    yield Row("invalid UTF-8", "output.no_utf_8", (ILLEGAL,), also=what_is_missing_in_the_text_is_marked)
    yield Row("control characters", "output.control_characters", (ILLEGAL,))
    yield Row("closes stdin", "turns.close_stdin", (TIMEOUT,))
    yield Row("closes stdout, stays", "turns.close_stdout_and_stay", (TIMEOUT,))
    yield Row("closes stdout, ends", "turns.close_stdout_and_end", (CRASHED,), "exit code 0")
    yield Row("half a line, then silence", "turns.half_an_answer", (TIMEOUT,), "no complete line within 50 ms")
    yield Row("exit 0 in silence", "turns.end_in_silence", (CRASHED,), "exit code 0")
    for name in ("answer_early", "answer_for_ever"):
        yield Row(
            f"{name} where that loses",
            f"turns.{name}",
            (ILLEGAL,),
            "before it was asked",
            opponent="honest.thinker",
            settings={"early_line_loses": True},
        )


def rows_in_c() -> Iterator[Row]:
    if HAS_C:
        yield Row("stack deeper than memory", "deep_stack.c", (MEMORY, CRASHED))
        yield Row("read-only memory of a first thread that ended", "read_only_memory.c", (MEMORY,), "96 MB")
        yield Row(
            "tables of files of its own", "tables_of_files.c", tells=("could not hold more than 64 MB in sockets",)
        )
        yield Row(
            "memory of the kernel",
            "kernel_memory.c",
            (OK, MEMORY),
            limits={"memory_mb": 40, "threads": 48},
            also=memory_of_the_kernel_counts_or_is_bounded,
        )
        yield Row("files that epolls watch", "watched_files.c", (MEMORY,), "96 MB", tells=("watched [1-9]",))
        yield Row("threads that tell it to go on", "wakers.c", (OK, TIMEOUT), opponent="honest.thinker")
        yield Row("feigns that the host is busy", "feigned_wait.c", (TIMEOUT,), limits={"threads": 64})
        yield Row("waits where no signal stops it", "waited_for.c", tells=("could not start a thread and wait for it",))
        yield Row(
            "lets the referee work, and waits", "chatter.c", (TIMEOUT,), tells=("could not make itself unimportant",)
        )
        yield Row("hides sleep behind threads that end", "short_threads.c", (TIMEOUT,))
        yield Row("hides sleep behind another thread's rests", "other_self.c", (TIMEOUT,))


@dataclass(frozen=True)
class Played:
    """A match as the driver tells of it."""

    verdicts: Sequence[Verdict]
    messages: Sequence[str]
    winner: int | None
    turns: Sequence[Mapping[str, Any]]
    stderr: Sequence[str]
    early_lines: Sequence[int]
    dropped_bytes: Sequence[int]
    tier: str
    left: Sequence[str]

    def could(self, seat: int = 0) -> list[str]:
        return re.findall(r"^could (?!not ).*$", self.stderr[seat], re.MULTILINE)

    def turns_of(self, seat: int) -> list[Mapping[str, Any]]:
        return [turn for turn in self.turns if turn["seat"] == seat]


def known(arena: Arena, host: Host, token: str, limits: Mapping[str, int]) -> dict[str, Any]:
    """Return what an attacker is told: all that might help it."""
    pid = arena.driver.process.pid
    return {
        "token": token,
        "parent": pid,
        "pids": [pid + 1, pid + 2],
        "secret": "xyzzy",
        "private": [str(host.folder / name) for name in ("opponent", "opponent/secret", "attacker", "socket")],
        "servers": host.addresses,
        "calls": numbers_of(f"{FORBIDDEN} {USED_BY_ATTACKS}".split()),
        "forbidden": FORBIDDEN.split(),
        "flood_bytes": FLOOD_BYTES,
        "memory_mb": limits.get("memory_mb", 768),
        "most_threads": limits["threads"],
    }


def numbers_of(names: Sequence[str]) -> dict[str, int]:
    numbers = {name: pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in names}
    return {name: number for name, number in numbers.items() if number >= 0}


def seat(attack: str, folder: Path, facts: Mapping[str, Any]) -> dict[str, Any]:
    if attack.endswith(".c"):
        return {"source": (ATTACKS / attack).read_text(), "language": "c"}
    return {"attack": attack, "folder": str(folder), "known": facts}


def played(arena: Arena, host: Host, token: str, row: Row, *, opponent: str | None = None) -> Played:
    facts = known(arena, host, token, row.limits)
    other = seat(opponent or row.opponent, host.folder / "opponent", facts if opponent else {})
    seats = [seat(row.attack, host.folder / "attacker", facts), other]
    return Played(**arena.order("match", seats=seats, token=token, limits=row.limits, **row.settings))


def check_that_it_came_to_nothing(result: Played, row: Row, host: Host) -> None:
    """What holds for every row: it did nothing, got its verdict, harmed nobody, and left nothing."""
    assert result.could() == []
    assert result.dropped_bytes[0] == 0 or row.attack.startswith(("output.", "chatter."))  # it has told all
    assert result.verdicts[0] in row.verdicts, (result.messages[0], result.stderr[0], result.turns_of(0))
    assert re.search(row.words, result.messages[0])
    assert re.search(".*".join(row.tells), result.stderr[0], re.DOTALL)
    assert (result.verdicts[1], result.winner) == (OK, 1), result.messages[1]
    assert all(turn["line"] is not None for turn in result.turns_of(1))
    assert host.visitors() == []
    assert result.left == []


def early_lines_gain_no_time(_: Arena, result: Played) -> None:
    """They are queued and noted."""
    assert result.early_lines == [2, 0]
    first, second, third = result.turns_of(0)[:3]
    assert first["wall_us"] > 0
    assert {second["wall_us"], second["cpu_us"], third["wall_us"], third["cpu_us"]} == {0}


def the_beginning_of_each_turn_is_kept(_: Arena, result: Played) -> None:
    turns = len(result.turns_of(0))
    assert len(result.stderr[0]) == 4096 * turns
    assert result.dropped_bytes[0] == turns * 40 * 2**16 - len(result.stderr[0])


def what_is_missing_in_the_text_is_marked(_: Arena, result: Played) -> None:
    assert "\ufffd" in result.turns[0]["line"]


def memory_of_the_kernel_counts_or_is_bounded(arena: Arena, result: Played) -> None:
    """In a cgroup it counts. There the kernel may choose the box's monitor to end: the bot's doing all the same."""
    if arena.has_cgroup:
        assert (result.verdicts[0], result.verdicts[1]) == (MEMORY, OK), result.messages
        return
    sockets_mb, tables = map(int, re.findall(r"more than (\d+)", result.stderr[0]))
    assert sockets_mb <= MOST_SOCKETS_MB
    assert tables * mmap.PAGESIZE <= MOST_TABLES_MB * 2**20


def what_children_compute_is_on_their_parents_clock(arena: Arena, result: Played) -> None:
    assert (result.turns[0]["cpu_us"] > 2 * 0.95 * BURNT_US) == arena.has_cgroup


ROWS = [
    *(pytest.param(row, id=row.name) for row in rows()),
    *(pytest.param(row, id=row.name, marks=pytest.mark.one_place) for row in rows_of_the_engine()),
]


@pytest.mark.parametrize("row", ROWS)
def test_the_attack_does_no_harm_and_gets_what_it_deserves(row: Row, arena: Arena, host: Host, token: str) -> None:
    result = played(arena, host, token, row)
    check_that_it_came_to_nothing(result, row, host)
    check_that_no_time_was_stolen(result)
    assert result.tier == arena.tier
    if row.also:
        row.also(arena, result)


def check_that_no_time_was_stolen(result: Played) -> None:
    thought_us = max(turn["wall_us"] for turn in result.turns_of(1))
    for turn in result.turns_of(0)[1:]:
        assert turn["cpu_us"] - CORES * turn["wall_us"] < STOLEN_SHARE * thought_us


def test_timers_of_a_bot_take_no_time_from_its_opponent(arena: Arena, host: Host, token: str) -> None:
    """They go off while it is frozen; so do those of its processes, where it may start any. It plays on to the end."""
    forks = {"forks": arena.has_cgroup}
    rows = [
        Row("quiet", HONEST, opponent="worker.c", settings=forks),
        Row("armed", "many_timers.c", tells=("could not make timers",), opponent="worker.c", settings=forks),
    ]
    ratios: list[float] = []
    for number in range(ROUNDS):
        results: dict[str, Played] = {}
        for row in rows if number % 2 else rows[::-1]:  # what else goes on here and comes or goes hits both alike
            results[row.name] = played(arena, host, token, row)
            check_that_it_came_to_nothing(results[row.name], row, host)
        alone_us, beside_us = costs_of_rounds(results["quiet"], 1), costs_of_rounds(results["armed"], 1)
        ratios += [beside / alone for alone, beside in zip(alone_us, beside_us, strict=True)]  # the first takes longer
    assert median(ratios) < MOST_DISTURBED


def costs_of_rounds(result: Played, seat: int) -> list[float]:
    """Return what a round of `worker.c` in that seat was charged in each of its turns, in microseconds."""
    rounds = map(int, result.stderr[seat].split())
    return [turn["cpu_us"] / count for turn, count in zip(result.turns_of(seat), rounds, strict=True)]


def test_two_seats_and_the_match_after_share_nothing(arena: Arena, host: Host, token: str) -> None:
    row = Row("side channels", "neighbours.leave_and_find", opponent="neighbours.leave_and_find")
    for _ in range(2):
        result = played(arena, host, token, row, opponent=row.opponent)
        for number in (0, 1):
            assert result.could(number) == []
            assert re.search(
                r"could not find a message 1\d times\ncould not leave a message 2\d times", result.stderr[number]
            )
        assert (result.verdicts, result.left) == ([OK, OK], [])


def families_in_c() -> Iterator[Row]:
    if HAS_C:
        yield Row("hides sleep behind processes that end", "short_processes.c", (TIMEOUT,))
        yield Row(
            "feigns that the host is busy by processes", "feigning_processes.c", (TIMEOUT,), limits={"threads": 64}
        )


FAMILIES = {
    row.name: row
    for row in (
        Row("fork bomb", "families.bomb", tells=("could not start process [34].",)),
        Row("children that compute on", "families.spin", (OK, TIMEOUT), opponent="honest.thinker"),
        Row("child that wakes its parent", "families.wake_parent", (OK, TIMEOUT), opponent="honest.thinker"),
        Row("daemons that outlive the match", "families.outlive"),
        Row("children that compute for it", "families.burn", also=what_children_compute_is_on_their_parents_clock),
        Row("memory hog of many processes", "families.hoard", (MEMORY,), "96 MB"),
        Row("memory hog of shared memory", "families.share", (MEMORY,), "96 MB"),
        *families_in_c(),
    )
}
"""The attacks of bots that must be allowed to start processes, or to share memory."""


@pytest.mark.parametrize("row", FAMILIES.values(), ids=FAMILIES)
def test_where_a_cgroup_holds_bots_they_may_fork_elsewhere_not(row: Row, arena: Arena, host: Host, token: str) -> None:
    row = replace(row, settings={"forks": True, "shared_memory": arena.has_cgroup})
    if not arena.has_cgroup:
        row = replace(row, verdicts=(CRASHED,), words="exit code 1", tells=(NO_PROCESS,))
    result = played(arena, host, token, row)
    check_that_it_came_to_nothing(result, row, host)
    check_that_no_time_was_stolen(result)
    if row.also:
        row.also(arena, result)


def test_without_a_sandbox_the_same_attacks_succeed(bare: Arena, host: Host, token: str) -> None:
    """This shows that the attacks are real, and that what they leave behind is seen."""
    row = Row("", "network.connect,processes.outlive,files.read_private")
    result = played(bare, host, token, row)
    assert len([deed for deed in result.could() if deed.startswith("could talk to")]) >= len(host.servers)
    assert host.visitors() == list(host.servers)
    assert f"could open {host.folder}/opponent/secret" in result.could()
    assert "could leave a daemon" in result.could()
    assert [word.split()[0] for word in result.left] == ["process"]
    os.kill(int(result.left[0].split()[1]), signal.SIGKILL)
