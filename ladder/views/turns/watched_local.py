"""A match that was played on this machine without a ladder, turn by turn. It needs no database, and loads none."""

from __future__ import annotations

from engine.endings import reason_word
from engine.game import Games
from engine.referees.edition import game_played
from engine.replay import replay_of
from ladder.choices import MatchState
from ladder.matches.local_matches import LocalMatch, LocalMatches, LocalName
from ladder.matches.results import result_word
from ladder.views.turns.watched import WatchedMatch, WatchedSeat


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
