"""A match as it can be looked at, turn by turn, and one that was played here without a ladder; `match` reads others.

It needs no database, and loads none.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.conversation import result_word
from engine.endings import ending_words, reason_word
from engine.errors import Refused, UsageFault
from engine.game import Games
from engine.referees.edition import game_played
from engine.replay import Replay, ReplayTurn, replay_of
from ladder.choices import MatchState
from ladder.ids import MatchId
from ladder.matches.local_matches import LocalMatch, LocalMatches, LocalName


@dataclass(frozen=True, slots=True)
class WatchedSeat:
    """One seat. `version`: its bot's name, or its file's. What is not known of a match is None."""

    seat: int
    version: str
    score: int | None
    result: str | None
    verdict: str | None
    message: str


@dataclass(frozen=True, slots=True)
class WatchedMatch:
    """A match, turn by turn. `id`: a lasting name where there is no ladder; `edition`: of a referee program."""

    id: MatchId | str
    game: str
    league: str
    rules_level: int
    seed: int
    reason: str
    state: str
    seats: tuple[WatchedSeat, ...]
    replay: Replay
    edition: str | None = None

    @property
    def name(self) -> str:
        """Return what people call it: `match 17`, and `local:12` where it was played without the ladder."""
        return f"match {self.id}" if isinstance(self.id, int) else self.id

    @property
    def ending(self) -> str:
        if self.state == MatchState.FINISHED:
            return ending_words(self.reason, [seat.verdict for seat in self.seats])
        return f"{self.state}: {self.reason}" if self.reason else self.state

    def turn(self, number: int) -> ReplayTurn:
        """Return a turn of the match, counted from 1. Raises UsageFault where it has no such turn."""
        turns = self.replay.turns
        if not turns:
            raise UsageFault(f"{self.name} has no turn {number}: {self.replay.fault}")
        if not 1 <= number <= len(turns):
            raise UsageFault(f"{self.name} has turns 1 to {len(turns)}, and no turn {number}")
        return turns[number - 1]

    def input_of(self, seat: int, last_turn: int | None = None) -> str:
        """Return what a seat was sent up to a turn, also for that one if it is its own. Raises UsageFault, Refused."""
        require_seat(seat, len(self.seats))
        if self.replay.fault:
            raise Refused(f"what {self.name} sent is not known: {self.replay.fault}")
        if last_turn is not None:
            self.turn(last_turn)
        sent = [turn.input or () for turn in self.replay.turns[:last_turn] if turn.seat == seat]
        return "".join(f"{line}\n" for lines in sent for line in lines)


def require_seat(seat: int, players: int) -> None:
    if not 0 <= seat < players:
        raise UsageFault(f"the match has the seats 0 to {players - 1}, and no seat {seat}")


def watch_local(store: LocalMatches, games: Games, name: LocalName, *, has_views: bool = True) -> WatchedMatch:
    """Read a match, turn by turn. `has_views`: see `watch_match`. Raises UnknownName, Refused for a damaged file."""
    number, match = store.read(name)
    return watched(match, store.name_of(number), games, has_views=has_views)


def watched(match: LocalMatch, name: str, games: Games, *, has_views: bool = True) -> WatchedMatch:
    """Return a match that was played here, by that name; `has_views`: see `watch_match`. Raises UnknownName."""
    head, places = match.head, match.head.outcome.places
    return WatchedMatch(
        name,
        head.game,
        head.league,
        head.rules_level,
        head.seed,
        reason_word(head.reason, [verdict.verdict for verdict in head.verdicts]),
        MatchState.FINISHED,
        tuple(
            WatchedSeat(
                seat,
                head.players[seat],
                head.scores[seat],
                result_word(places, seat),
                verdict.verdict.value,
                verdict.message,
            )
            for seat, verdict in enumerate(head.verdicts)
        ),
        replay_of(match.result(game_played(games, head.game, head.edition)), head.rule, views=has_views),
        head.edition or None,
    )
