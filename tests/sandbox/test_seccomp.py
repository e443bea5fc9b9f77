"""The filter of system calls, in real boxes: what a program is told when it tries, and that honest ones do not notice.

A Python program in the box makes the calls by their numbers and reports each answer. The box is of our own, and as bare
as can be, so that it is the filter that answers.
"""

import errno
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyseccomp
import pytest

from engine.boxes import BOT_FOLDER, OUT_FOLDER, PATH_INSIDE, bot_uid
from engine.errors import MissingTool
from engine.sandbox.seccomp import SIGNAL_POSITIONS, TABLE_TEXT, CallPolicy, compile_filter
from engine.toolchains.program import missing_tools
from tests.patience import patience_s, wait_until
from tests.processes import number_of, state_of

POLICIES = {
    "bot": CallPolicy(),
    "forking": CallPolicy(may_fork=True),
    "sharing": CallPolicy(shared_memory=True),
    "compiler": CallPolicy(may_fork=True, compiles=True),
}
BOT, COMPILER = POLICIES["bot"], POLICIES["compiler"]
TABLE: dict[str, Any] = tomllib.loads(TABLE_TEXT)
ARGUMENTS: dict[str, Any] = TABLE.pop("argument")
IN_CODE = {"clone", "mmap", "socket", "socketpair", *SIGNAL_POSITIONS}

X86_64 = platform.machine() == "x86_64"
PROBES = {335, 336} if X86_64 else set[int]()
"""Calls that a kernel puts into programs that it probes; those pass its filters and end whoever makes them by hand."""
EVERY_NUMBER = [number for number in range(600) if number not in PROBES]
UNKNOWN_VALUE = 4711
ABOVE_32_BITS = 7 << 32

CALLER = """
import ctypes, json, sys
system_call = ctypes.CDLL(None, use_errno=True).syscall
def attempt(number, *arguments):
    failed = system_call(ctypes.c_long(number), *[ctypes.c_ulong(word & 2**64 - 1) for word in arguments]) == -1
    return ctypes.get_errno() if failed else 0
print(json.dumps([attempt(*call) for call in json.load(sys.stdin)]))
"""


def box(policy_file: int, command: list[str], folder: Path, writable: Path | None) -> list[str]:
    """Return how to run `command` in a box whose filter is read from the descriptor `policy_file`."""
    uid = bot_uid()
    drop = [] if uid is None else ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]
    words = ["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv"]
    words += ["--setenv", "PATH", PATH_INSIDE, "--setenv", "LANG", "C.UTF-8", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        system = Path("/", name)
        if system.is_symlink():
            words += ["--symlink", str(system.readlink()), str(system)]
        elif system.is_dir():
            words += ["--ro-bind", str(system), str(system)]
    for path in ("/etc/alternatives", "/etc/ld.so.cache", "/etc/mono", *map(str, Path("/etc").glob("java-*-openjdk"))):
        words += ["--ro-bind-try", path, path]
    words += ["--proc", "/proc", "--dev", "/dev", "--ro-bind", str(folder), BOT_FOLDER, "--chdir", BOT_FOLDER]
    if writable is not None:
        words += ["--bind", str(writable), OUT_FOLDER, "--tmpfs", "/tmp"]  # noqa: S108 - the box's own
    return [*drop, *words, "--as-pid-1", "--seccomp", str(policy_file), "--", *command]


def start(
    policy: CallPolicy, command: list[str], folder: Path = Path("/usr"), writable: Path | None = None
) -> subprocess.Popen[bytes]:
    policy_file = os.memfd_create("filter")
    try:
        os.write(policy_file, compile_filter(policy))
        os.lseek(policy_file, 0, os.SEEK_SET)
        return subprocess.Popen(
            box(policy_file, command, folder, writable),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(policy_file,),
            env={"PATH": f"{os.environ['PATH']}:/usr/bin"},
        )
    finally:
        os.close(policy_file)


def run(policy: CallPolicy, command: list[str], stdin: bytes = b"", **folders: Path) -> tuple[int, str, str]:
    """Run a program to its end and return its exit code (128 + signal: killed), stdout and stderr."""
    with start(policy, command, **folders) as process:
        try:
            stdout, stderr = process.communicate(stdin, patience_s())
        finally:
            process.kill()
    return process.returncode, stdout.decode(), stderr.decode()


def python(policy: CallPolicy, code: str, stdin: bytes = b"") -> tuple[int, str, str]:
    return run(policy, ["python3", "-I", "-S", "-c", code], stdin)


def answers(policy: CallPolicy, calls: Sequence[tuple[int, ...]]) -> list[str]:
    code, stdout, stderr = python(policy, CALLER, json.dumps(calls).encode())
    assert (code, stderr) == (0, "")
    return [errno.errorcode.get(answer, "OK") for answer in json.loads(stdout)]


def granted_sections(policy: CallPolicy) -> set[str]:
    return {"allowed", *(flag for flag in ("may_fork", "shared_memory", "compiles") if getattr(policy, flag))}


def calls_in(sections: Iterable[str]) -> set[str]:
    named = {call for section in sections for group in TABLE[section].values() for call in group.split()}
    return {call for call in named if number_of(call) >= 0}


def refused_by_name(policy: CallPolicy) -> set[str]:
    return calls_in(TABLE) - calls_in(granted_sections(policy))


@cache
def every_answer(policy: CallPolicy) -> dict[int, str]:
    elsewhere = {number_of(call) for call in calls_in(granted_sections(policy)) | set(ARGUMENTS) | IN_CODE}
    numbers = [number for number in EVERY_NUMBER if number not in elsewhere]
    return dict(zip(numbers, answers(policy, [(number, -1, -1, -1, -1, -1, -1) for number in numbers]), strict=True))


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_a_call_that_is_refused_by_name_or_belongs_to_another_policy_fails_with_eperm(policy: CallPolicy) -> None:
    refused = refused_by_name(policy)
    assert {call: every_answer(policy)[number_of(call)] for call in refused} == dict.fromkeys(refused, "EPERM")


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_every_call_that_is_not_named_does_not_exist(policy: CallPolicy) -> None:
    refused = {number_of(call) for call in refused_by_name(policy)}
    others = {number: answer for number, answer in every_answer(policy).items() if number not in refused}
    assert others == dict.fromkeys(others, "ENOSYS")
    unnamed = ("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register")
    assert {number_of(call) for call in unnamed} <= set(others)
    assert EVERY_NUMBER[-1] in others


NEEDED_BY_NOBODY = """
    acct add_key bpf fanotify_init fanotify_mark get_mempolicy inotify_add_watch inotify_init1 io_uring_enter
    io_uring_register io_uring_setup ioperm iopl ioprio_get ioprio_set kcmp keyctl landlock_add_rule
    landlock_create_ruleset landlock_restrict_self mbind memfd_secret migrate_pages modify_ldt mount mount_setattr
    move_mount move_pages mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd
    name_to_handle_at open_by_handle_at open_tree perf_event_open pidfd_getfd pivot_root process_madvise
    process_mrelease process_vm_readv process_vm_writev ptrace quotactl quotactl_fd readahead request_key seccomp semctl
    sendmmsg sendmsg setsockopt
    semget semop semtimedop set_mempolicy set_mempolicy_home_node setns shmat shmctl shmdt shmget signalfd signalfd4
    splice swapoff swapon sched_setaffinity sched_setattr sched_setparam setpriority tee timer_create timer_settime
    timerfd_create timerfd_settime umount2 unshare userfaultfd vmsplice
"""
"""Calls that no runtime and no compiler of the languages relies on, and that would do a bot no honest good: see
`docs/sandbox.md`."""


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_calls_that_no_language_needs_are_refused_to_everybody(policy: CallPolicy) -> None:
    numbers = {call: number for call in NEEDED_BY_NOBODY.split() if (number := number_of(call)) >= 0}
    let_through = {call for call, number in numbers.items() if every_answer(policy)[number] not in {"EPERM", "ENOSYS"}}
    assert let_through == set()


@pytest.mark.parametrize("high_bits", [0, ABOVE_32_BITS])
def test_a_bot_may_send_signals(high_bits: int) -> None:
    """The kernel takes the lower 32 bits of a number, and so does the filter. Those two are ignored, 0 only asks."""
    harmless = [(number_of("kill"), 1, number | high_bits) for number in (0, signal.SIGCHLD, signal.SIGURG)]
    assert answers(BOT, harmless) == ["OK"] * 3


@pytest.mark.parametrize("high_bits", [0, ABOVE_32_BITS])
def test_a_bot_may_not_let_a_stopped_process_go_on(high_bits: int) -> None:
    word = signal.SIGCONT | high_bits
    waking = [(number_of(call), *[1] * position, word) for call, position in SIGNAL_POSITIONS.items()]
    assert answers(BOT, waking) == ["EPERM"] * len(waking)
    assert answers(COMPILER, waking[:1]) == ["OK"]


def test_the_table_names_only_calls_that_there_are() -> None:
    """A slip of the pen would take a call away from everybody. (Refused ones may be newer than this libseccomp.)"""
    groups = [group for section in TABLE.keys() - {"refused"} for group in TABLE[section].values()]
    named = set(" ".join(groups).split())
    assert [call for call in named if pyseccomp.resolve_syscall(pyseccomp.Arch.X86_64, call) < 0] == []
    assert not named & (set(ARGUMENTS) | IN_CODE)


# Each call that depends on an argument, made so that the kernel's own answer would differ from the filter's.
HARMLESS = {
    "fcntl": (-1, 0, 0),
    "close_range": (1_000_000, 1_000_000, 0),
    "ioctl": (-1, 0, 0),
    "prctl": (0, -1, -1, -1, -1),
    "personality": (0,),
    "membarrier": (0, 1, 0),
    "madvise": (1, 0, 0),
    "sched_setscheduler": (-1, 0, 0),
}


def values_of(call: str, sections: Iterable[str]) -> set[int]:
    return {value for name in sections if name != "position" for value in ARGUMENTS[call].get(name, {}).values()}


def with_value(call: str, value: int) -> tuple[int, ...]:
    position, arguments = ARGUMENTS[call]["position"], HARMLESS[call]
    return number_of(call), *arguments[:position], value, *arguments[position + 1 :]


@cache
def told_of_values(policy: CallPolicy) -> dict[tuple[str, int], str]:
    """Return what a program of this policy is told of each value, asked in one box: as it is, and with high bits."""
    asked = [
        (call, value | above)
        for call, sections in ARGUMENTS.items()
        for value in sorted({UNKNOWN_VALUE, *values_of(call, sections)})
        for above in (0, ABOVE_32_BITS)
    ]
    return dict(zip(asked, answers(policy, [with_value(call, value) for call, value in asked]), strict=True))


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@pytest.mark.parametrize("call", ARGUMENTS)
def test_values_of_arguments_are_allowed_refused_or_unknown_like_calls(call: str, policy: CallPolicy) -> None:
    allowed = values_of(call, granted_sections(policy))
    refused = values_of(call, ARGUMENTS[call]) - allowed

    def told(values: set[int], above: int = 0) -> set[str]:
        return {told_of_values(policy)[call, value | above] for value in values}

    assert not told(allowed) & {"EPERM", "ENOSYS"}
    assert told(refused) == told(refused, ABOVE_32_BITS) == {"EPERM"}
    assert told({UNKNOWN_VALUE}) == told({UNKNOWN_VALUE}, ABOVE_32_BITS) == {"ENOSYS"}


THREAD, FILES, VFORK, NEW_USER, NEW_PID, SIGCHLD = 0x10000, 0x400, 0x4000, 0x10000000, 0x20000000, 17
SHARED, PRIVATE, VALIDATED, ANONYMOUS, GROWS_DOWN, FILLED, HUGE = 1, 2, 3, 0x20, 0x100, 0x8000, 0x40000
READ, WRITE = 1, 3
PAGE = 4096
NO_FILE = -1
EVERYONE = set(POLICIES)

# What: call, arguments, who is refused, with what, and what the kernel then tells the others.
ATTEMPTS: dict[str, tuple[str, tuple[int, ...], set[str], str, str]] = {
    "an Internet socket": ("socket", (2, 1, 0), EVERYONE, "EAFNOSUPPORT", ""),
    "a netlink socket": ("socket", (16, 3, 0), EVERYONE, "EAFNOSUPPORT", ""),
    "a socket to the host of a virtual machine": ("socket", (40, 1, 0), EVERYONE, "EAFNOSUPPORT", ""),
    "a socket for the kernel's ciphers": ("socket", (38, 5, 0), EVERYONE, "EAFNOSUPPORT", ""),
    "a pair of Internet sockets": ("socketpair", (2, 1, 0, 0), EVERYONE, "EAFNOSUPPORT", ""),
    "a socket to itself": ("socketpair", (1, 1, 0, 0), set(), "", "EFAULT"),
    "a pair of sockets for messages": ("socketpair", (1, 5, 0, 0), {"bot", "sharing"}, "EPERM", "EFAULT"),
    "a pair of sockets for lone messages": ("socketpair", (1, 2, 0, 0), {"bot", "sharing"}, "EPERM", "EFAULT"),
    "a pair of sockets that do not wait": ("socketpair", (1, 0o2004001, 0, 0), set(), "", "EFAULT"),
    "a process in a namespace of users": ("clone", (NEW_USER | SIGCHLD,), EVERYONE, "EPERM", ""),
    "a process in a namespace of processes": ("clone", (NEW_PID | SIGCHLD,), EVERYONE, "EPERM", ""),
    "a thread in a namespace of users": ("clone", (THREAD | NEW_USER,), EVERYONE, "EPERM", ""),
    "a thread that is none to the kernel": ("clone", (THREAD | FILES,), set(), "", "EINVAL"),
    "a thread with a table of files of its own": ("clone", (THREAD,), EVERYONE, "EPERM", ""),
    "a thread whose maker waits for it": ("clone", (THREAD | FILES | VFORK,), EVERYONE, "EPERM", ""),
    "a table of files of its own": ("close_range", (1_000_000, 1_000_000, 2), EVERYONE, "EPERM", ""),
    "many pages read in one call": ("madvise", (0, 0, 22), EVERYONE, "EPERM", ""),
    "many pages copied in one call": ("madvise", (0, 0, 25), EVERYONE, "EPERM", ""),
    "a file to be read ahead": ("madvise", (0, 0, 3), EVERYONE, "EPERM", ""),
    "a barrier for all programs": ("membarrier", (1, 1, 0), EVERYONE, "EPERM", ""),
    "a barrier for its own threads": ("membarrier", (8, 1, 0), set(), "", "EINVAL"),
    "private memory": ("mmap", (0, PAGE, WRITE, PRIVATE | ANONYMOUS, NO_FILE, 0), set(), "", "OK"),
    "memory that grows like a stack": (
        "mmap", (0, PAGE, WRITE, PRIVATE | ANONYMOUS | GROWS_DOWN, NO_FILE, 0), EVERYONE, "EPERM", ""
    ),
    "memory that is filled when it is mapped": (
        "mmap", (0, PAGE, WRITE, PRIVATE | ANONYMOUS | FILLED, NO_FILE, 0), EVERYONE - {"compiler"}, "EPERM", "OK"
    ),
    "memory in huge pages": ("mmap", (0, PAGE, WRITE, PRIVATE | ANONYMOUS | HUGE, NO_FILE, 0), EVERYONE, "EPERM", ""),
    "shared memory": (
        "mmap", (0, PAGE, WRITE, SHARED | ANONYMOUS, NO_FILE, 0), EVERYONE - {"sharing"}, "EPERM", "OK"
    ),
    "shared memory to read": (
        "mmap", (0, PAGE, READ, SHARED | ANONYMOUS, NO_FILE, 0), EVERYONE - {"sharing"}, "EPERM", "OK"
    ),
    "shared memory, validated": (
        "mmap", (0, PAGE, WRITE, VALIDATED | ANONYMOUS, NO_FILE, 0), EVERYONE - {"sharing"}, "EPERM", "EINVAL"
    ),
    "a file to read": ("mmap", (0, PAGE, READ, SHARED, NO_FILE, 0), set(), "", "EBADF"),
    "a file to write": ("mmap", (0, PAGE, WRITE, SHARED, NO_FILE, 0), {"bot", "forking"}, "EPERM", "EBADF"),
    "freedom from its parent's death": ("prctl", (1, 0), EVERYONE, "EPERM", ""),
    "words typed into a terminal": ("ioctl", (0, 0x5412, 0), EVERYONE, "EPERM", ""),
    "a lock on a file": ("fcntl", (0, 6, 0), EVERYONE - {"compiler"}, "EPERM", "EFAULT"),
    "a lease on a file": ("fcntl", (0, 1024, 0), EVERYONE, "EPERM", ""),
    "another size of a pipe": ("fcntl", (0, 1031, 1 << 20), EVERYONE, "EPERM", ""),
    "to wait behind others": ("sched_setscheduler", (0, 5, 0), EVERYONE, "EPERM", ""),
    "to come before others": ("sched_setscheduler", (0, 1, 0), EVERYONE, "EPERM", ""),
    "memory merged with that of others": ("madvise", (0, 0, 12), EVERYONE, "EPERM", ""),
}  # fmt: skip


@cache
def told_of_attempts(policy: CallPolicy) -> dict[str, str]:
    calls = [(number_of(call), *arguments) for call, arguments, *_ in ATTEMPTS.values()]
    return dict(zip(ATTEMPTS, answers(policy, calls), strict=True))


@pytest.mark.parametrize("who", POLICIES)
@pytest.mark.parametrize("what", ATTEMPTS)
def test_who_asks_for(what: str, who: str) -> None:
    """Each attempt gets the answer in its row of the table."""
    _, _, refused, refusal, otherwise = ATTEMPTS[what]
    assert told_of_attempts(POLICIES[who])[what] == (refusal if who in refused else otherwise)


def test_a_bot_starts_threads_that_are_scheduled_as_usual_and_no_process() -> None:
    """Mono asks for that, for each of its threads, and complains on stdout where it may not."""
    code = """
import os, threading
thread = threading.Thread(target=print, args=("a thread",))
thread.start(); thread.join()
os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
try:
    os.fork()
except PermissionError:
    print("no process")
"""
    assert python(BOT, code) == (0, "a thread\nno process\n", "")


def test_a_program_that_may_fork_starts_processes() -> None:
    assert run(POLICIES["forking"], ["bash", "-c", "echo $(echo a process)"]) == (0, "a process\n", "")


def test_a_program_that_may_fork_waits_for_those_it_starts_as_posix_spawn_does() -> None:
    """The C library starts a process as `vfork` does there."""
    code = "import os; os.waitpid(os.posix_spawn('/bin/echo', ['echo', 'a process'], {}), 0)"
    assert python(POLICIES["forking"], code) == (0, "a process\n", "")


NODE_WITH_A_CHILD = """
const { fork } = require("child_process");
if (process.argv[2]) process.on("message", (word) => process.send("heard " + word, () => process.exit()));
else fork(__filename, ["child"]).on("message", (word) => console.log(word)).send("you");
"""


@pytest.mark.parametrize("who", ["forking", "compiler"])
def test_a_program_of_node_that_may_fork_talks_to_its_children(who: str, open_folder: Path) -> None:
    (open_folder / "source.js").write_text(NODE_WITH_A_CHILD)
    assert run(POLICIES[who], ["node", "/bot/source.js"], folder=open_folder) == (0, "heard you\n", "")


def test_a_bot_that_waits_goes_on_waiting_after_it_was_frozen() -> None:
    """The kernel resumes a wait by a call of its own, `restart_syscall`, which goes through the filter as well."""
    code = "import select; print('ready', flush=True); print(select.poll().poll(300))"
    with start(BOT, ["python3", "-I", "-S", "-c", code]) as monitor:
        assert monitor.stdout is not None
        try:
            assert monitor.stdout.readline() == b"ready\n"
            bot = int(Path(f"/proc/{monitor.pid}/task/{monitor.pid}/children").read_text())
            await_state(bot, "S")
            os.kill(bot, signal.SIGSTOP)
            await_state(bot, "T")
            os.kill(bot, signal.SIGCONT)
            assert monitor.communicate(timeout=patience_s()) == (b"[]\n", b"")
        finally:
            monitor.kill()


def await_state(pid: int, state: str) -> None:
    wait_until(lambda: state_of(pid), f"state {state}", 0.001, fits=lambda found: found == state)


# What no call by the machine's own table can do, as Python code that returns if it was let through.
FOREIGN = {
    "x32": "ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | 39))",
    "i386": """
        code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
        code.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid); int 0x80; ret
        ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
    """,
}


@pytest.mark.parametrize("table", FOREIGN if X86_64 else ())
def test_a_call_by_the_table_of_another_architecture_ends_the_program_even_from_a_thread(table: str) -> None:
    words = f"textwrap.dedent({FOREIGN[table]!r}), globals()"
    code = "import ctypes, mmap, textwrap, threading\n"
    code += f"threading.Thread(target=exec, args=({words}), daemon=True).start()\n"
    code += "threading.Event().wait(5); print('still here')"
    exit_code, stdout, _ = python(BOT, code)
    # Kernels without 32-bit programs do not know the instruction at all.
    assert (exit_code - 128, stdout) in {(signal.SIGSYS, ""), (signal.SIGSEGV, "")}


JAVA = 'import java.util.*; class Player { public static void main(String[] a) throws Exception { \
String s = new Scanner(System.in).nextLine(); Thread t = new Thread(() -> System.out.println("heard " + s)); \
t.start(); t.join(); System.gc(); Thread.sleep(5); } }'
C = '#include <stdio.h>\nint main() { char s[9]; scanf("%8s", s); printf("heard %s\\n", s); }'
CPP = """#include <iostream>
#include <string>
#include <thread>
int main() { std::string s; std::cin >> s; std::thread([&] { std::cout << "heard " << s << std::endl; }).join(); }
"""
PYTHON = "import asyncio, time; s = input(); time.sleep(0.001); asyncio.run(asyncio.sleep(0.001)); print('heard', s)"
NODE = """require("readline").createInterface({ input: process.stdin }).on("line", (s) => {
    const { Worker } = require("worker_threads");
    new Worker("require('worker_threads').parentPort.postMessage(1)", { eval: true })
        .on("message", () => setTimeout(() => console.log("heard", s), 5));
});"""
CSHARP = """using System; using System.Threading;
class Player { static void Main() {
    string s = Console.ReadLine();
    var thread = new Thread(() => Console.WriteLine("heard " + s)); thread.Start(); thread.Join(); GC.Collect();
} }
"""
GO = """package main
import ("fmt"; "runtime")
func main() {
    var s string; fmt.Scanln(&s)
    done := make(chan bool); go func() { fmt.Println("heard", s); done <- true }(); <-done; runtime.GC()
}
"""
RUST = """fn main() {
    let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap();
    std::thread::spawn(move || print!("heard {s}")).join().unwrap();
}
"""

# The tools that it takes, the source, the command that compiles it, and the one that runs it.
PROGRAMS: dict[str, tuple[list[str], str, list[str], list[str]]] = {
    "python": (["python3"], PYTHON, [], ["python3", "/bot/source"]),
    "perl": (["perl"], 'print "heard " . <STDIN>', [], ["perl", "/bot/source"]),
    "bash": (["bash"], 'read s; echo "heard $s"', [], ["bash", "/bot/source"]),
    "ruby": (["ruby"], 's = gets; Thread.new { puts "heard #{s}" }.join', [], ["ruby", "/bot/source"]),
    "php": (["php"], '<?php echo "heard " . fgets(STDIN);', [], ["php", "/bot/source"]),
    "lua": (["lua5.4"], 'print("heard " .. io.read())', [], ["lua5.4", "/bot/source"]),
    "node": (["node"], NODE, [], ["node", "/bot/source"]),
    "java": (
        ["java", "javac"],
        JAVA,
        ["sh", "-c", "cp /bot/source /tmp/Player.java && javac -d /out /tmp/Player.java"],
        ["java", "-Xmx256m", "-XX:-UsePerfData", "-cp", "/bot", "Player"],
    ),
    "c": (["gcc"], C, ["gcc", "-pipe", "-o", "/out/bot", "-xc", "/bot/source"], ["/bot/bot"]),
    "csharp": (["mono", "mcs"], CSHARP, ["mcs", "-out:/out/bot.exe", "/bot/source"], ["mono", "/bot/bot.exe"]),
    "go": (
        ["go"],
        GO,
        ["sh", "-c", "cp /bot/source /tmp/bot.go && GOCACHE=/tmp/cache go build -o /out/bot /tmp/bot.go"],
        ["/bot/bot"],
    ),
    "rust": (["rustc"], RUST, ["rustc", "-o", "/out/bot", "/bot/source"], ["/bot/bot"]),
    "c++": (["g++"], CPP, ["g++", "-pthread", "-o", "/out/bot", "-xc++", "/bot/source"], ["/bot/bot"]),
}


HARMLESS_COMPLAINT = "timer_create failed: Operation not permitted, signals racy"
"""Ruby's, which would have timers interrupt its threads; they could send a bot the signal to go on, too."""


@pytest.mark.parametrize("name", [name for name, (tools, *_) in PROGRAMS.items() if not missing_tools(tools, ())])
def test_an_honest_program_compiles_starts_hears_a_line_and_answers(name: str, open_folder: Path) -> None:
    _, source, compiling, running = PROGRAMS[name]
    folder = open_folder / f"seccomp-{name}"
    out = folder / "out"
    out.mkdir(parents=True)
    out.chmod(0o777)
    (folder / "source").write_text(source)
    if compiling:
        assert run(COMPILER, compiling, folder=folder, writable=out) == (0, "", "")
        folder = out
    exit_code, stdout, stderr = run(BOT, running, b"you\n", folder=folder)
    complaints = [line for line in stderr.splitlines() if not re.search(HARMLESS_COMPLAINT, line)]
    assert (exit_code, stdout, complaints) == (0, "heard you\n", [])


def test_the_same_policy_has_one_filter() -> None:
    assert compile_filter(CallPolicy()) is compile_filter(CallPolicy(may_fork=False))
    assert len({compile_filter(policy) for policy in POLICIES.values()}) == len(POLICIES)


def test_without_libseccomp_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyseccomp", None)
    with pytest.raises(MissingTool, match="apt install libseccomp2"):
        compile_filter.__wrapped__(BOT)
