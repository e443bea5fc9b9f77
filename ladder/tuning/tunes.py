"""The rows of tunes and of their pairs.

A tune's gauntlet has all else: whose it is, whom it meets, its matches, whether it runs. See `tunes` and `tune_pairs`
in the schema.
"""

from collections.abc import Collection, Sequence

from engine.errors import UnknownName
from engine.immutable import immutable
from ladder.database.connection import Connection, Rows, first_column
from ladder.gauntlets.gauntlets import Gauntlet, PairRow
from ladder.ids import GauntletId, MatchId
from ladder.matches.record import unpack
from ladder.tuning.parameters import TuneStart, read_parameters
from ladder.tuning.plan import Ends, MatchSeen, Places, Spsa, TunePlan
from ladder.tuning.report import PlayedPair


@immutable
class TuneRow:
    """What a tune has besides its gauntlet. `ranges`, `start`: of its parameters; see the schema."""

    gauntlet_id: GauntletId
    ranges: list[str]
    start: list[float]
    unknown: list[str]
    confirming_pairs: int
    confirming_id: GauntletId | None

    def plan(self, gauntlet: Gauntlet) -> TunePlan:
        rule = Spsa(read_parameters(self.ranges), tuple(self.start), gauntlet.pairs, gauntlet.seed)
        opponents = tuple(gauntlet.opponent_ids)
        return TunePlan(rule, gauntlet.candidate_id, opponents, seed_bits=gauntlet.seed_bits, players=gauntlet.players)


def insert(
    connection: Connection, gauntlet_id: GauntletId, ranges: Sequence[str], start: TuneStart, confirming_pairs: int
) -> None:
    query = """
        INSERT INTO tunes (gauntlet_id, ranges, start, unknown, confirming_pairs) VALUES (%s, %s, %s, %s, %s)"""
    lists = map(list, (ranges, start.places, start.unknown))
    connection.execute(query, [gauntlet_id, *lists, confirming_pairs])


def find(connection: Connection, gauntlet_id: GauntletId) -> TuneRow:
    row = Rows(connection, TuneRow).first("SELECT * FROM tunes WHERE gauntlet_id = %s", [gauntlet_id])
    if row is None:
        raise UnknownName(f"there is no tune {gauntlet_id}; `ladder tune list` shows the latest")
    return row


def latest(connection: Connection, limit: int) -> list[TuneRow]:
    return Rows(connection, TuneRow).all("SELECT * FROM tunes ORDER BY gauntlet_id DESC LIMIT %s", [limit])


def confirm_in(connection: Connection, gauntlet_id: GauntletId, confirming_id: GauntletId) -> None:
    connection.execute("UPDATE tunes SET confirming_id = %s WHERE gauntlet_id = %s", [confirming_id, gauntlet_id])


def matches_among(connection: Connection, match_ids: Collection[MatchId]) -> set[MatchId]:
    query = "SELECT matches.id FROM matches JOIN tunes USING (gauntlet_id) WHERE matches.id = ANY(%s)"
    return set(first_column(connection, query, [list(match_ids)]))


def pairs_of(connection: Connection, gauntlet_id: GauntletId) -> list[PlayedPair]:
    """Return the pairs that have counted, in that order."""
    query = """
        SELECT number, base, points, timeouts, faults, are_alike, places FROM tune_pairs
        WHERE gauntlet_id = %s AND counted IS NOT NULL ORDER BY counted"""
    rows = connection.execute(query, [gauntlet_id])
    return [
        PlayedPair(number, tuple(base), Ends(tuple(points), tuple(timeouts), tuple(faults), alike), tuple(places))
        for number, base, points, timeouts, faults, alike, places in rows
    ]


@immutable
class State:
    """How many pairs have counted, and where all values are. `open`: the pairs that were made and have not counted."""

    counted: int
    places: Places
    open: list[int]


def state_of(connection: Connection, row: TuneRow) -> State:
    latest_pair = """
        SELECT counted, places FROM tune_pairs
        WHERE gauntlet_id = %s AND counted IS NOT NULL ORDER BY counted DESC LIMIT 1"""
    last = connection.execute(latest_pair, [row.gauntlet_id]).fetchone()
    query = "SELECT number FROM tune_pairs WHERE gauntlet_id = %s AND counted IS NULL"
    counted, places = (0, row.start) if last is None else last
    return State(counted, tuple(places), first_column(connection, query, [row.gauntlet_id]))


def make(connection: Connection, gauntlet_id: GauntletId, numbers: list[int], base: Places) -> dict[int, Places]:
    """Make pairs; return from where each is made: those that were made before keep theirs."""
    query = """
        INSERT INTO tune_pairs (gauntlet_id, number, base) SELECT %s, unnest(%s::int[]), %s ON CONFLICT DO NOTHING"""
    connection.execute(query, [gauntlet_id, numbers, list(base)])
    made = "SELECT number, base FROM tune_pairs WHERE gauntlet_id = %s AND number = ANY(%s)"
    rows = connection.execute(made, [gauntlet_id, numbers])
    return {number: tuple(base) for number, base in rows}


def count(
    connection: Connection, gauntlet_id: GauntletId, number: int, counted: int, ends: Ends, places: Places
) -> None:
    """Let a pair count. `counted`: as which one; `places`: where all values are then."""
    query = """
        UPDATE tune_pairs SET counted = %s, places = %s, points = %s, timeouts = %s, faults = %s, are_alike = %s
        WHERE gauntlet_id = %s AND number = %s"""
    lists = map(list, (places, ends.points, ends.timeouts, ends.faults))
    connection.execute(query, [counted, *lists, ends.are_alike, gauntlet_id, number])


def matches_of_slot(
    connection: Connection, slot: PairRow, judged_seats: Sequence[int], *, lines: bool
) -> list[MatchSeen]:
    """Return what a slot's matches were, in order. `judged_seats`: those of the judged one."""
    query = """
        SELECT array_agg(verdict ORDER BY seat), CASE WHEN %s THEN record END
        FROM matches JOIN seats ON seats.match_id = matches.id
        WHERE matches.id = ANY(%s) GROUP BY matches.id ORDER BY matches.id"""
    rows = connection.execute(query, [lines, list(slot.match_ids)]).fetchall()
    return [
        MatchSeen(slot.by_seat[seat], tuple(verdicts), [turn.line for turn in unpack(record).turns] if record else None)
        for seat, (verdicts, record) in zip(judged_seats, rows, strict=True)
    ]
