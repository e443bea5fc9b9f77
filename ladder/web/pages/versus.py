"""Two bots, or two versions, against each other.

How this works. Either side may have played a hundred thousand matches. So only the latest of one side are looked at, of
the one that has played less; each is one look for its other seat. Matches of gauntlets count too: two versions of one
bot meet in nothing else.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fastapi import APIRouter
from psycopg.sql import SQL
from starlette.responses import Response

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.bots import bots, versions
from ladder.database.connection import Connection, Rows, without_nul
from ladder.database.connection import one as row
from ladder.ids import GauntletId, MatchId, VersionId
from ladder.leagues.leagues import check_game
from ladder.matches.match_rows import find_matches
from ladder.names import NamedVersion, read_name
from ladder.plots.gauges import outcomes
from ladder.ratings import standings
from ladder.statistics.seats import BySeat, SeatRecord, sentence
from ladder.views.bots import added
from ladder.views.matches import ListedMatch, with_seats
from ladder.web.rendering import page
from ladder.web.site import SiteHere

MOST_LOOKED_AT = 5_000
MOST_MATCHES = 25
MOST_PAIRS = 50
HALF_POINTS = {"win": 2, "draw": 1, "loss": 0}
OTHER_RESULT = {"win": "loss", "draw": "draw", "loss": "win"}
router = APIRouter()
LONGEST_NAME = 100


@immutable
class MetMatch:
    """A finished match from the first one's side. `result`: win, draw or loss; with more players by their places."""

    match_id: MatchId
    pair_id: int
    seed: int
    seat: int
    result: str
    gauntlet_id: GauntletId | None
    other_seat: int = 1
    players: int = 2


@immutable
class MetPair:
    """The matches of a battle, by the first one's seats."""

    matches: list[MetMatch]

    @property
    def half_points(self) -> int | None:
        """Return those of the first one, 0 to 4; None unless two players finished two."""
        is_whole = len(self.matches) == 2 == self.matches[0].players
        return sum(HALF_POINTS[match.result] for match in self.matches) if is_whole else None


@immutable
class HeadToHead:
    """Two versions or bots against each other, from the side of `a`. Of lists the latest come first.

    `pairs_by_points`: how many pairs brought 0, 1 .. 4 half points. `of_gauntlets`: how many of the matches.
    `looked_at`: that many latest matches of `looked_through`, one of the two.
    """

    a: str
    b: str
    by_seat: BySeat
    sentence: str
    of_gauntlets: int
    pairs_by_points: tuple[int, ...]
    pairs: list[MetPair]
    matches: list[ListedMatch]
    looked_at: int
    looked_through: str

    @property
    def played(self) -> int:
        return sum(record.matches for record in self.by_seat)

    @property
    def may_be_more(self) -> bool:
        return self.looked_at >= MOST_LOOKED_AT


@immutable
class VersusSide:
    """A bot, or one of its versions. `latest_ids`: those to which its latest MOST_LOOKED_AT matches may belong."""

    named: NamedVersion
    version_ids: list[VersionId]
    latest_ids: list[VersionId]
    matches: int


def head_to_head(connection: Connection, a: NamedVersion, b: NamedVersion, game: str) -> HeadToHead:
    """Compare two versions or bots of a game. Raises UnknownName; UsageFault for two that share a version."""
    first, second = side(connection, a, game), side(connection, b, game)
    if set(first.version_ids) & set(second.version_ids):
        raise UsageFault(f"{first.named} and {second.named} are not two: name two versions, or two bots")
    met, looked_at, through = latest_met(connection, first, second)
    seats = range(max((match.players for match in met), default=2))
    results = Counter((match.seat, match.result) for match in met)
    by_seat = tuple(SeatRecord(seat, *(results[seat, word] for word in HALF_POINTS)) for seat in seats)
    pairs = pairs_of(met)
    points = Counter(pair.half_points for pair in pairs)
    latest = find_matches(connection, [match.match_id for match in met[:MOST_MATCHES]])
    return HeadToHead(
        a=str(first.named),
        b=str(second.named),
        by_seat=by_seat,
        sentence=sentence(str(first.named), by_seat),
        of_gauntlets=sum(match.gauntlet_id is not None for match in met),
        pairs_by_points=tuple(points[half] for half in range(5)),
        pairs=pairs[:MOST_PAIRS],
        matches=with_seats(connection, latest, first.named),
        looked_at=looked_at,
        looked_through=str(through.named),
    )


def side(connection: Connection, named: NamedVersion, game: str) -> VersusSide:
    bot = bots.find_bot(connection, named.bot, game)
    if named.number is None:
        version_ids = [version.id for version in versions.versions_of(connection, bot.id)]
    else:
        version_ids = [versions.numbered(connection, bot, named.number).id]
    stays = standings.stays_of(connection, bot.id, version_ids[0] if named.number is not None else None)
    matches, latest_ids = sum(stay.record.matches for stay in stays), list(latest_of(version_ids, stays))
    return VersusSide(NamedVersion(bot.name, named.number), version_ids, latest_ids, matches)


def latest_of(version_ids: Sequence[VersionId], stays: Sequence[standings.LeagueStay]) -> Iterator[VersionId]:
    """Give the versions of `VersusSide.latest_ids`. `version_ids`: of a bot, newest first."""
    plays = {stay.version_id for stay in stays if stay.on_board}
    newer = 0
    for version_id in version_ids:
        if newer < MOST_LOOKED_AT or version_id in plays:
            yield version_id
        newer += sum(stay.record.matches for stay in stays if stay.version_id == version_id)


LATEST = SQL("""
    WITH latest AS MATERIALIZED (
        SELECT DISTINCT ON (found.match_id) found.match_id, found.seat, found.result, found.place
        FROM unnest(%(few)s::bigint[]) AS version_id CROSS JOIN LATERAL (
            SELECT DISTINCT ON (match_id) match_id, seat, result, place FROM seats
            WHERE seats.version_id = version_id.version_id AND result IS NOT NULL ORDER BY match_id DESC, seat
            LIMIT %(most)s) AS found
        ORDER BY found.match_id DESC, found.seat LIMIT %(most)s)
    """)
"""In a gauntlet's match one side can have several seats: then its first one counts."""
MET = SQL("""
    {latest}
    SELECT latest.match_id, matches.pair_id, matches.seed, latest.seat,
           CASE WHEN matches.players = 2 THEN latest.result WHEN latest.place < other.place THEN 'win'
                WHEN latest.place > other.place THEN 'loss' ELSE 'draw' END AS result,
           matches.gauntlet_id, other.seat AS other_seat, matches.players
    FROM latest
    CROSS JOIN LATERAL (
        SELECT seat, place FROM seats
        WHERE match_id = latest.match_id AND seat <> latest.seat AND version_id = ANY(%(many)s)
        ORDER BY seat LIMIT 1) AS other
    CROSS JOIN LATERAL (
        SELECT pair_id, seed, gauntlet_id, players FROM matches
        WHERE id = latest.match_id AND state = 'finished' OFFSET 0) AS matches
    ORDER BY latest.match_id DESC
    """).format(latest=LATEST)
COUNT_LATEST = SQL("{latest} SELECT count(*) FROM latest").format(latest=LATEST)


def latest_met(connection: Connection, first: VersusSide, second: VersusSide) -> tuple[list[MetMatch], int, VersusSide]:
    """Return the matches of the two from the first one's side, the latest first; how many were looked at, and whose."""
    few, many = (first, second) if first.matches <= second.matches else (second, first)
    values = {"few": few.latest_ids, "many": many.version_ids, "most": MOST_LOOKED_AT}
    met = Rows(connection, MetMatch).all(MET, values)
    (looked_at,) = row(connection, COUNT_LATEST, values)
    if few is second:
        met = [
            replace(match, seat=match.other_seat, other_seat=match.seat, result=OTHER_RESULT[match.result])
            for match in met
        ]
    return met, looked_at, few


def pairs_of(met: Sequence[MetMatch]) -> list[MetPair]:
    """Put the two matches of each pair together, in the order of their latest."""
    grouped: dict[int, list[MetMatch]] = {}
    for match in met:
        grouped.setdefault(match.pair_id, []).append(match)
    return [MetPair(sorted(of_pair, key=lambda match: match.seat)) for of_pair in grouped.values()]


@router.get("/games/{game}/versus")
def show_versus(site: SiteHere, game: str, a: str = "", b: str = "") -> Response:
    with site.reading() as connection:
        check_game(connection, game)
        if not a.strip() or not b.strip():
            return page("versus.html", game=game, a=a, b=b, found=None, topics=[])
        first, second = read_side(a), read_side(b)
        versus = head_to_head(connection, first, second, game)
        ids = {bots.find_bot(connection, named.bot, game).id for named in (first, second)}
    return page(
        "versus.html",
        game=game,
        a=versus.a,
        b=versus.b,
        found=versus,
        named=read_name(versus.a),
        total=added(versus.by_seat),
        plot=outcomes(versus.pairs_by_points),
        most_looked_at=MOST_LOOKED_AT,
        topics=[f"bot:{bot_id}" for bot_id in sorted(ids)],
    )


def read_side(text: str) -> NamedVersion:
    name = without_nul(text.strip())
    if len(name) > LONGEST_NAME:
        raise UsageFault(f"a name has at most {LONGEST_NAME} characters; this one has {len(name)}")
    return read_name(name)
