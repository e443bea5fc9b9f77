"""Which of the clerk's threads is on duty, and when another takes over.

How this works. A thread that stands by sleeps while there is nothing to do. While there is, it looks about once a
second what the one on duty is at. If that is still what it was at the look before, that one waits for something, locks
for example, and the thread takes over. The other one notices it when it is done.

Where all takes long, as a large fleet has one server, to take over would only give that server more to do. So patience
grows with how long what was done has taken of late.
"""

from __future__ import annotations

import threading
import time

PATIENCE_S = 1.0
"""A thread takes over where the one on duty has been at the same for this long, and twice as long at most ..."""
TIMES_AS_LONG = 5
"""... and this many times as long as it usually is at anything."""
FADES = 0.9
"""What took long is remembered by this share of itself with each thing that takes less."""


class Duty:
    """At most one thread has it. To be used by several threads."""

    def __init__(self) -> None:
        self._changes = threading.Lock()
        self._on_duty: int | None = None
        self._at: object | None = None
        """What the one on duty is at; None while it waits for something to do."""
        self._began = self._usual_s = 0.0
        self._standing_by = 0
        self._is_busy = threading.Event()
        self._is_over = threading.Event()

    def comes(self) -> bool:
        """Stand by until this thread is on duty; return False at the end."""
        with self._changes:
            self._standing_by += 1
        while not self._is_over.is_set():
            if self._is_taken(None):
                return True
            self._is_busy.wait()
            self._is_busy.clear()
            at = self._at
            if not self._is_over.wait(self._patience_s()) and at is not None and self._is_taken(at):
                return True
        return False

    def _is_taken(self, at: object | None) -> bool:
        """Go on duty if nobody is, or take over from one that is still at that; say whether it was possible."""
        with self._changes:
            if self._on_duty is not None and (at is None or at is not self._at):
                return False
            self._on_duty, self._at = threading.get_ident(), None
            self._standing_by -= 1
            return True

    def _patience_s(self) -> float:
        return max(PATIENCE_S, TIMES_AS_LONG * self._usual_s)

    def needs_another(self) -> bool:
        return self._standing_by == 0

    def begin(self) -> None:
        """Say that this thread, which is on duty, is now at something."""
        self._at, self._began = object(), time.monotonic()
        self._is_busy.set()

    def done(self) -> bool:
        """Say that it is done, and return whether it is still on duty."""
        with self._changes:
            if self._on_duty != threading.get_ident():
                return False
            self._at = None
            self._usual_s = max(time.monotonic() - self._began, FADES * self._usual_s)
            return True

    def end(self) -> None:
        """Let all know that it is over."""
        self._is_over.set()
        self._is_busy.set()

    def is_over(self) -> bool:
        return self._is_over.is_set()
