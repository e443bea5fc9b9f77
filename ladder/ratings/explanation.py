"""How a bot did against each opponent, and why a version stands where it does.

How this works. The ledger holds both ratings before every match, so what was to be expected of each can be computed
again. What a version took from an opponent, less what was expected, says whether it does better or worse than its
rating; compared with how much luck scatters that, it says which of these are surprises and which are noise.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from math import sqrt
from operator import itemgetter
from typing import ClassVar, NamedTuple

from psycopg.rows import TupleRow
from psycopg.sql import SQL

from engine.conversation import Verdict
from engine.errors import Refused
from engine.immutable import immutable
from engine.text import listed
from ladder.bots import versions
from ladder.bots.versions import Version
from ladder.database.connection import Connection, Rows, first_value, one
from ladder.ids import LARGEST_ID, LeagueId, MatchId, VersionId
from ladder.leagues import leagues
from ladder.names import NamedVersion
from ladder.ratings import ledger, standings
from ladder.ratings.ledger import LINES_OF_VERSION, all_rating_settings, lines_of_version
from ladder.ratings.models import RatingModel, model_of
from ladder.ratings.standings import LeagueStay
from ladder.statistics.seats import BySeat, SeatRecord, every_seat


class Meeting(NamedTuple):
    """One rated match from a version's side, against one of its opponents, of which there may be several.

    `version`: whose match it is, "" where that is known; `opponent`: a version, or a bot with all of its versions.
    `pair_id`: of the matches on one seed. `result`, `verdict`, `place`: its own; `points`: what it took from this
    opponent, 1, 1/2 or 0; `change`: how far it moved mu. Ratings are those before the match.
    """

    sequence: int
    version: str
    opponent: str
    league_id: LeagueId
    match_id: MatchId
    pair_id: int
    seat: int
    result: str
    verdict: str
    place: int | None
    points: float
    change: float
    mu: float
    sigma: float
    opponent_mu: float
    opponent_sigma: float


@immutable
class VersusRecord:
    """All rated matches against one opponent. `expected`: points, by the ratings before each match.

    `by_seat`: as player 0, as player 1 and so on; `pairs`: on this many seeds; `version`: whose matches, "" for all of
    a bot.
    """

    SHOWN: ClassVar = ("matches", "points")

    version: str
    opponent: str
    by_seat: BySeat
    pairs: int
    expected: float
    latest_match: MatchId

    @property
    def matches(self) -> int:
        return sum(record.matches for record in self.by_seat)

    @property
    def points(self) -> float:
        return sum(record.points for record in self.by_seat)


MEETINGS = SQL("""
    SELECT own.sequence, {version}, {opponent}, own.league_id, own.match_id, pair_id, seat, result, verdict, place,
           coalesce((1 + sign(other_place - place)) / 2, CASE result WHEN 'win' THEN 1 WHEN 'draw' THEN 0.5 ELSE 0 END),
           own.mu_after - own.mu_before, own.mu_before, own.sigma_before, other.mu_before, other.sigma_before
    FROM {lines} AS own
    CROSS JOIN LATERAL (
        SELECT mine.seat, mine.result, mine.verdict, mine.place, theirs.version_id, theirs.seat AS other_seat,
               theirs.place AS other_place
        FROM seats AS mine
        JOIN seats AS theirs ON theirs.match_id = mine.match_id AND theirs.version_id <> mine.version_id
        WHERE mine.match_id = own.match_id AND mine.version_id = own.version_id {each}) AS met
    CROSS JOIN LATERAL (
        SELECT mu_before, sigma_before FROM ledger
        WHERE match_id = own.match_id AND version_id = met.version_id {each}) AS other
    CROSS JOIN LATERAL (SELECT pair_id FROM matches WHERE id = own.match_id {each}) AS matches
    JOIN versions AS theirs ON theirs.id = met.version_id JOIN bots ON bots.id = theirs.bot_id {which}
    ORDER BY own.sequence, other_seat""")
EACH = SQL("OFFSET 0")
"""The database is to look up each of some lines by itself."""
OPPONENT = SQL("bots.name || '@v' || theirs.number")
OF_ALL = MEETINGS.format(
    version=SQL("''"),
    opponent=SQL("bots.name"),
    lines=LINES_OF_VERSION.format(which=SQL("true")),
    each=EACH,
    which=SQL(""),
)
OF_THESE = MEETINGS.format(
    version=SQL("%(bot)s || '@v' || own_version.number"),
    opponent=OPPONENT,
    lines=SQL("ledger"),
    each=SQL(""),
    which=SQL("""
        JOIN versions AS own_version ON own_version.id = own.version_id
        WHERE own.version_id = ANY(%(own)s) AND met.version_id = ANY(%(others)s)"""),
)
IN_LEAGUE = MEETINGS.format(
    version=SQL("''"),
    opponent=OPPONENT,
    lines=LINES_OF_VERSION.format(which=SQL("league_id = %(league)s")),
    each=EACH,
    which=SQL(""),
)


def versus(
    connection: Connection, bot: str, own: Sequence[VersionId], others: Sequence[VersionId] | None = None
) -> list[VersusRecord]:
    """The one that was met most first. `others`: only against these, and by version of both sides."""
    models = {league_id: model_of(settings) for league_id, settings in all_rating_settings(connection).items()}
    tallies: defaultdict[tuple[str, str], VersusTally] = defaultdict(VersusTally)
    if others is None:
        rows: Iterable[TupleRow] = chain(*(lines_of_version(connection, OF_ALL, version_id) for version_id in own))
    else:
        values = {"bot": bot, "own": list(own), "others": list(others)}
        rows = connection.cursor(binary=True).execute(OF_THESE, values, prepare=False)
    for meeting in map(Meeting._make, rows):
        tallies[meeting.version, meeting.opponent].add(meeting, models[meeting.league_id])
    records = [tally.of(*names) for names, tally in tallies.items()]
    return sorted(records, key=lambda row: (-row.matches, row.opponent, row.version))


@dataclass(slots=True)
class VersusTally:
    """What is added up of the matches against one opponent. `taken`: how often which points were, in each seat."""

    taken: Counter[tuple[int, float]] = field(default_factory=Counter[tuple[int, float]])
    pair_ids: set[int] = field(default_factory=set[int])
    expected: float = 0
    latest_match: int = 0

    def add(self, meeting: Meeting, model: RatingModel) -> None:
        self.taken[meeting.seat, meeting.points] += 1
        self.pair_ids.add(meeting.pair_id)
        self.expected += model.expected_points(meeting.mu, meeting.sigma, meeting.opponent_mu, meeting.opponent_sigma)
        self.latest_match = max(self.latest_match, meeting.match_id)

    def of(self, version: str, opponent: str) -> VersusRecord:
        by_seat = every_seat(
            SeatRecord(seat, won=self.taken[seat, 1], drawn=self.taken[seat, 0.5], lost=self.taken[seat, 0])
            for seat in {seat for seat, _ in self.taken}
        )
        return VersusRecord(
            version,
            opponent,
            by_seat,
            pairs=len(self.pair_ids),
            expected=self.expected,
            latest_match=MatchId(self.latest_match),
        )


def seats_of(connection: Connection, version_id: VersionId) -> BySeat:
    """Return how a version did in each seat, in all its rated matches, against each of its opponents."""
    query = """
        SELECT seat, count(*) FILTER (WHERE came > 0) AS won, count(*) FILTER (WHERE came = 0) AS drawn,
               count(*) FILTER (WHERE came < 0) AS lost
        FROM (
            SELECT mine.seat, coalesce(theirs.place - mine.place, CASE mine.result WHEN 'win' THEN 1
                                       WHEN 'draw' THEN 0 ELSE -1 END) AS came
            FROM ledger AS own
            JOIN seats AS mine ON mine.match_id = own.match_id AND mine.version_id = own.version_id
            JOIN seats AS theirs ON theirs.match_id = own.match_id AND theirs.version_id <> own.version_id
            WHERE own.version_id = %s) AS met
        GROUP BY seat"""
    return every_seat(Rows(connection, SeatRecord).all(query, [version_id]))


def places_of(connection: Connection, version_id: VersionId) -> tuple[int, ...]:
    """Of rated matches of more than two, as many numbers as the largest of these had players."""
    query = """
        SELECT place, count(*), max(players)
        FROM ledger AS own JOIN matches ON matches.id = own.match_id
        JOIN seats ON seats.match_id = own.match_id AND seats.version_id = own.version_id
        WHERE own.version_id = %s AND players > 2 AND place IS NOT NULL GROUP BY place"""
    rows = connection.execute(query, [version_id]).fetchall()
    times = {place: count for place, count, _ in rows}
    return tuple(times.get(place, 0) for place in range(1, max((most for *_, most in rows), default=0) + 1))


UNCERTAIN = 1.5
"""While a version's sigma is larger than its last one by this factor, matches move it whatever comes of them."""
MOST_MOVING = 3
MOST_OPPONENTS = 3
LEAST_SURPRISE = 2.0
"""An opponent is named from this many standard deviations of luck on: about one in twenty by chance alone."""
POINTS = {"win": 1.0, "draw": 0.5, "loss": 0.0}


@immutable
class PointsAgainst:
    """Somebody met in a match: the points that were taken from it, 0 to 1, and those that were to be expected."""

    name: str
    points: float
    expected: float


@immutable
class ExplainedMatch:
    """One match from a version's side. `change`: how far it moved mu. `expected`: points, from 0 to 1; `sigma`: before.

    `opponent`: of several their names. In such a match: `place`, its own, and `several`, each opponent by itself.
    """

    HIDDEN: ClassVar = ("place", "several", "sigma")

    match_id: MatchId
    opponent: str
    result: str
    verdict: str
    change: float
    expected: float
    place: int | None = None
    several: tuple[PointsAgainst, ...] = ()
    sigma: float = 0

    @property
    def met(self) -> tuple[PointsAgainst, ...]:
        return self.several or (PointsAgainst(self.opponent, POINTS[self.result], self.expected),)


@dataclass(slots=True)
class ExplainedOpponent:
    """All matches against one version. `surprise`: points above the expected, in standard deviations of luck."""

    name: str
    matches: int
    points: float
    expected: float

    def add(self, against: PointsAgainst) -> None:
        self.matches += 1
        self.points += against.points
        self.expected += against.expected

    @property
    def surprise(self) -> float:
        """Return how far beyond luck the points lie; a win or loss by a coin's toss deviates by half a point."""
        return (self.points - self.expected) / (0.5 * sqrt(self.matches))


@immutable
class Explanation:
    """Why a version stands where it does. `raised`, `lowered`: by what most since it was fairly certain."""

    raised: list[ExplainedMatch]
    lowered: list[ExplainedMatch]
    better: list[ExplainedOpponent]
    worse: list[ExplainedOpponent]
    timeouts: list[ExplainedMatch]
    faults: list[ExplainedMatch]


def explanation_of(
    connection: Connection, version_id: VersionId, league_id: LeagueId, latest: int | None = None
) -> Explanation:
    query = "SELECT sigma FROM standings WHERE version_id = %(version)s AND league_id = %(league)s"
    sigma = float(one(connection, query, {"version": version_id, "league": league_id})[0])
    return explain(meetings_of(connection, version_id, league_id, latest), sigma)


def explain(meetings: Iterable[ExplainedMatch], sigma: float) -> Explanation:
    """`meetings`: in order, perhaps 100,000, of which only the picked are kept; `sigma`: of the version now."""
    raised: list[ExplainedMatch] = []
    lowered: list[ExplainedMatch] = []
    failed: list[ExplainedMatch] = []
    opponents: dict[str, ExplainedOpponent] = {}
    for meeting in meetings:
        if meeting.sigma <= UNCERTAIN * sigma:  # of equal ones the later raised it, and the earlier lowered it
            if meeting.change > 0:
                raised = sorted([meeting, *raised], key=lambda match: -match.change)[:MOST_MOVING]
            elif meeting.change < 0:
                lowered = sorted([*lowered, meeting], key=lambda match: match.change)[:MOST_MOVING]
        for against in meeting.met:
            if against.name not in opponents:
                opponents[against.name] = ExplainedOpponent(against.name, 0, 0.0, 0.0)
            opponents[against.name].add(against)
        if meeting.verdict != Verdict.OK:
            failed.append(meeting)
    met = sorted(opponents.values(), key=lambda opponent: opponent.surprise)
    return Explanation(
        raised=raised,
        lowered=lowered,
        better=[opponent for opponent in met[::-1] if opponent.surprise >= LEAST_SURPRISE][:MOST_OPPONENTS],
        worse=[opponent for opponent in met if opponent.surprise <= -LEAST_SURPRISE][:MOST_OPPONENTS],
        timeouts=[meeting for meeting in failed if meeting.verdict == Verdict.TIMEOUT],
        faults=[meeting for meeting in failed if meeting.verdict != Verdict.TIMEOUT],
    )


def meetings_of(
    connection: Connection, version_id: VersionId, league_id: LeagueId, latest: int | None = None
) -> Iterator[ExplainedMatch]:
    """Give a version's rated matches in a league, in order: all of them, or the latest that many."""
    model = model_of(ledger.rating_settings(connection, league_id))
    after = 0 if latest is None else place_before_latest(connection, version_id, league_id, latest)
    most = LARGEST_ID if latest is None else latest
    rows = lines_of_version(connection, IN_LEAGUE, version_id, after, most, league=league_id)
    for _, of_match in groupby(map(Meeting._make, rows), itemgetter(0)):
        yield meeting_of([*of_match], model)


def meeting_of(rows: Sequence[Meeting], model: RatingModel) -> ExplainedMatch:
    row = rows[0]
    met = tuple(
        PointsAgainst(
            row.opponent, row.points, model.expected_points(row.mu, row.sigma, row.opponent_mu, row.opponent_sigma)
        )
        for row in rows
    )
    is_of_two = len(met) == 1
    return ExplainedMatch(
        row.match_id,
        opponent=listed([against.name for against in met]),
        result=row.result,
        verdict=row.verdict,
        change=row.change,
        expected=sum(against.expected for against in met) / len(met),
        place=None if is_of_two else row.place,
        several=() if is_of_two else met,
        sigma=row.sigma,
    )


def place_before_latest(connection: Connection, version_id: VersionId, league_id: LeagueId, latest: int) -> int:
    """Return the place in the ledger after which a version has that many lines in a league; 0 where it has fewer."""
    query = """
        SELECT sequence FROM ledger
        WHERE version_id = %(version)s AND league_id = %(league)s ORDER BY version_id DESC, sequence DESC
        OFFSET %(latest)s LIMIT 1"""
    return first_value(connection, query, {"version": version_id, "league": league_id, "latest": latest}) or 0


def stay_to_explain(
    connection: Connection, named: NamedVersion, game: str | None, league: str | None
) -> tuple[Version, LeagueStay]:
    """Of a bot that is named alone the version that plays for it. Raises Refused, UnknownName, UsageFault."""
    bot, version = versions.find_named(connection, named, game)
    if version is None:
        present = standings.present_version(connection, bot.id)
        if present is None:
            raise Refused(f"{bot.name} has no version on a board yet; `ladder bot show {bot.name}` says more")
        version = versions.find_version(connection, present[0])
    stays = [stay for stay in standings.stays_of(connection, bot.id) if stay.version_id == version.id]
    if league is not None:
        league_id = leagues.find_league(connection, bot.game, league).id
        stays = [stay for stay in stays if stay.league_id == league_id]
    if not stays:
        raise Refused(f"{version.name} was never in {league or 'any league'}")
    return version, next((stay for stay in stays if stay.on_board), stays[0])
