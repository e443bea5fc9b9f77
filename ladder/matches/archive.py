"""Matches as files before the ladder lets them go: FOLDER/17.match, which `ladder match view` opens.

A file has the form of `local_matches`. What was written once stays: the first file of a match has the most.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from engine.conversation import SeatVerdict, Verdict
from engine.errors import Refused, Unavailable, plain_words
from ladder.matches.local_matches import DRAFT, Damaged, LocalHead, LocalMatch, head_from, to_bytes
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.matches.record import unpack


def write_match(folder: Path, row: MatchRow, seats: Sequence[SeatRow], record: bytes) -> None:
    """Write a match, and have it on the disk. Raises Refused where another one has that place, Unavailable."""
    file = folder / f"{row.id}.match"
    try:
        if file.exists():
            require_same(file, row)
            return
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = folder / f"{DRAFT}{row.id}"
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as written:  # noqa: PTH123
            written.write(to_bytes(archived(row, seats, record)))
            written.flush()
            os.fsync(written.fileno())
        draft.rename(file)
    except OSError as error:
        full = "; free some space there" if error.errno in {errno.ENOSPC, errno.EDQUOT} else ""
        raise Unavailable(
            f"the archive {folder} cannot be written: {plain_words(error)}{full}; what is not there was not let go"
        ) from error


def require_same(file: Path, row: MatchRow) -> None:
    with file.open("rb") as there:
        try:
            is_same = head_from(there.readline()).finished_at == row.finished_at
        except Damaged:
            is_same = False
    if not is_same:
        raise Refused(f"{file} is there already and is not match {row.id} of this ladder: name another folder")


def archived(row: MatchRow, seats: Sequence[SeatRow], record: bytes) -> LocalMatch:
    """Raises Refused where what is stored of it makes no sense."""
    if len(seats) != row.players or row.finished_at is None:
        raise Refused(f"match {row.id} has lost rows in the database, so it cannot be archived")
    recording = unpack(record)
    head = LocalHead(
        row.game,
        row.league,
        row.rules_level,
        row.known_seed,
        row.first_limit_ms or 0,
        row.turn_limit_ms or 0,
        tuple(seat.name for seat in seats),
        None,
        tuple(seat.score or 0 for seat in seats),
        row.reason,
        tuple(SeatVerdict(Verdict(seat.verdict or Verdict.OK), seat.message) for seat in seats),
        tuple(seat.early_lines for seat in seats),
        tuple(seat.stderr_dropped_bytes for seat in seats),
        len(recording.turns),
        row.sandbox,
        row.time_policy or "",
        row.clock or "",
        row.host_faults,
        row.finished_at,
        row.edition or "",
    )
    return LocalMatch(head, tuple(seat.stderr for seat in seats), recording)
