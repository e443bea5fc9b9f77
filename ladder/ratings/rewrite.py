"""Rating a league again: after a match is taken back, after its rating settings changed, or to mend a broken ledger.

How this works. Rating again first locks the standings (see `standings.hold`): it waits for what is being recorded, and
later recordings wait for it, so nothing comes between. Then the finished matches are replayed in the ledger's order. A
line keeps its place and only gets other numbers if it has them wrong; so the ledger stays in its order, and little is
written where little has changed. All of it is the caller's one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable
from dataclasses import dataclass, replace
from itertools import islice

from engine.errors import ArenaError, Refused, UnknownName
from ladder.bots import versions
from ladder.choices import MatchState
from ladder.database.connection import Connection
from ladder.ids import BotId, LeagueId, MatchId, VersionId
from ladder.leagues import leagues
from ladder.leagues.file import Change
from ladder.leagues.settings import RANKED_BY
from ladder.matches import match_rows, matches
from ladder.ratings import ledger, standings
from ladder.ratings.counts import Record
from ladder.ratings.ledger import MATCHES_AT_ONCE, Line, PlayedMatch
from ladder.ratings.models import Rating, score
from ladder.ratings.rerate import Replay
from ladder.ratings.standings import Tally, begin_afresh, correct, marked, tallies
from ladder.ratings.verify import seats_left, what_seats_say

RATING_SETTINGS = frozenset({"rating_system", "mu", "sigma", "beta", "tau", "draw_probability"})
SCORE_SETTINGS = frozenset({"score_formula"})
"""The settings that only its board's order depends on."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What rating a league again came to. `changed_lines`: removed, added, or with other numbers."""

    league_id: LeagueId
    matches: int
    changed_lines: int
    changed_standings: int


@dataclass(frozen=True, slots=True)
class Voided:
    """A match that was taken back, and what that changed in its league; None where it was unrated."""

    match_id: MatchId
    league: str
    rewritten: Rewritten | None


def void_match(connection: Connection, match_id: MatchId, by: str, why: str) -> Voided:
    """Take a finished match back, its record kept, and rate its league again. Raises UnknownName, Refused."""
    standings.hold(connection)
    found = match_rows.find_match(connection, match_id)
    if found is None:
        raise UnknownName(f"there is no match {match_id}; `ladder match list` shows the latest")
    if found.state == MatchState.VOID:
        raise Refused(f"match {match_id} is void already: {found.reason}")
    league_id = matches.take_back(connection, match_id, by, why)
    if league_id is None:
        raise Refused(f"match {match_id} is {found.state}; only a finished match can be taken back")
    removed = connection.execute("DELETE FROM ledger WHERE match_id = %s", [match_id]).rowcount
    if not (found.rates or removed):
        return Voided(match_id, found.league, None)
    rewritten = rate_again(connection, league_id)
    return Voided(match_id, found.league, replace(rewritten, changed_lines=rewritten.changed_lines + removed))


def settings_changed(connection: Connection, league_id: LeagueId, changed: Collection[str]) -> None:
    """Rate a league again, as from its start, if what changed bears on ratings or scores. Standings are held."""
    if not (RATING_SETTINGS | SCORE_SETTINGS).isdisjoint(changed):
        rate_again(connection, league_id)
    if RANKED_BY in changed:
        standings.forget_fit(connection, league_id)


@dataclass(frozen=True, slots=True)
class RatedAgain:
    """What changed settings mean for a league's ratings. `matches`: those that are rated again with them.

    None: no rating changes, and only the board has another order.
    """

    league: str
    matches: int | None


def rated_again(connection: Connection, game: str, changes: Iterable[Change]) -> list[RatedAgain]:
    """Return what changes mean for the ratings of a game's leagues, of those that they concern."""
    changed: dict[str, set[str]] = {}
    for change in changes:
        changed.setdefault(change.league, set()).add(change.setting)
    found: list[RatedAgain] = []
    for league, settings in changed.items():
        if not RATING_SETTINGS.isdisjoint(settings):
            league_id = leagues.find_league(connection, game, league).id
            found.append(RatedAgain(league, ledger.count_finished(connection, [league_id])))
        elif not SCORE_SETTINGS.isdisjoint(settings):
            found.append(RatedAgain(league, None))
    return found


def recompute(
    connection: Connection, league_ids: Iterable[LeagueId], on_match: Callable[[], None] = lambda: None
) -> list[Rewritten]:
    """Rebuild ledger and standings of leagues from their finished matches; return what that changed in each."""
    standings.hold(connection)
    return [rate_again(connection, league_id, on_match) for league_id in league_ids]


def withdraw(connection: Connection, bot_id: BotId, on_match: Callable[[], None] = lambda: None) -> list[Rewritten]:
    """Let a bot's matches count no more, and rate its leagues again without them. The caller holds the standings."""
    return [rate_again(connection, league_id, on_match) for league_id in ledger.withdraw(connection, bot_id)]


def restore(connection: Connection, bot_id: BotId, on_match: Callable[[], None] = lambda: None) -> list[Rewritten]:
    """Let a bot's matches count again, each in its place. The caller holds the standings."""
    return [rate_again(connection, league_id, on_match) for league_id in ledger.restore(connection, bot_id)]


def rate_again(connection: Connection, league_id: LeagueId, on_match: Callable[[], None] = lambda: None) -> Rewritten:
    """Bring a league's ledger and standings to what its finished matches give. The caller holds the standings.

    Everybody begins with the league's fresh rating. A match keeps its place in the ledger as long as its lines are
    sound; what was not rated is rated last. Raises ArenaError for a match that cannot be rated.
    """
    check_seats(connection, league_id)
    changed = ledger.remove_unsound(connection, league_id)
    begin_afresh(connection, league_id)
    found = tallies(connection, league_id)
    settings = ledger.rating_settings(connection, league_id)
    replay = Replay(settings, {version_id: tally.first for version_id, tally in found.items()})
    rated = 0
    played = ledger.played_in_order(connection, league_id)
    while batch := list(islice(played, MATCHES_AT_ONCE)):
        rated += len(batch)
        changed += rate_batch(connection, league_id, replay, batch, found)
        for _ in batch:
            on_match()
    marks = marked(connection, league_id)
    records = replay.records()
    wanted = [
        wanted_tally(replay, tally, records.get(id_, Record()), marks.get(id_, (0, 0))) for id_, tally in found.items()
    ]
    other = [tally for tally in wanted if tally != found[tally.version_id]]
    for tally in other:
        correct(connection, league_id, tally)
    return Rewritten(league_id, rated, changed, len(other))


def rate_batch(
    connection: Connection,
    league_id: LeagueId,
    replay: Replay,
    batch: Iterable[PlayedMatch],
    tallies: Container[VersionId],
) -> int:
    wrong: list[Line] = []
    missing: list[tuple[MatchId, VersionId, Rating, Rating]] = []
    for match in batch:
        check_can_be_rated(connection, match, tallies)
        replay.count(match)
        for seat, (before, after) in zip(match.seats, replay.rate(match), strict=True):
            if seat.line is None:
                missing.append((match.id, seat.version_id, before, after))
            elif (seat.line.before, seat.line.after) != (before, after):
                wrong.append(Line(seat.line.sequence, before, after))
    ledger.correct(connection, wrong)
    ledger.append_all(connection, league_id, missing)
    return len(wrong) + len(missing)


def check_seats(connection: Connection, league_id: LeagueId) -> None:
    for match_id, left, players in ledger.lacking_seats(connection, league_id):
        raise ArenaError(f"match {match_id} has {seats_left(left, players)}: {take_back(match_id)}")


def check_can_be_rated(connection: Connection, match: PlayedMatch, tallies: Container[VersionId]) -> None:
    if not match.is_sound:
        raise ArenaError(f"match {match.id} cannot be rated, since {what_seats_say(match)}: {take_back(match.id)}")
    for seat in match.seats:
        if seat.version_id not in tallies:
            name = versions.find_version(connection, seat.version_id).name
            raise ArenaError(
                f"match {match.id} was played by {name}, which has no standing in the league: give it one with "
                f"`ladder bot activate {name}` if its bot plays there, or {take_back(match.id)}"
            )


def take_back(match_id: MatchId) -> str:
    return f"take it back with `ladder match void {match_id}`"


def wanted_tally(replay: Replay, tally: Tally, record: Record, marked: tuple[int, int]) -> Tally:
    rating = replay.rating_of(tally.version_id)
    return replace(tally, rating=rating, score=score(replay.settings, rating), record=record, marked=marked)
