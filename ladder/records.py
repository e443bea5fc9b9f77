"""What is kept of a match so that it can be played again: the lines that were said, and how long each took."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence

from engine.match import Turn


def encode_turns(turns: Sequence[Turn]) -> bytes:
    """Pack turns for the database: compressed JSON of `[seat, line, microseconds]`."""
    rows = [[turn.seat, turn.line, turn.wall_us] for turn in turns]
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode())


def decode_turns(record: bytes) -> tuple[Turn, ...]:
    """Unpack what `encode_turns` packed."""
    return tuple(Turn(seat, line, wall_us) for seat, line, wall_us in json.loads(zlib.decompress(record)))
