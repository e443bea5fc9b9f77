"""A moment in which this thread alone has a bot's account, so that what it starts has given up root for good.

How this works. To the kernel every thread has an account of its own. That a process seems to have one is the work of
the C library, whose `setresuid` changes all of its threads. We call the kernel itself, so nothing but the thread that
starts something ceases to be root. The thread keeps root's number as its *saved* one, by which it comes back. What it
starts cannot: a new program's saved number is the one it runs under, and a program that is not root's begins with no
capability.

It is not for the main thread, which may be interrupted on its way back (see `starter`). And the kernel takes our
process for one that knows secrets from then on: no core is written of it, and only root may trace it. That is
welcome.

Imports inside functions: pyseccomp loads a library of C, which only sandboxes with a filter need.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from engine.boxes import UID_VARIABLE, bot_uid
from engine.errors import NoBotUser, plain_words

AS_IT_IS = -1
POWERS = {"CAP_KILL": 5, "CAP_SETGID": 6, "CAP_SETUID": 7}
"""What it takes to run programs under another account and to end them: the numbers of the capabilities."""
AS_ORDINARY_USER = "setpriv --reuid=1000 --regid=1000 --clear-groups ladder ..."
REMEDY = f"run it as an ordinary user, for instance by `{AS_ORDINARY_USER}`"


@contextmanager
def as_bot_user(chosen_uid: int | None = None) -> Iterator[None]:
    """Have a bot's account for the block, in this thread alone; nothing happens where we are an ordinary user.

    `chosen_uid`: which one, where it is not the first. All have the same group.

    Raises NoBotUser where the account cannot be had, UsageFault for one that may not be.
    """
    gid = bot_uid()
    if gid is None:
        yield
        return
    require_powers()
    groups, gids, uids = os.getgroups(), os.getresgid(), os.getresuid()
    try:
        _become(gid if chosen_uid is None else chosen_uid, gid)
        yield
    finally:
        _call("setresuid", AS_IT_IS, 0, AS_IT_IS)  # first, as root may do the rest
        _call("setresgid", *gids)
        if os.getgroups() != groups:
            _call("setgroups", len(groups), (ctypes.c_uint32 * len(groups))(*groups))
        _call("setresuid", *uids)


@cache
def require_powers() -> None:
    """Raise NoBotUser where root, in a container say, lacks what it takes to run bots under an account of their own."""
    status = Path("/proc/thread-self/status").read_text()
    held = int(status.partition("\nCapEff:")[2].split()[0], 16)
    lacking = [name for name, number in POWERS.items() if not held >> number & 1]
    if lacking:
        raise NoBotUser(
            f"root may not run bots under an account of their own here, as it lacks {' and '.join(lacking)}: add "
            f"{'it' if len(lacking) == 1 else 'them'}, or {REMEDY}"
        )


def _become(uid: int, gid: int) -> None:
    """Take the account, without any group beside the bots', and keep root as the saved one."""
    try:
        _call("setgroups", 0, 0)
        _call("setresgid", gid, gid, AS_IT_IS)
        _call("setresuid", uid, uid, 0)
    except OSError as error:
        raise NoBotUser(
            f"root cannot be given up here for the bots' account, {uid}: {plain_words(error)}; {REMEDY}, "
            f"or name another account in {UID_VARIABLE}"
        ) from error


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
