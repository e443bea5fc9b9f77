"""Matches of the ladder in the form of `local_matches`: to be played again, or as files before the ladder lets them go.

`ladder match view` opens such a file, FOLDER/17.match. What was written once stays: the first file has the most.
"""

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from engine.conversation import SeatVerdict, Verdict
from engine.errors import ArenaError, Refused, Unavailable, plain_words
from engine.game import Game
from engine.match import MatchResult
from ladder.matches.local_matches import DRAFT, Damaged, LocalHead, LocalMatch, head_from, to_bytes
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.matches.record import Recording, unpack


def write_match(folder: Path, row: MatchRow, seats: Sequence[SeatRow], record: bytes) -> None:
    """Write a match, and have it on the disk. Raises Refused where another one has that place, Unavailable."""
    file = folder / f"{row.id}.match"
    try:
        if file.exists():
            is_same = False
            with file.open("rb") as former, suppress(Damaged):
                is_same = head_from(former.readline()).finished_at == row.finished_at
            if not is_same:
                raise Refused(f"{file} is there already and is not match {row.id} of this ladder: name another folder")
            return
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = folder / f"{DRAFT}{row.id}"
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as opened:  # noqa: PTH123
            opened.write(to_bytes(local_match_of(row, seats, unpack(record))))
            opened.flush()
            os.fsync(opened.fileno())
        draft.rename(file)
    except OSError as error:
        why = plain_words(error) + ("; free some space there" if error.errno in {errno.ENOSPC, errno.EDQUOT} else "")
        rest = "what is not there was not let go"
        raise Unavailable(f"the archive {folder} cannot be written: {why}; {rest}") from error


def result_of(game: Game, row: MatchRow, seats: Sequence[SeatRow], recording: Recording) -> MatchResult:
    """Raises ArenaError where a seat's row is missing, Refused for a match that was played elsewhere."""
    return local_match_of(row, seats, recording).result(game)


def local_match_of(row: MatchRow, seats: Sequence[SeatRow], recording: Recording) -> LocalMatch:
    """Raises as `result_of`."""
    row.require_record()
    if len(seats) != row.players:
        lost = f"of its {row.players} seats {len(seats)} are there"
        raise ArenaError(f"match {row.id} has lost rows in the database: {lost}")
    head = LocalHead(
        game=row.game,
        league=row.league,
        rules_level=row.rules_level,
        seed=row.known_seed,
        first_limit_ms=row.first_limit_ms or 0,
        turn_limit_ms=row.turn_limit_ms or 0,
        players=tuple(seat.name for seat in seats),
        own_seat=None,
        scores=tuple(seat.score or 0 for seat in seats),
        reason=row.reason,
        verdicts=tuple(SeatVerdict(Verdict(seat.verdict or Verdict.OK), seat.message) for seat in seats),
        early_lines=tuple(seat.early_lines for seat in seats),
        stderr_dropped_bytes=tuple(seat.stderr_dropped_bytes for seat in seats),
        turns=len(recording.turns),
        sandbox=row.sandbox,
        time_policy=row.time_policy or "",
        clock=row.clock or "",
        host_faults=row.host_faults,
        finished_at=row.finished_at or row.created_at,
        edition=row.edition or "",
        metrics=tuple(seat.metrics for seat in seats) if any(seat.metrics for seat in seats) else (),
    )
    return LocalMatch(head, tuple(seat.stderr for seat in seats), recording)
