"""One match: its viewer, and all that is stored of it.

How this works. The page leads no match by its rules: without script it shows the table of what was said, from the
record. What the viewer shows comes from a route of its own, `data`. A browser that has it already says so, and then
nothing is computed. Every query reads a bounded number of rows: the other match of a pair was made in the same moment,
so its number is near; a seed has no index, so others on it are looked for among the latest matches of each version of
the two bots, and in the same slot of the same gauntlet.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from engine.conversation import Verdict, ending_words
from engine.errors import UnknownName, UsageFault
from engine.game import Games
from engine.immutable import immutable
from engine.match import Turn
from engine.text import counted, listed, one_line
from ladder.accounts import links
from ladder.choices import MatchState
from ladder.database.connection import Connection
from ladder.errors import DamagedRecord
from ladder.ids import MatchId
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.matches.failures import FailedAttempt, failures_of
from ladder.matches.match_rows import MatchRow, SeatRow, find_matches
from ladder.matches.record import Recording, unpack
from ladder.matchmaking import requests
from ladder.plots.curves import curves_picture
from ladder.ratings.ledger import rating_settings
from ladder.ratings.models import Rating, score
from ladder.viewer import page_data
from ladder.views.matches import ListedMatch, with_seats
from ladder.views.turns.match import find, stderr_of
from ladder.views.turns.watched_match import WatchedMatch, compare
from ladder.visibility import Sight
from ladder.web import addresses
from ladder.web.addresses import MatchInPath, MatchInQuery
from ladder.web.api.answers import Seat, json_answer
from ladder.web.identity import ASKING, Asking
from ladder.web.rendering import LOGGED_IN, page
from ladder.web.site import Site, SiteHere
from ladder.web.viewer_context import of_matches, stage_for, watched_match

NEAR = 1_000
"""The two matches of a pair have numbers this near to each other."""
MOST_VERSIONS, MOST_MATCHES = 5, 200
"""Of each of the two bots' this many newest other versions this many latest matches are looked at for a seed."""
MOST_ON_SEED = 10
OTHER_OF_PAIR = """
    SELECT id FROM matches
    WHERE id BETWEEN %(id)s - %(near)s AND %(id)s + %(near)s AND id <> %(id)s AND pair_id = %(pair_id)s
    ORDER BY id LIMIT 1
"""
ON_SEED = """
    WITH own AS (
        SELECT versions.bot_id, versions.id FROM seats JOIN versions ON versions.id = seats.version_id
        WHERE seats.match_id = %(id)s),
    others AS (
        SELECT newest.id FROM (SELECT DISTINCT bot_id FROM own) AS of_bot CROSS JOIN LATERAL (
            SELECT id FROM versions WHERE versions.bot_id = of_bot.bot_id AND id NOT IN (SELECT id FROM own)
            ORDER BY number DESC LIMIT %(versions)s) AS newest),
    latest AS (
        SELECT found.match_id FROM others CROSS JOIN LATERAL (
            SELECT match_id FROM seats WHERE version_id = others.id ORDER BY match_id DESC LIMIT %(matches)s) AS found
        UNION
        SELECT id FROM matches
        WHERE gauntlet_id = %(gauntlet_id)s AND slot = (SELECT slot FROM matches WHERE id = %(id)s))
    SELECT matches.id FROM latest JOIN matches ON matches.id = latest.match_id
    WHERE matches.seed = %(seed)s AND matches.state = 'finished' AND matches.pair_id <> %(pair_id)s
    ORDER BY matches.id DESC LIMIT %(most)s
"""
CHANGES = """
    SELECT seats.seat, ledger.mu_before, ledger.sigma_before, ledger.mu_after, ledger.sigma_after, ledger.league_id
    FROM ledger JOIN seats ON seats.match_id = ledger.match_id AND seats.version_id = ledger.version_id
    WHERE ledger.match_id = %s ORDER BY seats.seat
"""
router = APIRouter()
shared = APIRouter(prefix="/r/{secret}")
"""A match that its player shows to whoever has the link: as that player sees it, and nothing else."""


@immutable
class MatchPage:
    """One match. `recording`: None where it is damaged. `other`: of its pair, None where the database has lost it.

    `changes`: of ratings, by seat: the ratings before and after, and the scores.
    """

    row: MatchRow
    league: leagues.League
    seats: list[SeatRow]
    recording: Recording | None
    request: requests.BattleRequest | None
    failed_attempts: list[FailedAttempt]
    changes: list[tuple[int, Rating, Rating, float, float]]
    other: ListedMatch | None
    on_seed: list[ListedMatch]

    @property
    def is_waiting(self) -> bool:
        return self.row.state in {MatchState.QUEUED, MatchState.RUNNING}

    @property
    def turns(self) -> Sequence[Turn]:
        return () if self.recording is None else self.recording.turns

    @property
    def names(self) -> list[str]:
        """Return the versions in the seats; of a seat that the database has lost its number."""
        seats = map(self.seat, range(self.row.players))
        return [f"seat {number}" if seat is None else seat.version for number, seat in enumerate(seats)]

    def last_turn(self, seat: int) -> int | None:
        """Return the number of a seat's last turn, in which it failed if it did; None where it had none."""
        return max((number for number, turn in enumerate(self.turns, 1) if turn.seat == seat), default=None)

    def seat(self, number: int) -> SeatRow | None:
        return next((seat for seat in self.seats if seat.seat == number), None)


def read_match_page(connection: Connection, match_id: MatchId) -> MatchPage:
    """Read all that the page shows. Raises UnknownName, NotAllowed where a freeze hides how it ended."""
    row, seats = find(connection, match_id), match_rows.seats_of(connection, [match_id])
    record = match_rows.match_record(connection, match_id)
    recording = None
    with suppress(DamagedRecord):
        recording = unpack(record) if record else Recording(())
    bounds = {"near": NEAR, "versions": MOST_VERSIONS, "matches": MOST_MATCHES, "most": MOST_ON_SEED}
    values = bounds | {"id": row.id, "pair_id": row.pair_id, "seed": row.seed, "gauntlet_id": row.gauntlet_id}
    found = [*connection.execute(OTHER_OF_PAIR, values), *connection.execute(ON_SEED, values, prepare=False)]
    near = [MatchId(number) for (number,) in found]
    listed = {match.match.id: match for match in with_seats(connection, find_matches(connection, near))}
    other = listed.pop(near[0], None) if near and listed[near[0]].match.pair_id == row.pair_id else None
    league = next(league for league in leagues.leagues(connection, row.game) if league.title == row.league)
    return MatchPage(
        row=row,
        league=league,
        seats=seats,
        recording=recording,
        request=None if row.request_id is None else requests.find(connection, row.request_id),
        failed_attempts=failures_of(connection, [match_id]),
        changes=changes_of(connection, match_id),
        other=other,
        on_seed=list(listed.values()),
    )


def changes_of(connection: Connection, match_id: MatchId) -> list[tuple[int, Rating, Rating, float, float]]:
    rows = connection.execute(CHANGES, [match_id]).fetchall()
    settings = {league_id: rating_settings(connection, league_id) for league_id in {row[-1] for row in rows}}
    return [
        (seat, before, after, score(settings[league_id], before), score(settings[league_id], after))
        for seat, mu, sigma, new_mu, new_sigma, league_id in rows
        for before, after in [(Rating(mu, sigma), Rating(new_mu, new_sigma))]
    ]


def headline(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    if len(seats) != row.players:
        return f"match {row.id}"
    best_first = sorted(seats, key=lambda seat: seat.place or 0)
    first, *others = (one_line(seat.name) for seat in best_first)
    if row.state != MatchState.FINISHED:
        return f"{first} against {listed(others)}"
    has_winner = best_first[0].result == "win"
    scores = ":".join(str(seat.score) for seat in best_first) if best_first[0].score is not None else ""
    return f"{first} {'beat' if has_winner else 'drew with'} {listed(others)} {scores}".rstrip()


def ending(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    if row.state != MatchState.FINISHED:
        return f"{row.state}: {row.reason}" if row.reason else row.state
    words = ending_words(row.reason, [seat.verdict for seat in seats])
    return words if row.imported_from or row.starts_bots else f"{words} after {counted(row.turns, 'turn')}"


def rule_words(row: MatchRow) -> str:
    """Say by which rule for time a match was judged, and with which limits; "" where it was not yet."""
    if row.time_policy is None or row.starts_bots:
        return row.caution or ""
    words = row.rule_words
    if row.first_limit_ms is None:
        return words
    return f"{words}; {row.first_limit_ms} ms for the first answer, {row.turn_limit_ms} ms for each later one"


def why_not_turn_by_turn(games: Games, found: MatchPage) -> str:
    """Say why a match cannot be shown turn by turn; "" where it can."""
    row = found.row
    if found.is_waiting:
        return f"it is {row.state}"
    if row.imported_from is not None:
        return f"it was imported from {row.imported_from} and has no record of its turns"
    if row.record_pruned_at is not None:
        return row.pruned_words
    if row.starts_bots:
        return "a command played it, and no lines of it are stored"
    if found.recording is None:
        return "the record of its turns is damaged"
    if not found.recording.turns:
        return "nothing of it was recorded"
    if len(found.seats) != row.players:
        return "the database has lost rows of it"
    if row.edition is None and row.game not in games:
        return f"the game {row.game} is not installed here"
    return ""


@router.get("/matches/{match_id}")
def match(site: SiteHere, request: Request, match_id: MatchInPath) -> Response:
    me = LOGGED_IN.get()
    with site.reading() as connection:
        match_view = read_match_page(connection, match_id)
        seat = None if me is None else only_seat_of(connection, match_id, me.player)
    return match_page(site, match_view, addresses.match(match_id), str(request.url), seat=seat)


def only_seat_of(connection: Connection, match_id: MatchId, player: str) -> int | None:
    query = """
        SELECT seat FROM seats JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
        JOIN players ON players.id = player_id WHERE match_id = %s AND lower(players.name) = lower(%s)
        """
    rows = connection.execute(query, [match_id, player]).fetchall()
    return rows[0][0] if len(rows) == 1 else None


def match_page(
    site: Site, found: MatchPage, place: str, address: str, *, is_shared: bool = False, seat: int | None = None
) -> Response:
    """Return the page of a match. `place`: how addresses of its parts begin; `seat`: the viewer looks from, or None."""
    row, stage = found.row, None
    why, end = why_not_turn_by_turn(site.games, found), ending(row, found.seats)
    if not why:
        try:
            stage = stage_for(site.games.find(row.game, row.edition), f"{place}/data")
        except UsageFault as error:
            why = str(error)
    return page(
        "match.html",
        place=place,
        is_shared=is_shared,
        looks_from=seat,
        found=found,
        row=row,
        headline=headline(row, found.seats),
        summary=one_line(f"{end}; {row.game}, {row.league}, seed {row.seed_words}"),
        ending=end,
        rule=rule_words(row),
        verdict_words=lambda seat: "" if seat.verdict is None else Verdict(seat.verdict).words,
        stage=stage,
        why=why,
        address=address,
        topics=[f"match:{row.id}"] if found.is_waiting else [],
    )


@router.get("/matches/{match_id}/data")
def data(site: SiteHere, request: Request, match_id: MatchInPath) -> Response:
    return of_matches(site, request, [match_id], lambda matches: json_answer(page_data(matches)))


@router.get("/matches/{match_id}/curves.svg")
def curves(site: SiteHere, request: Request, match_id: MatchInPath) -> Response:
    return of_matches(site, request, [match_id], curves_of)


def curves_of(matches: Sequence[WatchedMatch]) -> Response:
    (watched,) = matches
    names = [seat.version for seat in watched.seats]
    return Response(curves_picture(watched.replay.curves, names), media_type="image/svg+xml")


@router.get("/compare")
def compared(site: SiteHere, a: MatchInQuery, b: MatchInQuery) -> Response:
    with site.reading() as connection:
        first, second = (watched_match(connection, site.games, match_id, is_led=False) for match_id in (a, b))
    data = addresses.asking(addresses.path("compare", "data"), a=a, b=b)
    stage = stage_for(site.games.find(first.game, first.edition), data)
    return page("compare.html", compared=compare(first, second), matches=(first, second), stage=stage)


@router.get("/compare/data")
def compared_data(site: SiteHere, request: Request, a: MatchInQuery, b: MatchInQuery) -> Response:
    return of_matches(site, request, [a, b], lambda matches: json_answer(page_data(matches)))


def look_by(site: Site, secret: str) -> MatchId:
    """Let the rest of this request see what a link shows, and return its match. Raises UnknownName."""
    with site.watching() as connection:
        share = links.shown_by(connection, secret)
    if share is None:
        raise UnknownName("this link leads to no match: it may have expired, or its player has revoked it")
    ASKING.set(Asking(sight=Sight(shared=(share.player_id, share.match_id))))
    return share.match_id


@shared.get("")
def shared_match(site: SiteHere, request: Request, secret: str) -> Response:
    match_id = look_by(site, secret)
    with site.reading() as connection:
        match_view = replace(read_match_page(connection, match_id), other=None, on_seed=[])
    return match_page(site, match_view, f"/r/{secret}", str(request.url), is_shared=True)


@shared.get("/data")
def shared_data(site: SiteHere, request: Request, secret: str) -> Response:
    return of_matches(site, request, [look_by(site, secret)], lambda matches: json_answer(page_data(matches)))


@shared.get("/curves.svg")
def shared_curves(site: SiteHere, request: Request, secret: str) -> Response:
    return of_matches(site, request, [look_by(site, secret)], curves_of)


@shared.get("/seats/{seat}/stderr", response_class=PlainTextResponse)
def shared_stderr(site: SiteHere, secret: str, seat: Seat) -> Response:
    match_id = look_by(site, secret)
    with site.reading() as connection:
        return PlainTextResponse(stderr_of(connection, match_id, seat))
