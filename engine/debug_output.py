"""What is kept of a bot's debug output: its beginning, per turn and per match; the rest is counted and dropped."""

from __future__ import annotations

from engine.conditions import OutputLimits


class DebugOutput:
    """Collects what a bot writes to stderr."""

    def __init__(self, limits: OutputLimits) -> None:
        self._limits = limits
        self._kept = bytearray()
        self._turn_left_bytes = limits.stderr_turn_bytes
        self.dropped_bytes = 0

    @property
    def text(self) -> str:
        """What was kept."""
        return self._kept.decode("utf-8", "replace")

    @property
    def last_words(self) -> str:
        """The end of what was kept: where a program says why it ends."""
        return self._kept[-self._limits.stderr_turn_bytes :].decode("utf-8", "replace")

    def new_turn(self) -> None:
        """From here on it is another turn's output."""
        self._turn_left_bytes = self._limits.stderr_turn_bytes

    def take(self, chunk: bytes) -> None:
        """Keep of a chunk what there is room for."""
        room = max(0, min(self._turn_left_bytes, self._limits.stderr_match_bytes - len(self._kept)))
        self._kept += chunk[:room]
        self._turn_left_bytes -= min(room, len(chunk))
        self.dropped_bytes += max(0, len(chunk) - room)
