"""Bots with their versions: how they did, what gauntlets say of them, why one stands where it does; their sources.

Also how a bot or version did lately against each opponent, and one player with all bots.

How this works. A bot may have played a hundred thousand matches; so its latest ones are counted. For each
it is enough to look at its other seat, which has the opponent, the seat and the result. A version that no longer plays
is left out if newer ones have played MOST_MATCHES. Of a player's versions those are shown that everybody sees: not what
was rejected, nor what is being built.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from difflib import unified_diff
from itertools import chain
from typing import ClassVar

from psycopg.sql import SQL

from engine.errors import UnknownName
from engine.immutable import immutable
from engine.text import shortened
from engine.toolchains.bot_folder import contents_of
from engine.toolchains.source import Source
from ladder.bots import bots, versions
from ladder.bots.bots import Bot, former_names
from ladder.bots.sources import sources_of
from ladder.bots.versions import Version
from ladder.choices import VersionState
from ladder.database.connection import Connection, Rows
from ladder.games.referee_faults import RefereeFaults, faults_after
from ladder.gauntlets.automatic_gauntlets import gates
from ladder.ids import BotId, VersionId
from ladder.leagues import leagues
from ladder.matches import failures
from ladder.matches.match_rows import latest_matches
from ladder.names import NamedVersion, read_name
from ladder.promotions.outlook import Outlook
from ladder.promotions.rules import OpenOrder
from ladder.ratings import standings
from ladder.ratings.explanation import (
    Explanation,
    VersusRecord,
    explanation_of,
    places_of,
    seats_of,
    stay_to_explain,
    versus,
)
from ladder.ratings.standings import LeagueStay
from ladder.seasons.seasons import SeasonRank
from ladder.statistics.seats import BySeat, SeatRecord, sentence
from ladder.views.boards import Frozen, frozen_since
from ladder.views.gauntlets import Result, results
from ladder.views.matches import ListedMatch, with_seats
from ladder.views.progress import prospects_of

LATEST_MATCHES = 10
MATCHES_OF_PLAYER = 20
UNSEEN = frozenset({VersionState.BUILDING, VersionState.REJECTED})


@immutable
class ListedBot:
    """A bot in a list. `plays`: the number of the version that plays for it, None if none does; `note`: on that one."""

    MERGED: ClassVar = ("bot",)

    bot: Bot
    plays: int | None
    note: str


def listed(connection: Connection, game: str | None = None) -> list[ListedBot]:
    """Return all bots, of one game or of all, by name. Raises UnknownName for a game."""
    leagues.check_game(connection, game)
    return with_versions(connection, bots.bots(connection, game))


def with_versions(connection: Connection, of_game: list[Bot]) -> list[ListedBot]:
    present = standings.present_versions(connection, [bot.id for bot in of_game])
    return [ListedBot(bot, plays, note) for bot in of_game for plays, note in [present.get(bot.id, (None, ""))]]


def listed_after(
    connection: Connection, game: str, name: str, limit: int, *, with_retired: bool = False
) -> list[ListedBot]:
    """Return the next bots of a game by name, after that one. Raises UnknownName for the game."""
    leagues.check_game(connection, game)
    return with_versions(connection, bots.bots_after(connection, game, name, limit, with_retired=with_retired))


@immutable
class VersionSeats:
    """How a version did in each seat. `sentence`: which is better, if clear; `places`: with more than two players."""

    version: str
    by_seat: BySeat
    sentence: str
    places: tuple[int, ...] = ()


@immutable
class BotInDetail:
    """A bot with its versions, newest first, former names, latest first, and outlooks on its league's board."""

    MERGED: ClassVar = ("bot",)

    bot: Bot
    former_names: list[str]
    versions: list[Version]
    standings: list[LeagueStay]
    open_orders: list[OpenOrder]
    gauntlets: list[Result]
    host_faults: list[failures.HostFaults]
    referee_faults: list[RefereeFaults]
    latest_matches: list[ListedMatch]
    seats: VersionSeats | None
    outlooks: list[Outlook]
    frozen: Frozen | None = None

    def name_of(self, version_id: VersionId) -> str:
        return next(version.name for version in self.versions if version.id == version_id)


def read_bot(connection: Connection, named: NamedVersion, game: str | None = None) -> BotInDetail:
    """Read a bot, or one version of it. Raises UnknownName, UsageFault where several games have such a bot."""
    bot, meant = versions.find_named(connection, named, game)
    own_versions = versions.versions_of(connection, bot.id) if meant is None else [meant]
    version_id = None if meant is None else meant.id
    latest = latest_matches(connection, LATEST_MATCHES, bot.id, version_id=version_id)
    ids = [version.id for version in own_versions]
    open_orders, outlooks = prospects_of(connection, bot, set(ids))
    return BotInDetail(
        bot=bot,
        former_names=former_names(connection, bot.id),
        versions=own_versions,
        standings=standings.stays_of(connection, bot.id, version_id),
        open_orders=open_orders,
        gauntlets=results(connection, own_versions),
        host_faults=failures.host_faults_of(connection, bot.id),
        referee_faults=faults_after(connection, ids),
        latest_matches=with_seats(connection, latest, NamedVersion(bot.name, named.number)),
        seats=seats_of_version(connection, bot, meant),
        outlooks=outlooks,
        frozen=frozen_since(connection, bot.game),
    )


def seats_of_version(connection: Connection, bot: Bot, version: Version | None) -> VersionSeats | None:
    """Return how a version did in each seat, or the one that plays for its bot; None where there is no rated match."""
    version = version or present_version(connection, bot)
    by_seat = () if version is None else seats_of(connection, version.id)
    if version is None or not any(record.matches for record in by_seat):
        return None
    return VersionSeats(version.name, by_seat, sentence(version.name, by_seat), places_of(connection, version.id))


def present_version(connection: Connection, bot: Bot) -> Version | None:
    present = standings.present_version(connection, bot.id)
    return None if present is None else versions.find_version(connection, present[0])


@immutable
class Opponents:
    """How a bot or version did against each opponent, or against the versions of one. `name`: as people call it."""

    name: str
    rows: list[VersusRecord]


def opponents_of(
    connection: Connection, named: NamedVersion, against: str | None, game: str | None = None
) -> Opponents:
    """Return how a bot or version did against each opponent, or each version of one. Raises UnknownName, UsageFault."""
    bot, own_ids = versions_meant(connection, named, game)
    other_ids = None if against is None else versions_meant(connection, read_name(against), bot.game)[1]
    return Opponents(str(NamedVersion(bot.name, named.number)), versus(connection, bot.name, own_ids, other_ids))


def versions_meant(connection: Connection, named: NamedVersion, game: str | None) -> tuple[Bot, list[VersionId]]:
    bot, meant = versions.find_named(connection, named, game)
    return bot, [version.id for version in (versions.versions_of(connection, bot.id) if meant is None else [meant])]


def league_of_bot(connection: Connection, name: str, game: str | None = None) -> leagues.League:
    bot = bots.find_bot(connection, name, game)
    return next(league for league in leagues.leagues(connection, bot.game) if league.id == bot.league_id)


@immutable
class ExplainedPlace:
    """Why a version stands where it does in a league."""

    MERGED: ClassVar = ("stay", "story")

    version: str
    stay: LeagueStay
    story: Explanation


def explained(
    connection: Connection, named: NamedVersion, game: str | None, league: str | None, latest: int | None = None
) -> ExplainedPlace:
    """Explain a version's place, by its `latest` that many matches alone. Raises Refused, UnknownName, UsageFault."""
    version, stay = stay_to_explain(connection, named, game, league)
    return ExplainedPlace(version.name, stay, explanation_of(connection, version.id, stay.league_id, latest))


@immutable
class SourceInDetail:
    """What a version was built from. `text`: of a bot of one file; `files`: the names of the files of one of many."""

    HIDDEN: ClassVar = ("source",)

    version: str
    game: str
    language: str
    state: str
    note: str
    submitted_at: datetime
    text: str
    files: list[str]
    params: dict[str, str]
    source: Source


@immutable
class SourceDiff:
    """What differs between two sources. `lines`: a unified diff; `same`: whether they are equal to the last byte."""

    first: str
    second: str
    same: bool
    lines: list[str]
    params: tuple[dict[str, str], dict[str, str]]


def read_source(connection: Connection, named: NamedVersion, game: str | None = None) -> SourceInDetail:
    """Return a version's source; of a bot that of the one that plays, or of its latest. Raises UnknownName."""
    version = version_meant(connection, named, game)
    source = sources_of(connection, [version.id])[version.id].source
    text, files = (source, []) if isinstance(source, str) else ("", list(source.contents))
    return SourceInDetail(
        version=version.name,
        game=version.game,
        language=version.language,
        state=version.state,
        note=version.note,
        submitted_at=version.submitted_at,
        text=text,
        files=files,
        params=version.params,
        source=source,
    )


def version_meant(connection: Connection, named: NamedVersion, game: str | None) -> Version:
    bot, version = versions.find_named(connection, named, game)
    return version or present_version(connection, bot) or versions.versions_of(connection, bot.id)[0]


def compared(connection: Connection, first: NamedVersion, second: NamedVersion, game: str | None = None) -> SourceDiff:
    """Compare the sources of two versions. Raises as `read_source` does."""
    old_source, new_source = (read_source(connection, named, game) for named in (first, second))
    old, new = contents_of(old_source.source), contents_of(new_source.source)
    lines: list[str] = []
    for name in sorted({*old, *new}):
        labels = (f"{of.version}/{name}" if name else of.version for of in (old_source, new_source))
        lines += file_diff(old.get(name, b""), new.get(name, b""), *labels)
    params = old_source.params, new_source.params
    return SourceDiff(old_source.version, new_source.version, old_source.source == new_source.source, lines, params)


def file_diff(old: bytes, new: bytes, old_name: str, new_name: str) -> Iterable[str]:
    try:
        return unified_diff(old.decode().splitlines(), new.decode().splitlines(), old_name, new_name, lineterm="")
    except UnicodeDecodeError:
        return [] if old == new else [f"--- {old_name}", f"+++ {new_name}", "these two are not texts, and differ"]


MOST_MATCHES = 5_000
MOST_OPPONENTS = 100
OTHER_OF_TWO = SQL("""
    SELECT version_id, 1 - seat AS own_seat, result FROM seats
    WHERE match_id = latest.match_id AND version_id <> latest.version_id OFFSET 0
    """)
OTHERS_OF_MANY = SQL("""
    SELECT other.version_id, own.seat AS own_seat,
           CASE WHEN other.place < own.place THEN 'win'
                WHEN other.place > own.place THEN 'loss' ELSE 'draw' END AS result
    FROM seats AS own JOIN seats AS other ON other.match_id = own.match_id AND other.seat <> own.seat
    WHERE own.match_id = latest.match_id AND own.version_id = latest.version_id OFFSET 0
    """)
"""Those whom a version met in a match, each with its result and with the version's own seat."""


@immutable
class MetFromSeat:
    """How a version did in one seat against a bot. `opponent`: None for those not listed, of all `opponents`."""

    number: int
    opponent: str | None
    seat: int
    won: int
    drawn: int
    lost: int
    opponents: int


@immutable
class AgainstOpponent:
    """How a bot or version did against one opponent. `by_number`: by the numbers of its versions that met it."""

    opponent: str
    by_seat: BySeat
    by_number: dict[int, SeatRecord]

    @property
    def matches(self) -> int:
        return sum(record.matches for record in self.by_seat)

    @property
    def total(self) -> SeatRecord:
        return added(self.by_seat)


@immutable
class LatestOpponents:
    """How a bot or version did in its latest MOST_MATCHES: against all `opponents`, and by each of those met most."""

    name: str
    matches: int
    by_seat: BySeat
    numbers: list[int]
    opponents: int
    rows: list[AgainstOpponent]

    @property
    def is_cut(self) -> bool:
        return self.matches >= MOST_MATCHES


def latest_opponents(connection: Connection, named: NamedVersion, game: str | None = None) -> LatestOpponents:
    """Return how a bot or version did lately against each bot. Raises UnknownName, UsageFault."""
    bot, version = versions.find_named(connection, named, game)
    for_two = all(league.is_for_two for league in leagues.leagues(connection, bot.game))
    met = latest_met(connection, bot.id, None if version is None else version.id, for_two=for_two)
    return summed_up(str(NamedVersion(bot.name, named.number)), met)


def summed_up(name: str, met: Sequence[MetFromSeat]) -> LatestOpponents:
    """Add up what a bot or version did in each seat: in all, and by opponent, that of most matches first."""
    seats = max([2, *(part.seat + 1 for part in met)])
    by_opponent: dict[str, dict[int, list[MetFromSeat]]] = defaultdict(lambda: defaultdict(list))
    for part in sorted(met, key=lambda part: part.number):
        if part.opponent is not None:
            by_opponent[part.opponent][part.number].append(part)
    rows: list[AgainstOpponent] = []
    for opponent, by_number in by_opponent.items():
        by_version = {number: added(by_seat(records, seats)) for number, records in by_number.items()}
        rows.append(AgainstOpponent(opponent, by_seat(chain(*by_number.values()), seats), by_version))
    rows.sort(key=lambda row: (-row.matches, row.opponent.lower()))
    everything = by_seat(met, seats)
    return LatestOpponents(
        name,
        matches=sum(record.matches for record in everything),
        by_seat=everything,
        numbers=sorted({part.number for part in met}),
        opponents=met[0].opponents if met else 0,
        rows=rows,
    )


def by_seat(met: Iterable[MetFromSeat], seats: int) -> BySeat:
    counts = [[0, 0, 0] for _ in range(seats)]
    for record in met:
        for place, count in enumerate((record.won, record.drawn, record.lost)):
            counts[record.seat][place] += count
    return tuple(SeatRecord(seat, *results) for seat, results in enumerate(counts))


def added(records: BySeat) -> SeatRecord:
    """Add up the records of all seats; `seat` is -1."""
    won, drawn, lost = (sum(getattr(record, name) for record in records) for name in ("won", "drawn", "lost"))
    return SeatRecord(-1, won, drawn, lost)


def latest_met(
    connection: Connection, bot_id: BotId, version_id: VersionId | None, *, for_two: bool
) -> list[MetFromSeat]:
    """Count the latest rated matches by result and opponent. `for_two`: whether all its matches have two players."""
    others = OTHER_OF_TWO if for_two else OTHERS_OF_MANY
    return Rows(connection, MetFromSeat).all(
        SQL("""
        WITH own AS (
            SELECT versions.id, versions.number, played.plays,
                   sum(played.matches) OVER (ORDER BY versions.number DESC) - played.matches AS newer
            FROM versions CROSS JOIN LATERAL (
                SELECT coalesce(sum(matches), 0) AS matches, bool_or(on_board) AS plays
                FROM standings WHERE version_id = versions.id) AS played
            WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)),
        latest AS MATERIALIZED (
            SELECT found.match_id, own.id AS version_id, own.number FROM own CROSS JOIN LATERAL (
                SELECT match_id, sequence FROM ledger
                WHERE (version_id, sequence) < (own.id + 1, 0) AND version_id >= own.id
                ORDER BY version_id DESC, sequence DESC LIMIT %(most)s) AS found
            WHERE own.newer < %(most)s OR own.plays ORDER BY found.sequence DESC LIMIT %(most)s),
        counted AS MATERIALIZED (
            SELECT latest.number, other.version_id AS opponent_id, other.own_seat::int AS seat,
                   count(*) FILTER (WHERE other.result = 'loss')::int AS won,
                   count(*) FILTER (WHERE other.result = 'draw')::int AS drawn,
                   count(*) FILTER (WHERE other.result = 'win')::int AS lost
            FROM latest CROSS JOIN LATERAL ({others}) AS other
            GROUP BY latest.number, other.version_id, other.own_seat),
        by_bot AS MATERIALIZED (
            SELECT counted.number, theirs.bot_id, seat, sum(won)::int AS won, sum(drawn)::int AS drawn,
                   sum(lost)::int AS lost
            FROM counted CROSS JOIN LATERAL (
                SELECT bot_id FROM versions WHERE id = counted.opponent_id OFFSET 0) AS theirs
            GROUP BY counted.number, theirs.bot_id, seat),
        listed AS MATERIALIZED (
            SELECT most.bot_id, bots.name FROM (
                SELECT bot_id FROM by_bot GROUP BY bot_id ORDER BY sum(won + drawn + lost) DESC, bot_id
                LIMIT %(listed)s) AS most
            CROSS JOIN LATERAL (SELECT name FROM bots WHERE id = most.bot_id OFFSET 0) AS bots)
        SELECT number, listed.name AS opponent, seat, sum(won)::int AS won, sum(drawn)::int AS drawn,
               sum(lost)::int AS lost, (SELECT count(DISTINCT bot_id) FROM by_bot) AS opponents
        FROM by_bot LEFT JOIN listed ON listed.bot_id = by_bot.bot_id GROUP BY number, listed.name, seat
        """).format(others=others),
        {"bot": bot_id, "version": version_id, "most": MOST_MATCHES, "listed": MOST_OPPONENTS},
    )


@immutable
class PlayersVersion:
    """A version: its `stays`, the latest first, its rank on a board, its `final` line if asked for, and its `gates`."""

    version: Version
    stays: list[LeagueStay]
    rank: int | None
    final: SeasonRank | None = None
    gate: str = ""


@immutable
class PlayersBot:
    """A bot of a player with its versions, newest first, and its latest matches."""

    MERGED: ClassVar = ("bot",)

    bot: Bot
    versions: list[PlayersVersion]
    matches: list[ListedMatch]


@immutable
class OnePlayer:
    """A player with the bots of all games, or of one."""

    player: str
    bots: list[PlayersBot]


def one_player(
    connection: Connection,
    name: str,
    game: str | None = None,
    most_matches: int = MATCHES_OF_PLAYER,
    final: Mapping[VersionId, SeasonRank] | None = None,
) -> OnePlayer:
    """Read a player. `final`: lines of a closed season. Raises UnknownName for a player without a bot."""
    own_bots = bots.bots_of_player(connection, name, game)
    if not own_bots:
        raise UnknownName(f"there is no player {shortened(name)!r} who has a bot")
    return OnePlayer(own_bots[0].player, [bot_of(connection, bot, most_matches, final or {}) for bot in own_bots])


def bot_of(connection: Connection, bot: Bot, most_matches: int, final: Mapping[VersionId, SeasonRank]) -> PlayersBot:
    stays = standings.stays_of(connection, bot.id)
    ranks = ranks_of(connection, stays)
    shown_versions = [version for version in versions.versions_of(connection, bot.id) if version.state not in UNSEEN]
    gate_of = gates(connection, [version.id for version in shown_versions])
    stays_of: dict[VersionId, list[LeagueStay]] = defaultdict(list)
    for stay in stays:
        stays_of[stay.version_id].append(stay)
    lines = [
        PlayersVersion(version, stays_of[id_], ranks.get(id_), final.get(id_), gate_of.get(id_, ""))
        for version in shown_versions
        for id_ in [version.id]
    ]
    latest = latest_matches(connection, most_matches, bot.id)
    return PlayersBot(bot, lines, with_seats(connection, latest, NamedVersion(bot.name)))


def ranks_of(connection: Connection, stays: Sequence[LeagueStay]) -> dict[VersionId, int]:
    on_boards = [stay for stay in stays if stay.on_board]
    rank_of: dict[VersionId, int] = {}
    for league_id in {stay.league_id for stay in on_boards}:
        version_ids = [stay.version_id for stay in on_boards if stay.league_id == league_id]
        ranks = standings.ranks_around(connection, league_id, version_ids, small=0).by_version
        rank_of |= {version_id: ranks[version_id] for version_id in version_ids}
    return rank_of
