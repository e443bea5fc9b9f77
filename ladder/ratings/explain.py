"""Why a version stands where it does: the matches that moved it most, and the opponents against whom it surprises.

How this works. The ledger holds both ratings before every match, so what was to be expected of each can be computed
again. What a version took from an opponent, less what was expected, says whether it does better or worse than its
rating; compared with how much luck scatters that, it says which of these are surprises and which are noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


def explain(meetings: Sequence[Meeting]) -> Explanation:
    """Pick the matches and opponents that explain a standing; of a version with few matches, from all of them."""
    by_change = sorted(meetings[FIRST_MATCHES:] or meetings, key=lambda meeting: meeting.change)
    met = sorted(opponents(meetings), key=lambda opponent: opponent.surprise)
    return Explanation(
        raised=[meeting for meeting in by_change[::-1] if meeting.change > 0][:MOST_MOVING],
        lowered=[meeting for meeting in by_change if meeting.change < 0][:MOST_MOVING],
        better=[opponent for opponent in met[::-1] if opponent.surprise >= LEAST_SURPRISE][:MOST_OPPONENTS],
        worse=[opponent for opponent in met if opponent.surprise <= -LEAST_SURPRISE][:MOST_OPPONENTS],
        timeouts=[meeting for meeting in meetings if meeting.verdict == Verdict.TIMEOUT],
        faults=[meeting for meeting in meetings if meeting.verdict not in {Verdict.OK, Verdict.TIMEOUT}],
    )


def opponents(meetings: Sequence[Meeting]) -> list[Opponent]:
    """Sum meetings up by opponent."""
    by_name: dict[str, list[Meeting]] = {}
    for meeting in meetings:
        by_name.setdefault(meeting.opponent, []).append(meeting)
    return [
        Opponent(
            name,
            len(own),
            sum(POINTS[meeting.result] for meeting in own),
            sum(meeting.expected for meeting in own),
        )
        for name, own in by_name.items()
    ]


def meetings_of(
    connection: Connection, version_id: VersionId, league_id: LeagueId, latest: int | None = None
) -> list[Meeting]:
    """Return a version's rated matches in a league, in order: all of them, or the latest that many."""
    settings = ledger.rating_settings(connection, league_id)
    model = model_of(settings)
    return [
        Meeting(
            row.match_id,
            row.opponent,
            row.result,
            row.verdict,
            row.after.mu - row.before.mu,
            model.expected_points(row.before, row.opponent_before),
        )
        for row in ledger.meetings(connection, version_id, league_id, latest)
    ]


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
