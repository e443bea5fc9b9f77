"""The attack table: hostile programs in whole matches, in every tier that works here, under root and an ordinary user.

How this works. Each row is a match of Ocean of Code: the attacker is seat 0, an honest bot seat 1. The attacker reports
on its stderr what it could do and what it could not (`attacks/seat.py`), and then loses by the rules, or by the verdict
that its deed deserves. So in each row the honest bot wins without a fault, nothing that the attacker tried has worked,
and after the match nothing of it is left on the host. The attacks are in `attacks/`, one function each.
"""

from __future__ import annotations

import mmap
import os
import platform
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
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
MOST_SOCKETS_MB, MOST_TABLES_MB = 64, 64
"""What the kernel holds at most for a bot beyond its limit where no cgroup counts it; see docs/sandbox.md."""
MOST_DISTURBED = 1.5
"""How much dearer the same work may be beside an attacker. A busy machine may double a turn, but not most."""
ROUNDS = 5
NO_PROCESS = "PermissionError|could not start a process: Operation not permitted"
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

    `attack`: a function in `attacks/`, or a source file there. `verdicts`: those that are right for it. `words`: in the
    verdict's message. `tells`: in the attacker's report, to see that it came to try. `opponent`: who sits in seat 1.
    """

    name: str
    attack: str
    verdicts: tuple[Verdict, ...] = (OK,)
    words: str = ""
    tells: str = ""
    opponent: str = "honest.bot"
    limits: Mapping[str, int] = field(default_factory=lambda: SMALL)
    settings: Mapping[str, bool] = field(default_factory=dict[str, bool])


def rows() -> Iterator[Row]:
    """All rows. One that computes beside its answers may be late for them: that is its own doing."""
    refused = "could not "
    yield Row("fork bomb", "processes.fork_bomb", tells="could not clone with 0x8000")
    yield Row("thread bomb", "processes.thread_bomb", tells="could not start thread")
    yield Row("memory hog", "memory.hoard", (MEMORY,), "96 MB")
    yield Row("memory hog that catches its error", "memory.hoard_quietly", tells="could not hoard more")
    yield Row("memory hog of many processes", "memory.hoard_in_processes", tells="could not fill memory in process 7")
    yield Row(
        "memory hog of shared memory and memfds", "memory.share", tells="could not fill shared memory of System V"
    )
    yield Row("memory hog of page tables", "memory.page_tables", (OK, MEMORY))
    yield Row("filler of disks and inodes", "files.fill", tells=r"could not make a file [1-9]\d+ times")
    yield Row("endless stdout without a line end", "output.endless_line", (FLOODED,), "10,000 bytes")
    yield Row("endless stderr instead of an answer", "output.endless_errors", (TIMEOUT,))
    yield Row("endless stderr beside the answers", "output.errors_beside")
    yield Row("stderr of megabytes in each turn", "output.errors_then_answer")
    yield Row("line of 10,000 bytes", "output.long_line", (FLOODED,))
    yield Row("line of 9,999 bytes", "output.nearly_long_line", (ILLEGAL,))
    yield Row("NUL bytes", "output.nul_bytes", (ILLEGAL,))
    yield Row("invalid UTF-8", "output.no_utf_8", (ILLEGAL,))
    yield Row("control characters", "output.control_characters", (ILLEGAL,))
    yield Row("connects to servers, and DNS", "network.connect", tells=refused + "talk to port 6379")
    yield Row("sends to servers from one of a pair", "network.send_from_pair", tells=refused + "send to")
    yield Row("sockets of every family", "network.open_sockets", tells=refused + "open VSOCK socket")
    yield Row("listens", "network.serve", tells=refused + "listen")
    yield Row("reads what is private", "files.read_private", tells=r"could not open [1-9]\d+ times")
    yield Row("writes to /proc/sys", "files.change_settings", tells="could not write")
    yield Row("changes files that are there", "files.change", tells=r"could not  24 times")
    yield Row("kills, traces and slows down others", "neighbours.harm", tells="could not see process 4998 times")
    yield Row("changes the scheduling of its user", "neighbours.slow_everybody_down", tells=refused + "be real-time")
    yield Row("leaves its core", "neighbours.leave_core", tells=refused + "move to")
    yield Row("daemon that outlives the match", "processes.outlive", tells=refused + "leave a daemon")
    yield Row("timer that tells it to go on", "turns.wake_by_timer", (OK, TIMEOUT), opponent="honest.thinker")
    yield Row("thread that tells it to go on", "turns.wake_by_thread", (OK, TIMEOUT), opponent="honest.thinker")
    yield Row("computes in the opponent's time", "turns.spin_on", (OK, TIMEOUT), opponent="honest.thinker")
    yield Row("closes stdin", "turns.close_stdin", (TIMEOUT,))
    yield Row("closes stdout, stays", "turns.close_stdout_and_stay", (TIMEOUT,))
    yield Row("closes stdout, ends", "turns.close_stdout_and_end", (CRASHED,), "exit code 0")
    yield Row("ignores SIGTERM and all else", "turns.ignore_signals", (TIMEOUT,))
    yield Row("stops itself", "turns.stop_itself", (TIMEOUT,))
    yield Row("answers early", "turns.answer_early", opponent="honest.thinker")
    yield Row("answers for ever", "turns.answer_for_ever")
    yield Row("half a line, then silence", "turns.half_an_answer", (TIMEOUT,), "no complete line within 50 ms")
    yield Row("exit 0 in silence", "turns.end_in_silence", (CRASHED,), "exit code 0")
    yield Row("signal storm", "turns.storm")
    yield Row("setuid program", "files.become_root", tells=refused + "have another uid")
    yield Row("calls that no bot needs", "kernel.make_calls", tells=refused + "unshare")
    yield Row("new namespaces", "kernel.make_namespaces", tells=refused + "clone with new user")
    if platform.machine() == "x86_64":
        yield Row("call of x32", "kernel.call_as_x32", (CRASHED,), "SIGSYS")
        yield Row("call of 32 bits", "kernel.call_as_32_bit", (CRASHED,), "SIGSYS|SIGSEGV")
    yield from rows_in_c()


def rows_in_c() -> Iterator[Row]:
    if HAS_C:
        yield Row("stack deeper than memory", "deep_stack.c", (MEMORY, CRASHED))
        yield Row("read-only memory of a first thread that ended", "read_only_memory.c", (MEMORY,), "96 MB")
        yield Row("tables of files of its own", "tables_of_files.c", tells="could not hold more than 64 MB in sockets")
        yield Row("memory of the kernel", "kernel_memory.c", (OK, MEMORY), limits={"memory_mb": 40, "threads": 48})
        yield Row("files that epolls watch", "watched_files.c", (MEMORY,), "96 MB", tells="watched [1-9]")
        yield Row("threads that tell it to go on", "wakers.c", (OK, TIMEOUT), opponent="honest.thinker")
        yield Row("feigns that the host is busy", "feigned_wait.c", (TIMEOUT,), limits={"threads": 64})
        yield Row("waits where no signal stops it", "waited_for.c", tells="could not start a thread and wait for it")
        yield Row(
            "lets the referee work, and waits", "chatter.c", (TIMEOUT,), tells="could not make itself unimportant"
        )
        yield Row("hides sleep behind threads that end", "short_threads.c", (TIMEOUT,))
        yield Row("hides sleep behind another thread's rests", "other_self.c", (TIMEOUT,))


ROWS = {row.name: row for row in rows()}


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
    assert result.verdicts[0] in row.verdicts, (result.messages[0], result.stderr[0], result.turns_of(0))
    assert re.search(row.words, result.messages[0])
    assert re.search(row.tells, result.stderr[0])
    assert (result.verdicts[1], result.winner) == (OK, 1), result.messages[1]
    assert all(turn["line"] is not None for turn in result.turns_of(1))
    assert host.visitors() == []
    assert result.left == []


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_the_attack_does_no_harm_and_gets_what_it_deserves(row: Row, arena: Arena, host: Host, token: str) -> None:
    result = played(arena, host, token, row)
    check_that_it_came_to_nothing(result, row, host)
    check_that_no_time_was_stolen(result)
    assert result.tier == arena.tier


def check_that_no_time_was_stolen(result: Played) -> None:
    thought_us = max(turn["wall_us"] for turn in result.turns_of(1))
    for turn in result.turns_of(0)[1:]:
        assert turn["cpu_us"] - CORES * turn["wall_us"] < STOLEN_SHARE * thought_us


def test_timers_of_a_bot_take_no_time_from_its_opponent(arena: Arena, host: Host, token: str) -> None:
    """They go off while it is frozen; so do those of its processes, where it may start any. It plays on to the end."""
    forks = {"forks": arena.has_cgroup}
    rows = [
        Row("quiet", "honest.bot", opponent="worker.c", settings=forks),
        Row("armed", "many_timers.c", tells="could not make timers", opponent="worker.c", settings=forks),
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


def test_lines_that_come_early_are_queued_and_noted_and_gain_no_time(arena: Arena, host: Host, token: str) -> None:
    row = ROWS["answers early"]
    result = played(arena, host, token, row)
    check_that_it_came_to_nothing(result, row, host)
    assert result.early_lines == [2, 0]
    first, second, third = result.turns_of(0)[:3]
    assert first["wall_us"] > 0
    assert {second["wall_us"], second["cpu_us"], third["wall_us"], third["cpu_us"]} == {0}


def test_lines_that_come_early_lose_where_the_league_says_so(arena: Arena, host: Host, token: str) -> None:
    for name in ("answers early", "answers for ever"):
        row = replace(ROWS[name], verdicts=(ILLEGAL,), words="before it was asked", settings={"early_line_loses": True})
        check_that_it_came_to_nothing(played(arena, host, token, row), row, host)


def test_of_megabytes_of_stderr_the_beginning_of_each_turn_is_kept(arena: Arena, host: Host, token: str) -> None:
    result = played(arena, host, token, ROWS["stderr of megabytes in each turn"])
    turns = len(result.turns_of(0))
    assert len(result.stderr[0]) == 4096 * turns
    assert result.dropped_bytes[0] == turns * 40 * 2**16 - len(result.stderr[0])


def test_what_is_no_utf_8_is_taken_as_text_with_marks_for_what_is_missing(arena: Arena, host: Host, token: str) -> None:
    result = played(arena, host, token, ROWS["invalid UTF-8"])
    assert "\ufffd" in result.turns[0]["line"]


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
        Row("fork bomb", "families.bomb", tells="could not start process [34]."),
        Row("children that compute on", "families.spin", (OK, TIMEOUT), opponent="honest.thinker"),
        Row("child that wakes its parent", "families.wake_parent", (OK, TIMEOUT), opponent="honest.thinker"),
        Row("daemons that outlive the match", "families.outlive"),
        Row("children that compute for it", "families.burn"),
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
        row = replace(row, verdicts=(CRASHED,), words="exit code 1", tells=NO_PROCESS)
    result = played(arena, host, token, row)
    check_that_it_came_to_nothing(result, row, host)
    check_that_no_time_was_stolen(result)


def test_what_children_compute_is_on_their_parents_clock(arena: Arena, host: Host, token: str) -> None:
    row = replace(FAMILIES["children that compute for it"], settings={"forks": arena.has_cgroup})
    first = played(arena, host, token, row).turns[0]
    assert (first["cpu_us"] > 2 * 0.95 * BURNT_US) == arena.has_cgroup


@pytest.mark.skipif("memory of the kernel" not in ROWS, reason="there is no C compiler")
def test_memory_of_the_kernel_counts_in_a_cgroup_and_is_bounded_elsewhere(arena: Arena, host: Host, token: str) -> None:
    """In a cgroup the kernel may choose the box's monitor to end, which is the bot's doing all the same."""
    row = ROWS["memory of the kernel"]
    result = played(arena, host, token, row)
    if arena.has_cgroup:
        assert (result.verdicts[0], result.verdicts[1]) == (MEMORY, OK), result.messages
        return
    sockets_mb, tables = map(int, re.findall(r"more than (\d+)", result.stderr[0]))
    assert sockets_mb <= MOST_SOCKETS_MB
    assert tables * mmap.PAGESIZE <= MOST_TABLES_MB * 2**20


def test_without_a_sandbox_the_same_attacks_succeed(bare: Arena, host: Host, token: str) -> None:
    """This shows that the attacks are real, and that what they leave behind is seen."""
    reached = played(bare, host, token, ROWS["connects to servers, and DNS"])
    assert len(reached.could()) >= len(host.servers)
    assert host.visitors() == list(host.servers)
    survived = played(bare, host, token, Row("", "processes.outlive"))
    assert survived.could() == ["could leave a daemon"]
    assert [word.split()[0] for word in survived.left] == ["process"]
    os.kill(int(survived.left[0].split()[1]), signal.SIGKILL)
    read = played(bare, host, token, ROWS["reads what is private"])
    assert f"could open {host.folder}/opponent/secret" in read.could()
