"""Somebody who cleans up after us if we are killed in the middle of building a box.

How this works. Once a box is built the kernel ends it when we die. But for some milliseconds before, what builds it is
not bound to us yet. And a bot that replaces itself by another program from a thread that is not its first loses the
tie, as the kernel keeps it per thread. So each process that uses the sandbox keeps a *watchdog*, a tiny program that
has the other end of a pipe (the lifeline). When the pipe closes it ends whatever bears our mark, until there is
nothing, and for a while longer unless it got the word that all is well. It also empties and removes the cgroups whose
names begin with the mark, in the folders that the lifeline has named.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from engine.errors import SandboxFault, plain_words
from engine.sandbox.watchdog_program import ALL_IS_WELL

WATCHDOG = Path(__file__).with_name("watchdog_program.py")
PATIENCE_S = 10.0


class Watch:
    """Our watchdog. `mark`: the word that it looks for in command lines; no other watchdog has the same."""

    def __init__(self) -> None:
        self.mark = f"ladder-{secrets.token_hex(12)}"
        self.pid = os.getpid()
        self._folders: set[Path] = set()
        self._boxes = itertools.count(1)
        try:
            reading, self._lifeline = os.pipe()
            command, silent = [sys.executable, "-I", "-S", str(WATCHDOG), self.mark], subprocess.DEVNULL
            try:
                self._watchdog = subprocess.Popen(
                    command, stdin=reading, stdout=silent, stderr=silent, start_new_session=True, cwd="/", env={}
                )
            except OSError:
                self.let_go()
                raise
            finally:
                os.close(reading)
        except OSError as error:
            raise SandboxFault(f"the sandbox's watchdog could not be started: {plain_words(error)}") from error

    def mark_of_a_box(self) -> str:
        return f"{self.mark}-box-{next(self._boxes)}."

    def also_empty(self, folders: Iterable[Path]) -> None:
        """Make the watchdog look in these folders too for cgroups whose names begin with the mark."""
        for folder in folders:
            if folder not in self._folders:
                self._folders.add(folder)
                os.write(self._lifeline, f"{folder}\n".encode())

    def dismiss(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            os.write(self._lifeline, ALL_IS_WELL)
        self.let_go()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._watchdog.wait(PATIENCE_S)

    def let_go(self) -> None:
        os.close(self._lifeline)


_watches: list[Watch] = []
"""Ours, and behind it those of the processes that we were forked from: they must not be taken for ours."""


def our_watch() -> Watch:
    if not _watches or _watches[0].pid != os.getpid():
        _watches.insert(0, Watch())
    return _watches[0]


def _leave_the_parents() -> None:
    """In a forked child: close the parent's lifeline, or its watchdog would not see the parent die."""
    if _watches:
        _watches[0].let_go()


def dismiss_our_watch() -> None:
    if _watches and _watches[0].pid == os.getpid():
        _watches.pop(0).dismiss()


@atexit.register
def _end_in_good_order() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    dismiss_our_watch()


os.register_at_fork(after_in_child=_leave_the_parents)
