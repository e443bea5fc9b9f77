"""A moment in which this thread alone has the bots' account, so that what it starts has given up root for good.

How this works. To the kernel every thread has an account of its own. That a process seems to have one is the work of
the C library, whose `setresuid` changes all of its threads. We call the kernel itself, so nothing but the thread that
starts something ceases to be root. The thread keeps root's number as its *saved* one, by which it comes back. What it
starts cannot: a new program's saved number is the one it runs under, and a program that is not root's begins with no
capability.

On the way the kernel forgets with whose end the thread has asked to be ended itself, as the processes of a worker have,
so it is asked again; and whoever was to end them may have ended meanwhile. It also takes our process for one that knows
secrets from now on: no core is written of it, and nobody but root may trace it. That is welcome.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from engine.errors import SandboxFault, plain_words
from engine.sandbox.bot_user import UID_VARIABLE, bot_uid

PR_SET_PDEATHSIG, PR_GET_PDEATHSIG = 1, 2
AS_IT_IS = -1


@contextmanager
def as_bot_user() -> Iterator[None]:
    """Have the bots' account for the block, in this thread alone; nothing happens where we are an ordinary user.

    Raises SandboxFault where the account cannot be had, UsageFault for one that may not be.
    """
    uid = bot_uid()
    if uid is None:
        yield
        return
    groups, gids, uids = os.getgroups(), os.getresgid(), os.getresuid()
    parent, ends_with_parent = os.getppid(), _ends_with_parent()
    try:
        _become(uid)
        yield
    finally:
        _call("setresuid", *uids)  # first, as root may do the rest
        _call("setresgid", *gids)
        if os.getgroups() != groups:
            _call("setgroups", len(groups), (ctypes.c_uint32 * len(groups))(*groups))
        if ends_with_parent:
            _end_with_parent(ends_with_parent, parent)


def _become(uid: int) -> None:
    """Take the account, without any group beside its own, and keep root as the saved one."""
    try:
        _call("setgroups", 0, 0)
        _call("setresgid", uid, uid, AS_IT_IS)
        _call("setresuid", uid, uid, 0)
    except OSError as error:
        raise SandboxFault(
            f"root cannot be given up for the bots' account, {uid}: {plain_words(error)}; "
            f"run it as an ordinary user, or name another account in {UID_VARIABLE}"
        ) from error


def _ends_with_parent() -> int:
    """Return the signal that this thread gets when the parent of its process ends, or 0."""
    number = ctypes.c_int()
    _c_library().prctl(PR_GET_PDEATHSIG, ctypes.byref(number), 0, 0, 0)
    return number.value


def _end_with_parent(number: int, parent: int) -> None:
    """Ask for this signal again; send it ourselves where the parent, of this number, has ended before we asked."""
    _c_library().prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:
        signal.raise_signal(number)


def _call(name: str, *arguments: int | ctypes.Array[ctypes.c_uint32]) -> None:
    """Call the kernel, for this thread. Raises OSError."""
    if _c_library().syscall(_number_of(name), *arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


@cache
def _number_of(name: str) -> int:
    """Return the number of a system call on this processor."""
    import pyseccomp

    return int(pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name))


@cache
def _c_library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
