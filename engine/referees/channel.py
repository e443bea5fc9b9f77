"""What a protocol needs of the referee program that it talks to: bytes, both ways."""

from __future__ import annotations

from typing import Protocol


class Channel(Protocol):
    """The way to one referee program in one match."""

    def send(self, data: bytes) -> None:
        """Write all of it; with that the time to the next question begins. Raises RefereeFault, as `receive` does."""
        ...

    def receive(self, patience_s: float | None = None) -> bytes:
        """Wait for the next bytes.

        With `patience_s` for no longer than that: then nothing is what comes where it is silent, or has ended. Raises
        RefereeFault where the program has ended or is over one of its limits.
        """
        ...
