"""Lives as a worker does in its container, does one thing, and says how that went: a script for the tests beside it.

    caged.py PROFILE probe                 start a trivial program in the default sandbox
    caged.py PROFILE play SOURCE SOURCE    build two bots and let them play a match of Ocean of Code
    caged.py PROFILE examine               try what the sandbox guarantees
    caged.py PROFILE call "NAME NUMBER..." ...  make these system calls with these arguments, and tell of each

`covered-` before the word does the same where a part of /proc is covered, as container engines do. Root first becomes
the image's user, who has no capability. Then a filter is made of the profile by libseccomp, as container runtimes make
it, and put on with no-new-privileges; it can never be taken off again. Everything of ours is imported, read and started
before that, as the image's user may not be able to. Prints `ok`, or what went wrong; `examine` prints the tier, and
which guarantees do not hold.
"""

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

import pyseccomp  # noqa: F401 - what the sandbox imports when it makes its first box

from engine.errors import ArenaError
from engine.live import play
from engine.match import MatchSpec
from engine.sandbox.choice import open_sandbox
from engine.sandbox.guarantees import examine
from engine.sandbox.watchdog import our_watch
from engine.toolchains.build import build
from engine.toolchains.languages import Language, language_of
from tests.catalogue import GAMES

WORKER_UID = 10001
ALLOW = 0x7FFF0000
ERRNO = 0x00050000
NO_SUCH_CALL = -1
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
INSTRUCTION_BYTES, MOST_BYTES = 8, 1 << 20
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
OPERATORS = {"SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}
SPEC = MatchSpec(GAMES.find("ocean-of-code"), GAMES.find("ocean-of-code").leagues[-1].rules_level, seed=1)

libc = ctypes.CDLL(None, use_errno=True)
libseccomp = ctypes.CDLL("libseccomp.so.2")
libseccomp.seccomp_init.restype = ctypes.c_void_p


class FilterProgram(ctypes.Structure):
    """The kernel's `struct sock_fprog`: how many instructions, and where."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


class Comparison(ctypes.Structure):
    """libseccomp's `struct scmp_arg_cmp`: which argument, how it is compared, and with what."""

    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


def main() -> None:
    """Do what the command line says."""
    profile, order, *words = sys.argv[1:]
    action = order.removeprefix("covered-")
    covered = action != order
    rules = json.loads(Path(profile).read_text("utf-8"))
    sources = [(Path(word).read_text("utf-8"), language_of(Path(word))) for word in words] if action == "play" else []
    our_watch()
    if covered:
        cover_part_of_proc()
    become_the_image_user()
    put_on(rules)
    try:
        if action == "probe":
            open_sandbox("bubblewrap")
        elif action == "play":
            play_a_match(sources)
        elif action == "examine":
            sandbox = open_sandbox()
            failing = [finding.guarantee.name for finding in examine(sandbox) if not finding.holds]
            return say(f"{sandbox.name}: {' '.join(failing) or 'all hold'}")
        else:
            return say("\n".join(map(told, words)))
    except ArenaError as error:
        say(str(error))
    else:
        say("ok")


def told(words: str) -> str:
    """Make a system call, and return the error or `ok`."""
    name, *arguments = words.split()
    try:
        succeed_or_errno(libc.syscall(number_of(name), *(ctypes.c_long(int(word, 0)) for word in arguments)))
    except OSError as error:
        return str(error)
    return "ok"


def become_the_image_user() -> None:
    """Give up root, for good; an ordinary user stays who it is."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(WORKER_UID, WORKER_UID, WORKER_UID)
        os.setresuid(WORKER_UID, WORKER_UID, WORKER_UID)


def cover_part_of_proc() -> None:
    """Cover a file of /proc that nobody here reads, in a mount namespace of our own.

    The kernel then lets nobody in here mount another /proc. An ordinary user needs a user namespace for it as well.
    """
    uid, gid = os.geteuid(), os.getegid()
    succeed_or_errno(libc.unshare(CLONE_NEWNS | (CLONE_NEWUSER if uid else 0)))
    if uid:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    succeed_or_errno(libc.mount(b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None))
    succeed_or_errno(libc.mount(b"/dev/null", b"/proc/interrupts", None, ctypes.c_ulong(MS_BIND), None))


def put_on(profile: dict[str, Any]) -> None:
    """Make the profile this process's filter. Raises OSError where the kernel does not take it."""
    instructions = compiled_elsewhere(profile)
    program = FilterProgram(len(instructions) // INSTRUCTION_BYTES, instructions)
    succeed_or_errno(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    succeed_or_errno(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0))


def compiled_elsewhere(profile: dict[str, Any]) -> bytes:
    """Return the filter, made in a process of its own.

    libseccomp asks the kernel once what it can do. Ours must ask under the filter, as in a container.
    """
    file = os.memfd_create("filter")
    child = os.fork()
    if child == 0:
        try:
            write_filter(profile, file)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    return os.pread(file, MOST_BYTES, 0)


def write_filter(profile: dict[str, Any], file: int) -> None:
    """Write the profile as the kernel takes it. Raises LookupError for a call that libseccomp does not know."""
    context = ctypes.c_void_p(libseccomp.seccomp_init(ERRNO | profile["defaultErrnoRet"]))
    for rule in profile["syscalls"]:
        wanted = rule.get("args", [])
        comparisons = (Comparison * len(wanted))(*map(comparison, wanted))
        for name in rule["names"]:
            succeed(libseccomp.seccomp_rule_add_array(context, ALLOW, number_of(name), len(wanted), comparisons))
    succeed(libseccomp.seccomp_export_bpf(context, file))


def comparison(wanted: dict[str, Any]) -> Comparison:
    return Comparison(wanted["index"], OPERATORS[wanted["op"]], wanted["value"], wanted.get("valueTwo", 0))


def number_of(name: str) -> int:
    """Return a system call's number; calls that only other machines have get a negative one. Raises LookupError."""
    number = int(libseccomp.seccomp_syscall_resolve_name(name.encode()))
    if number == NO_SUCH_CALL:
        raise LookupError(f"libseccomp knows no call {name}")
    return number


def succeed_or_errno(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def succeed(status: int) -> None:
    if status < 0:
        raise OSError(-status, os.strerror(-status))


def play_a_match(sources: list[tuple[str, Language]]) -> None:
    """Build both bots and let them play, well or badly. Raises OSError where one never said a word."""
    first, second = (build(source, language, open_sandbox()) for source, language in sources)
    result = play(SPEC, (first, second), open_sandbox())
    spoken = {turn.seat for turn in result.turns if turn.line is not None}
    if spoken != {0, 1}:
        raise OSError(f"only seats {spoken} answered: {result.outcome} {result.stderr}")


def say(line: str) -> None:
    print(line)  # noqa: T201 - this is how it reports


if __name__ == "__main__":
    main()
