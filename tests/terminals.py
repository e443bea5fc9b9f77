"""Programs on a terminal of their own, as a person uses them: keys in, and what they write."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.patience import wait_until

CODES = re.compile(r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b[78=>]")


class OnTerminal:
    """A program that runs on a terminal. `written`: all that it wrote there."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process = process
        self.written = b""
        self._screen = screen

    @property
    def text(self) -> str:
        return plain(self.written)

    def wait_for(self, words: str, seen: int = 0) -> None:
        """Read until these words stand in what it wrote after that many bytes."""

        def have_come() -> bool:
            if words in plain(self.written[seen:]):
                return True
            assert self._read(), f"it ended without {words!r}: {self.text[-2000:]!r}"
            return False

        wait_until(have_come, lambda: f"{words!r} in {self.text[-2000:]!r}", 0)

    def press(self, keys: str, words: str) -> None:
        seen = len(self.written)
        os.write(self._screen, keys.encode())
        self.wait_for(words, seen)

    def end(self, keys: str = "") -> int:
        """Press keys, read all that comes, and return its exit status."""
        os.write(self._screen, keys.encode())

        def has_ended() -> bool:
            is_open = self._read()
            return self.process.poll() is not None and not is_open

        wait_until(has_ended, lambda: f"its end after {self.text[-2000:]!r}", 0)
        return self.process.wait()

    def _read(self) -> bool:
        """Read what is there; False where no more will come."""
        ready, _, _ = select.select([self._screen], [], [], 0.1)
        if not ready:
            return self.process.poll() is None
        try:
            self.written += os.read(self._screen, 65_536)
        except OSError:  # so Linux says that the other end is closed
            return False
        return True


def plain(written: bytes) -> str:
    return CODES.sub("", written.decode(errors="replace"))


@contextmanager
def on_terminal(
    words: Sequence[str | Path], size: tuple[int, int], environment: Mapping[str, str]
) -> Iterator[OnTerminal]:
    """Run a program on a terminal of so many columns and lines; at the end its settings must be as they were."""
    screen, its_end = pty.openpty()
    columns, lines = size
    fcntl.ioctl(its_end, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    before = termios.tcgetattr(its_end)
    others = {name: value for name, value in environment.items() if name not in {"COLUMNS", "LINES"}}
    process = subprocess.Popen(
        words, stdin=its_end, stdout=its_end, stderr=its_end, env={"TERM": "xterm-256color", **others}
    )
    try:
        yield OnTerminal(process, screen)
        assert termios.tcgetattr(its_end) == before
    finally:
        process.kill()
        process.wait()
        os.close(its_end)
        os.close(screen)
