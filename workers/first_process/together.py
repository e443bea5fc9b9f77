"""What the clerk does in one transaction where several processes of its worker ask for it: to claim, and to record."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from ladder.database.connection import Connection
from ladder.flows.recording import write_all_down, write_down
from ladder.flows.recordings import MatchOver
from ladder.matches.claims import claim_match, claim_matches
from workers.first_process.clerk import Together


def write_each_down(connection: Connection, requests: Sequence[tuple[Any, ...]]) -> list[bool]:
    """Record matches, of each of which there is what `write_down` takes."""
    return write_all_down(connection, [MatchOver(*request) for request in requests])


TOGETHER: Together = MappingProxyType({claim_match: claim_matches, write_down: write_each_down})
