"""What is kept of the matches that are played here: a file of each in LADDER_HOME, and a log where one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from engine.errors import ArenaError, plain_words
from engine.series import Unplayed
from ladder.matches.local_matches import Circumstances, LocalMatch, LocalMatches, lasting_name, local_match

if TYPE_CHECKING:
    from cli.context import Context
    from cli.play.log import MatchLog
    from cli.play.series import Sides
    from engine.bot.clock import TimeRule
    from engine.match import MatchResult
    from engine.series import Played


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
        """Raise ArenaError where the log lacks matches."""
        if self._log is not None:
            self._log.check()

    def _kept(self, match: LocalMatch) -> str:
        """Write a match down and return its lasting name; "" where that cannot be, which is said once."""
        if not self._can_keep:
            return ""
        try:
            if not self.matches:
                self._context.home.make_played()
            return lasting_name(LocalMatches(self._context.home.played).keep(match))
        except (ArenaError, OSError) as error:
            self._can_keep = False
            self._context.say(f"what is played is not kept for a later look: {plain_words(error)}")
            return ""
