"""`ladder play --log FOLDER`: what every bot was sent, said and wrote to stderr in every match."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import ArenaError, Refused, UsageFault, plain_words
from ladder.views.turns.rows import seat_logs

if TYPE_CHECKING:
    from engine.match import MatchResult

MOST_NAME_CHARS = 40


class MatchLog:
    """A folder with one folder for each match, as in `07-seed-42`, and in that one for each seat, `seat-0-nemo.py`.

    In it are `in.txt`, `out.txt` and `err.txt`.
    """

    def __init__(self, folder: Path, matches: int, *, force: bool) -> None:
        """Make the folder. `matches`: how many there will be. `force`: it may have files already.

        Raises UsageFault where it cannot be made, Refused where it has files and may not.
        """
        self.folder = folder
        self._digits = len(str(matches))
        self._fault: OSError | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            has_files = any(folder.iterdir())
        except OSError as error:
            raise UsageFault(f"cannot write a log into {folder}: {plain_words(error)}") from error
        if has_files and not force:
            raise Refused(f"{folder} has files already: name a new folder, or add --force")

    def write(self, number: int, result: MatchResult, players: Sequence[str]) -> None:
        """Write down one match. Where that fails none is written from then on, and `check` says so."""
        if self._fault is not None:
            return
        folder = self.folder / f"{number:0{self._digits}}-seed-{result.spec.seed}"
        try:
            for seat, (player, log) in enumerate(zip(players, seat_logs(result), strict=True)):
                of_seat = folder / f"seat-{seat}-{file_word(player)}"
                of_seat.mkdir(parents=True, exist_ok=True)
                (of_seat / "in.txt").write_bytes(log.sent.encode())
                (of_seat / "out.txt").write_bytes(log.said.encode())
                (of_seat / "err.txt").write_bytes(log.stderr.encode())
        except OSError as error:
            self._fault = error
            shutil.rmtree(folder, ignore_errors=True)

    def check(self) -> None:
        """Raise ArenaError where not all matches could be written down."""
        if self._fault is not None:
            raise ArenaError(f"the log in {self.folder} lacks matches: {plain_words(self._fault)}")


def file_word(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._@=+-]+", "-", name).strip("-.")[:MOST_NAME_CHARS] or "bot"
