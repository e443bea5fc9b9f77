"""Why a version stands where it does: the matches that moved it most, and the opponents against whom it surprises.

How this works. The ledger holds both ratings before every match, so what was to be expected of each can be computed
again. What a version took from an opponent, less what was expected, says whether it does better or worse than its
rating; compared with how much luck scatters that, it says which of these are surprises and which are noise.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import sqrt

from engine.conversation import Verdict
from engine.errors import Refused
from ladder.bots import bots, versions
from ladder.bots.versions import Version
from ladder.database.connection import Connection
from ladder.ids import LeagueId, MatchId, VersionId
from ladder.leagues import leagues
from ladder.names import Named
from ladder.ratings import ledger, standings
from ladder.ratings.models import model_of
from ladder.ratings.standings import LeagueStay

FIRST_MATCHES = 10
"""The first matches of a version move it most, whatever comes of them: they are not among those that moved it most."""
MOST_MOVING = 3
MOST_OPPONENTS = 3
LEAST_SURPRISE = 1.0
"""An opponent is named from this many standard deviations of luck on."""
POINTS = {"win": 1.0, "draw": 0.5, "loss": 0.0}


@dataclass(frozen=True, slots=True)
class Meeting:
    """One match from a version's side. `change`: how far it moved mu. `expected`: points, from 0 to 1."""

    match_id: MatchId
    opponent: str
    result: str
    verdict: str
    change: float
    expected: float


@dataclass(frozen=True, slots=True)
class Opponent:
    """All matches against one version. `surprise`: points above the expected, in standard deviations of luck."""

    name: str
    matches: int
    points: float
    expected: float

    @property
    def surprise(self) -> float:
        """Return how far beyond luck the points lie; a win or loss by a coin's toss deviates by half a point."""
        return (self.points - self.expected) / (0.5 * sqrt(self.matches))


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a version stands where it does. `raised`, `lowered`: by what most, among all but its first matches."""

    raised: list[Meeting]
    lowered: list[Meeting]
    better: list[Opponent]
    worse: list[Opponent]
    timeouts: list[Meeting]
    faults: list[Meeting]


def explanation_of(
    connection: Connection, version_id: VersionId, league_id: LeagueId, latest: int | None = None
) -> Explanation:
    """Explain a version's standing by its matches in a league: by all of them, or by the latest that many."""
    return explain(meetings_of(connection, version_id, league_id, latest))


def explain(meetings: Iterable[Meeting]) -> Explanation:
    """Pick the matches and opponents that explain a standing; of a version with few matches, from all of them.

    `meetings`: in their order. There may be a hundred thousand, and none is kept but those that are picked.
    """
    moved, failed = Moved(), list[Meeting]()
    tallies: defaultdict[str, Tally] = defaultdict(Tally)
    for number, meeting in enumerate(meetings):
        if number == FIRST_MATCHES:
            moved = Moved()
        moved.add(meeting)
        tallies[meeting.opponent].add(meeting)
        if meeting.verdict != Verdict.OK:
            failed.append(meeting)
    met = sorted((tally.of(name) for name, tally in tallies.items()), key=lambda opponent: opponent.surprise)
    return Explanation(
        raised=moved.raised,
        lowered=moved.lowered,
        better=[opponent for opponent in met[::-1] if opponent.surprise >= LEAST_SURPRISE][:MOST_OPPONENTS],
        worse=[opponent for opponent in met if opponent.surprise <= -LEAST_SURPRISE][:MOST_OPPONENTS],
        timeouts=[meeting for meeting in failed if meeting.verdict == Verdict.TIMEOUT],
        faults=[meeting for meeting in failed if meeting.verdict != Verdict.TIMEOUT],
    )


@dataclass(slots=True)
class Moved:
    """The MOST_MOVING matches that moved a rating most, up and down, of those that were added so far."""

    raised: list[Meeting] = field(default_factory=list[Meeting])
    lowered: list[Meeting] = field(default_factory=list[Meeting])

    def add(self, meeting: Meeting) -> None:
        """Look at one more match. Of equal ones the later counts that raised it, and the earlier that lowered it."""
        if meeting.change > 0 and (len(self.raised) < MOST_MOVING or meeting.change >= self.raised[-1].change):
            self.raised = sorted([meeting, *self.raised], key=lambda one: -one.change)[:MOST_MOVING]
        elif meeting.change < 0 and (len(self.lowered) < MOST_MOVING or meeting.change < self.lowered[-1].change):
            self.lowered = sorted([*self.lowered, meeting], key=lambda one: one.change)[:MOST_MOVING]


@dataclass(slots=True)
class Tally:
    """What is added up of the matches against one opponent."""

    matches: int = 0
    points: float = 0
    expected: float = 0

    def add(self, meeting: Meeting) -> None:
        """Add a match."""
        self.matches += 1
        self.points += POINTS[meeting.result]
        self.expected += meeting.expected

    def of(self, name: str) -> Opponent:
        """Return the sum as that of an opponent."""
        return Opponent(name, self.matches, self.points, self.expected)


def meetings_of(
    connection: Connection, version_id: VersionId, league_id: LeagueId, latest: int | None = None
) -> Iterator[Meeting]:
    """Give a version's rated matches in a league, in order: all of them, or the latest that many."""
    expected_points = model_of(ledger.rating_settings(connection, league_id)).expected_points
    for _, match_id, opponent, result, verdict, change, *ratings in ledger.meetings(
        connection, version_id, league_id, latest
    ):
        yield Meeting(match_id, opponent, result, verdict, change, expected_points(*ratings))


def stay_to_explain(
    connection: Connection, named: Named, game: str | None, league: str | None
) -> tuple[Version, LeagueStay]:
    """Return the version of a bot that is asked for, or that plays for it, with its stay in a league.

    Raises Refused where there is no such stay, UnknownName, UsageFault.
    """
    bot = bots.find_bot(connection, named.bot, game)
    present = standings.present_version(connection, bot.id)
    if named.number is not None:
        version = versions.numbered(connection, bot, named.number)
    elif present is not None:
        version = versions.find_version(connection, present[0])
    else:
        raise Refused(f"{bot.name} has no version on a board yet; `ladder bot show {bot.name}` says more")
    own = [stay for stay in standings.stays_of(connection, bot.id) if stay.version_id == version.id]
    if league is not None:
        wanted = leagues.find_league(connection, bot.game, league)
        own = [stay for stay in own if stay.league_id == wanted.id]
    if not own:
        raise Refused(f"{version.name} was never in {league or 'any league'}")
    return version, next((stay for stay in own if stay.on_board), own[0])
