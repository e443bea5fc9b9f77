"""What is kept of the matches that are played here: a file of each in LADDER_HOME, and a log where one is asked for."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from cli.context import Context
from engine.bot.clock import TimeRule
from engine.errors import ArenaError, Refused, UsageFault, plain_words
from engine.match import MatchResult
from engine.series import Played, Unplayed
from ladder.matches.local_matches import Circumstances, LocalMatch, LocalMatches, local_match
from ladder.views.turns.rows import seat_logs

if TYPE_CHECKING:
    from cli.play.series import Sides


MOST_NAME_CHARS = 40


class MatchLog:
    """A folder for each match, `07-seed-42`, with one for each seat, `seat-0-nemo.py`: in.txt, out.txt, err.txt."""

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
        if self._fault is not None:
            raise ArenaError(f"the log in {self.folder} lacks matches: {plain_words(self._fault)}")


def file_word(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._@=+-]+", "-", name).strip("-.")[:MOST_NAME_CHARS] or "bot"


@dataclass(frozen=True, slots=True)
class KeptMatch:
    """A match that was played. `name`: its lasting one, "" where it could not be kept."""

    result: MatchResult
    match: LocalMatch
    name: str


class Keeper:
    """Takes matches as they are played, in their order."""

    def __init__(
        self, context: Context, sides: Sequence[Sides], league: str, rule: TimeRule, log: MatchLog | None = None
    ) -> None:
        """Begin. `sides`: of all matches; `league`: by whose rules, its title; `rule`: for time; `log`: or None."""
        self.matches: list[KeptMatch | None] = []
        """What became of each match so far; None for a void one."""
        self._context, self._sides, self._league, self._rule, self._log = context, sides, league, rule, log
        self._can_keep = True

    def take(self, played: Played) -> None:
        sides = self._sides[len(self.matches)]
        if isinstance(played.result, Unplayed):
            self.matches.append(None)
            return
        around = Circumstances(
            self._league, sides.players, sides.own_seat, self._rule, played.starved, datetime.now(UTC)
        )
        match = local_match(played.result, around)
        self.matches.append(KeptMatch(played.result, match, self._kept(match)))
        if self._log is not None:
            self._log.write(len(self.matches), played.result, sides.players)

    def check(self) -> None:
        if self._log is not None:
            self._log.check()

    def _kept(self, match: LocalMatch) -> str:
        """Write a match down and return its lasting name; "" where that cannot be, which is said once."""
        if not self._can_keep:
            return ""
        try:
            if not self.matches:
                self._context.home.make(self._context.home.played)
            store = LocalMatches(self._context.home.played)
            return store.name_of(store.keep(match))
        except (ArenaError, OSError) as error:
            self._can_keep = False
            self._context.say(f"what is played is not kept for a later look: {plain_words(error)}")
            return ""
