"""Which system calls a program in a box may make: a filter that the kernel runs before each of them.

How this works. `system_calls.toml` lists what is allowed, for everybody or under a flag of `CallPolicy`, and what is
refused by name; all else does not exist (ENOSYS). From that libseccomp makes a program for the kernel, which bwrap
loads just before it starts what is in the box. It sees numbers and follows no pointers: it knows what `clone` is asked
for, but not what `clone3` is, so that is refused to all. Integers are compared by their lower 32 bits, which is all
that the kernel takes of them. Calls by the tables of another architecture end the program, since there the same numbers
mean other calls.

Without `may_fork` a program has threads but never a second process. Then one signal stops all of it, one clock measures
it, and RLIMIT_DATA counts its memory. The gaps of that limit that show in a number are closed here: shared and huge
mappings, and such as grow like a stack.

Imports inside functions: pyseccomp loads a library of C, which only sandboxes with a filter need.
"""

from __future__ import annotations

import dataclasses
import errno
import mmap
import os
import signal
import socket
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from engine.errors import MissingTool, SandboxFault, plain_words
from engine.immutable import immutable

TABLE_TEXT = Path(__file__).with_name("system_calls.toml").read_text("utf-8")
"""Read at once: who gives up root later may not be able to reach the file then."""

CLONE_FILES = 0x00000400
CLONE_VFORK = 0x00004000
CLONE_THREAD = 0x00010000
CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
NAMESPACES = (CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET)
MAP_GROWSDOWN = 0x00000100
MAP_POPULATE = 0x00008000
MAP_HUGETLB = 0x00040000
KINDS_OF_SOCKETS = 0xF
LOWER_32_BITS = 0xFFFFFFFF
SIGNAL_POSITIONS = {"kill": 1, "tkill": 1, "tgkill": 2, "rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2}
AS_A_TREE = 2
"""The kernel tries all calls when it loads a filter, and is done 0.4 ms sooner than with one test after the other."""

T = TypeVar("T", str, int)


@immutable
class CallPolicy:
    """What a program may do besides computing in threads, reading files and using its pipes. `may_fork`: start
    processes. `shared_memory`: have memory that can be shared, memfds included. `compiles`: change, lock and map files.
    The names are also those of tables in `system_calls.toml`.
    """

    may_fork: bool = False
    shared_memory: bool = False
    compiles: bool = False


@immutable
class _Bits:
    """Of the argument at `position`, the bits of `mask` are those of `value`; or it is another number, `unless` set."""

    position: int
    mask: int
    value: int
    unless: bool = False


@immutable
class _Rule:
    """A call gets through (`error` 0) or fails with this errno, if all conditions hold."""

    error: int
    call: str
    conditions: tuple[_Bits, ...] = ()


def libseccomp() -> Any:
    """Return the library's module. Raises MissingTool."""
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError) as error:
        raise MissingTool(
            f"the filter of system calls needs libseccomp ({error}); on Debian and Ubuntu: sudo apt install libseccomp2"
        ) from error
    return pyseccomp


@cache
def call_number(name: str) -> int:
    """Return a system call's number, below 0 where this processor or libseccomp has none. Raises MissingTool."""
    pyseccomp = libseccomp()
    return int(pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name))


@cache
def compile_filter(policy: CallPolicy) -> bytes:
    """Return the filter for bwrap's `--seccomp`. Raises MissingTool without libseccomp, SandboxFault."""
    pyseccomp = libseccomp()
    try:
        program = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.ENOSYS))
        program.set_attr(pyseccomp.Attr.ACT_BADARCH, pyseccomp.KILL_PROCESS)
        program.set_attr(pyseccomp.Attr.CTL_OPTIMIZE, AS_A_TREE)
        for rule in chain.from_iterable(rules(policy) for rules in RULES):
            if (number := call_number(rule.call)) >= 0:
                action = pyseccomp.ERRNO(rule.error) if rule.error else pyseccomp.ALLOW
                program.add_rule(action, number, *map(_comparison, rule.conditions))
        with os.fdopen(os.memfd_create("seccomp"), "r+b") as file:
            program.export_bpf(file)
            file.seek(0)
            return file.read()
    except OSError as error:
        raise SandboxFault(f"libseccomp could not make the filter of system calls: {plain_words(error)}") from error


def _comparison(condition: _Bits) -> Any:
    pyseccomp = libseccomp()
    if condition.unless:
        return pyseccomp.Arg(condition.position, pyseccomp.NE, condition.value)
    return pyseccomp.Arg(condition.position, pyseccomp.MASKED_EQ, condition.mask, condition.value)


def _rules_of_the_table(policy: CallPolicy) -> Iterator[_Rule]:
    table = tomllib.loads(TABLE_TEXT)
    arguments = table.pop("argument")
    calls = {section: " ".join(groups.values()).split() for section, groups in table.items()}
    yield from (_Rule(error, call) for error, call in _with_errors(calls, policy))
    for call, sections in arguments.items():
        position = sections.pop("position")
        values = {section: named.values() for section, named in sections.items()}
        for error, value in _with_errors(values, policy):
            yield _Rule(error, call, (_Bits(position, LOWER_32_BITS, value),))


def _with_errors(sections: Mapping[str, Iterable[T]], policy: CallPolicy) -> Iterator[tuple[int, T]]:
    """Give all that is allowed, with 0, and then all that is refused."""
    granted = {"allowed", *(name for name, granted in dataclasses.asdict(policy).items() if granted)}
    allowed = {call for section, calls in sections.items() if section in granted for call in calls}
    refused = {call for calls in sections.values() for call in calls} - allowed
    for error, group in ((0, allowed), (errno.EPERM, refused)):
        yield from ((error, call) for call in sorted(group))


def _rules_on_sockets(policy: CallPolicy) -> Iterator[_Rule]:
    """Sockets are for talking to oneself. No other family is there, also none that network namespaces let through. A
    bot's pairs are streams: one that keeps messages apart holds twice as much in the kernel. Compilers may have those
    too, as Rust's library does for processes that it starts.
    """
    ours = _Bits(0, LOWER_32_BITS, socket.AF_UNIX)
    for call in ("socket", "socketpair"):
        yield _Rule(errno.EAFNOSUPPORT, call, (_Bits(0, LOWER_32_BITS, socket.AF_UNIX, unless=True),))
    yield _Rule(0, "socket", (ours,))
    if policy.may_fork:
        yield _Rule(0, "socketpair", (ours,))
        return
    yield _Rule(0, "socketpair", (ours, _Bits(1, KINDS_OF_SOCKETS, socket.SOCK_STREAM)))
    for bit in (1, 2, 4, 8):
        yield _Rule(errno.EPERM, "socketpair", (ours, _Bits(1, bit, ~socket.SOCK_STREAM & bit)))


def _rules_on_processes(policy: CallPolicy) -> Iterator[_Rule]:
    """Threads for everybody, processes by permission, new namespaces for nobody. A thread shares its process' table of
    files: the limit on open files, and with it what pairs of sockets hold in the kernel, would else count for each
    thread alone. And its maker does not wait for its end, as after a `vfork`: no signal stops one that waits so.
    """
    forbidden, thread = sum(NAMESPACES), CLONE_THREAD | CLONE_FILES
    yield _Rule(0, "clone", (_Bits(0, forbidden | thread | CLONE_VFORK, thread),))
    yield _Rule(errno.EPERM, "clone", (_Bits(0, thread, CLONE_THREAD),))
    yield _Rule(errno.EPERM, "clone", (_Bits(0, CLONE_THREAD | CLONE_VFORK, CLONE_THREAD | CLONE_VFORK),))
    yield _Rule(0 if policy.may_fork else errno.EPERM, "clone", (_Bits(0, forbidden | CLONE_THREAD, 0),))
    for namespace in NAMESPACES:
        yield _Rule(errno.EPERM, "clone", (_Bits(0, namespace, namespace),))


def _rules_on_mappings(policy: CallPolicy) -> Iterator[_Rule]:
    """Private memory and files to read for everybody; shared memory by permission; what no limit counts for nobody.
    Memory that is filled when it is mapped is for compilers alone, which are never stopped in the middle: no signal
    would do it.
    """
    protection, flags = 2, 3
    shared, anonymous, write = mmap.MAP_SHARED, mmap.MAP_ANONYMOUS, mmap.PROT_WRITE
    unwanted = (MAP_GROWSDOWN, MAP_HUGETLB) if policy.compiles else (MAP_GROWSDOWN, MAP_HUGETLB, MAP_POPULATE)
    any_unwanted = sum(unwanted)
    of_file = _Bits(flags, shared | anonymous | any_unwanted, shared)
    unwritable = _Bits(protection, write, 0)
    for flag in unwanted:
        yield _Rule(errno.EPERM, "mmap", (_Bits(flags, flag, flag),))
    yield _Rule(0, "mmap", (_Bits(flags, shared | any_unwanted, 0),))
    if policy.shared_memory:
        yield _Rule(0, "mmap", (_Bits(flags, shared | any_unwanted, shared),))
        return
    yield _Rule(errno.EPERM, "mmap", (_Bits(flags, shared | anonymous, shared | anonymous),))
    if policy.compiles:
        yield _Rule(0, "mmap", (of_file,))
        return
    yield _Rule(0, "mmap", (unwritable, of_file))
    yield _Rule(errno.EPERM, "mmap", (_Bits(protection, write, write), _Bits(flags, shared, shared)))


def _rules_on_signals(policy: CallPolicy) -> Iterator[_Rule]:
    """Any signal but the one that lets a stopped process go on: a bot would wake itself in its opponent's turn. A
    number is another one if it differs in any of the seven bits that signals have.
    """
    for call, position in SIGNAL_POSITIONS.items():
        if policy.may_fork:  # where a cgroup freezes, or nobody does
            yield _Rule(0, call)
            continue
        yield _Rule(errno.EPERM, call, (_Bits(position, LOWER_32_BITS, signal.SIGCONT),))
        for bit in (1 << number for number in range(7)):
            yield _Rule(0, call, (_Bits(position, bit, ~signal.SIGCONT & bit),))


RULES = (_rules_of_the_table, _rules_on_sockets, _rules_on_processes, _rules_on_mappings, _rules_on_signals)
"""No two that give different answers can hold for one call: which of them counts is not promised."""
