"""Reading the files of a control group."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import SandboxFault, plain_words
from engine.sandbox.usage.meter import require_over

MEGABYTE = 1024 * 1024
PAUSE_S = 0.001

PATIENCE_S = 5.0


class CpuTime:
    """The CPU time of a group, from a file that holds one number, or one number after a word."""

    def __init__(self, file: Path, unit_ns: int, word: str = "") -> None:
        self._file = file
        self._unit_ns = unit_ns
        self._word = word
        self.last_ns = 0

    def read_ns(self) -> int:
        """Return it in nanoseconds; the last one once the group is gone."""
        text = read_unless_over(self._file)
        if text:
            self.last_ns = number_after(self._word, text) * self._unit_ns
        return self.last_ns


def number_after(word: str, text: str) -> int:
    """Return the number in the line that begins with `word`; without a word the first number."""
    for line in text.splitlines():
        name, _, value = line.rpartition(" ")
        if name == word:
            return int(value)
    return 0


def read_unless_over(file: Path) -> str:
    """Return what a group's file says; nothing once the group is gone. Raises SandboxFault."""
    try:
        return file.read_text()
    except OSError as error:
        require_over(error)
        return ""


def wait_until(condition: Callable[[], bool], failure: str) -> None:
    """Look again and again until it holds. Raises SandboxFault with `failure` where it does not for long."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise SandboxFault(f"{failure} within {PATIENCE_S:.0f} s")
        time.sleep(PAUSE_S)


@contextmanager
def our_fault() -> Iterator[None]:
    """Turn trouble with the groups' files into a SandboxFault: it is no bot's fault."""
    try:
        yield
    except OSError as error:
        raise SandboxFault(f"a cgroup cannot be used: {plain_words(error)}") from error
