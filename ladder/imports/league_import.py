"""Moving a league in, in one transaction: its bots and sources, its matches in their order, and then all ratings.

How this works. Whatever was imported before is known again: a version by the name that it had there and its source, a
match by its key. The rest is added. A version with a source is built and tried as if it had been submitted; one of each
bot, the newest that is active, then comes onto the board. Nothing else here is special: the league is rated as a whole
by the function that rates any league again.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from re import Pattern
from typing import Any, ClassVar, TypeAlias

from psycopg.types.json import Jsonb

from engine.conversation import Verdict, result_word
from engine.errors import UsageFault
from engine.immutable import immutable
from engine.text import listed
from engine.toolchains.bot_folder import source_hash
from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.sources import store_source
from ladder.choices import MatchState, VersionState
from ladder.database import tallies
from ladder.database.connection import Connection, Rows, first_column, our_errors, without_nul
from ladder.database.connection import one as one_row
from ladder.database.tallies import Tallied
from ladder.flows.scheduling import hold_scheduler
from ladder.ids import BotId, LeagueId, VersionId
from ladder.imports.agreement import Agreement, agreement_of, other_settings
from ladder.imports.foreign import ForeignBot, ForeignLeague, ForeignMatch, FoundSource, base_of, names_of
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.leagues.settings import SETTINGS
from ladder.ratings import replay, standings
from ladder.ratings.ledger import rating_settings
from ladder.seasons import ending


@immutable
class ImportOrder:
    """What is to be imported into a game. `takes_settings`: the league rates as the other program did from now on."""

    game: str
    players: tuple[int, ...]
    league: ForeignLeague
    group: Pattern[str] | None = None
    takes_settings: bool = False


Ids: TypeAlias = Mapping[str, VersionId]
"""The versions that names there are now."""
MOST_NOTE_CHARS = 200
REASON = "imported"


@immutable
class KnownVersion:
    """A version that was imported before. `name`: the one that it had there; `source_hash`: None without a source."""

    id: VersionId
    name: str
    bot: str
    source_hash: str | None


def known_keys(connection: Connection, game: str, origin: str) -> set[str]:
    query = """
        SELECT import_key FROM matches
        WHERE imported_from = %s AND league_id IN (SELECT id FROM leagues WHERE game = %s)
        """
    return set(first_column(connection, query, [origin, game]))


def insert_version(connection: Connection, bot: Bot, number: int, origin: str, foreign: ForeignBot) -> VersionId:
    """Add a version with that number; without a source it is on record only. The caller has locked the bot."""
    query = """
        INSERT INTO versions (
            bot_id, number, language, imported_from, imported_as, note, source_hash, state, submitted_at)
        VALUES (%(bot)s, %(number)s, %(language)s, %(origin)s, %(name)s, %(note)s, %(source)s, %(state)s,
                least(now(), %(created_at)s)) RETURNING id
        """
    values = {
        "bot": bot.id,
        "number": number,
        "language": foreign.source.language,
        "origin": origin,
        "name": without_nul(foreign.name),
        "note": without_nul(" ".join(foreign.note.split()))[:MOST_NOTE_CHARS],
        "source": None if foreign.source.text is None else store_source(connection, foreign.source.text),
        "state": VersionState.RECORDED if foreign.source.text is None else VersionState.BUILDING,
        "created_at": foreign.created_at,
    }
    return VersionId(one_row(connection, query, values)[0])


def await_on_board(connection: Connection, version_id: VersionId, league_id: LeagueId) -> None:
    """Let it come as soon as it is built, see lifecycle.let_in; another one of its bot waits no more."""
    query = """
        UPDATE standings SET comes_back = standings.version_id = %(version)s
        FROM versions, versions AS chosen
        WHERE versions.id = standings.version_id AND chosen.id = %(version)s AND versions.bot_id = chosen.bot_id
          AND standings.league_id = %(league)s AND NOT on_board
        """
    connection.execute(query, {"version": version_id, "league": league_id})


def lacking_standings(connection: Connection, league_id: LeagueId, version_ids: Iterable[VersionId]) -> list[VersionId]:
    query = """
        SELECT id FROM unnest(%s::bigint[]) AS id
        WHERE NOT EXISTS (SELECT FROM standings WHERE version_id = id AND league_id = %s) ORDER BY id
        """
    return first_column(connection, query, [list(version_ids), league_id])


def insert_matches(
    connection: Connection, league_id: LeagueId, foreign: ForeignLeague, new: Sequence[ForeignMatch], ids: Ids
) -> None:
    """Add finished matches, in their order: they count for ratings, and for no promotion."""
    query = "SELECT nextval('matches_id_seq'), nextval('pairs') FROM generate_series(1, %s)"
    numbers = connection.execute(query, [len(new)]).fetchall()
    at = one_row(connection, "SELECT now(), least(now(), %s)", [foreign.written_at])
    numbered = list(zip(sorted(numbers), new, strict=True))
    copy_matches = """
        COPY matches (id, league_id, pair_id, seed, state, reason, created_at, finished_at, players, imported_from,
            import_key)
        FROM STDIN
    """
    state = MatchState.FINISHED.value
    with connection.cursor().copy(copy_matches) as copy:
        for (match_id, pair_id), match in numbered:
            of_match = [len(match.players), foreign.origin, match.key]
            copy.write_row([match_id, league_id, pair_id, match.seed, state, REASON, *at, *of_match])
    copy_seats = "COPY seats (match_id, seat, version_id, place, result, verdict, metrics, discounted) FROM STDIN"
    with connection.cursor().copy(copy_seats) as copy:
        for (match_id, _), match in numbered:
            for row in seat_rows(match, ids):
                copy.write_row([match_id, *row])
    tallies.add(connection, Tallied.IMPORTED, league_id=league_id, number=len(new))


def seat_rows(match: ForeignMatch, ids: Ids) -> Iterator[list[Any]]:
    places = match.places
    for seat, player in enumerate(match.players):
        verdict = Verdict.UNKNOWN if match.faults[seat] else Verdict.OK
        metrics = {without_nul(key): without_nul(value) for key, value in match.metrics[seat].items()}
        yield [seat, ids[player], places[seat], result_word(places, seat), verdict.value, Jsonb(metrics), True]


@immutable
class ImportedVersion:
    """A name there, and the version that it is now. `why_no_source`: why it is on record only, else ""."""

    name: str
    version: str
    was_renamed: bool
    is_active: bool
    why_no_source: str


@immutable
class ImportedLeague:
    """What came of an import, or would come of it where not `applied`. `league`: the title of the one it is in now.

    `bots`, `matches`: how many are new; `versions`: those that are; `known_...`: how many were imported before.
    `faults`: of seats. `settings_taken`: of the league. `agreement`: None where the other program keeps no ratings.
    `commands`, `settings`, `left_out`: see ladder.imports.foreign. `to_build`: ids of versions.
    """

    HIDDEN: ClassVar = ("to_build",)

    origin: str
    game: str
    league: str
    applied: bool
    bots: int
    versions: list[ImportedVersion]
    known_versions: int
    matches: int
    known_matches: int
    faults: int
    settings_taken: Mapping[str, float | str]
    agreement: Agreement | None
    commands: Mapping[str, str]
    settings: Mapping[str, str]
    left_out: Sequence[str]
    to_build: Sequence[VersionId] = ()

    @property
    def changes_nothing(self) -> bool:
        return not (self.versions or self.matches or self.settings_taken)


@immutable
class Before:
    """What there was before. `numbers`: of the versions of each bot of the game, by the bot's name."""

    versions: list[KnownVersion]
    bots: dict[str, Bot]
    numbers: dict[str, list[int]]


@immutable
class Added:
    """A version that is new."""

    id: VersionId
    bot_id: BotId
    bot: str
    number: int
    foreign: ForeignBot


def import_league(connection: Connection, player: str, order: ImportOrder) -> ImportedLeague:
    """Import a league; its bots are that player's. Raises UsageFault, UnknownName, Refused, and then nothing is done.

    The locks are taken in the order in which everybody takes them: the scheduler's, bots, standings.
    """
    hold_scheduler(connection)
    check_players(order)
    ending.require_open(connection, order.game)
    leagues.check_game(connection, order.game)
    league = leagues.leagues(connection, order.game)[0]
    before = read_before(connection, order)
    foreign_bots = with_strangers(order.league)
    same = same_versions(foreign_bots, before.versions)
    with our_errors():
        added = add_versions(connection, player, order, before, [bot for bot in foreign_bots if bot.name not in same])
    standings.hold(connection)
    changed = take_settings(connection, league, order) if order.takes_settings else {}
    let_in(connection, league, before, added, same.values())
    ids = same | {version.foreign.name: version.id for version in added}
    keys = known_keys(connection, order.game, order.league.origin)
    matches = [match for match in order.league.matches if match.key not in keys]
    insert_matches(connection, league.id, order.league, matches, ids)
    connection.execute("ANALYZE matches, seats")  # they have grown: by itself the database counts them too late
    if matches or changed:
        replay.rate_again(connection, league.id)
        connection.execute("ANALYZE ledger")
    settings = rating_settings(connection, league.id)
    return ImportedLeague(
        order.league.origin,
        order.game,
        league.title,
        applied=True,
        bots=len({version.bot for version in added} - set(before.bots)),
        versions=[
            ImportedVersion(
                version.foreign.name,
                version=f"{version.bot}@v{version.number}",
                was_renamed=version.bot != base_of(version.foreign.name, order.group)[0],
                is_active=version.foreign.is_active,
                why_no_source=version.foreign.source.why,
            )
            for version in added
        ],
        known_versions=len(same),
        matches=len(matches),
        known_matches=len(order.league.matches) - len(matches),
        faults=sum(sum(match.faults) for match in matches),
        settings_taken=changed,
        agreement=agreement_of(order.league, settings),
        commands=order.league.commands,
        settings=order.league.settings,
        left_out=order.league.left_out,
        to_build=[version.id for version in added if version.foreign.source.text is not None],
    )


def check_players(order: ImportOrder) -> None:
    others = [str(number) for number in order.league.players if number not in order.players]
    if others:
        possible = listed([str(number) for number in order.players])
        raise UsageFault(
            f"matches of this {order.league.origin} league have {listed(others)} players, and {order.game} has "
            f"{possible}; nothing is imported"
        )


def read_before(connection: Connection, order: ImportOrder) -> Before:
    query = """
        SELECT versions.id, imported_as AS name, bots.name AS bot, source_hash
        FROM versions JOIN bots ON bots.id = versions.bot_id
        WHERE bots.game = %s AND imported_from = %s
        ORDER BY versions.id
        """
    imported = Rows(connection, KnownVersion).all(query, [order.game, order.league.origin])
    concerned = {version.bot for version in imported}
    in_game = {bot.name: bot for bot in bots.bots(connection, order.game)}
    for name in concerned:
        bots.require_not_disqualified(in_game[name])
    bots.lock_bots(connection, [bot.id for bot in in_game.values() if bot.name in concerned])
    numbers = {
        name: [version.number for version in versions.versions_of(connection, bot.id)] if name in concerned else []
        for name, bot in in_game.items()
    }
    names = first_column(connection, "SELECT name FROM former_names WHERE game = %s", [order.game])
    return Before(imported, in_game, {name: list[int]() for name in names} | numbers)


def same_versions(foreign_bots: Sequence[ForeignBot], imported: Sequence[KnownVersion]) -> dict[str, VersionId]:
    """The same name with another source is a new version; one that came without a source stays that version."""
    same: dict[str, VersionId] = {}
    for bot in foreign_bots:
        bot_hash = None if bot.source.text is None else source_hash(bot.source.text)
        for version in imported:
            if version.name == bot.name and (bot_hash is None or version.source_hash in {bot_hash, None}):
                same[bot.name] = version.id
    return same


def with_strangers(foreign: ForeignLeague) -> list[ForeignBot]:
    named_ones = {bot.name for bot in foreign.bots}
    strangers = dict.fromkeys(
        player for match in foreign.matches for player in match.players if player not in named_ones
    )
    no_source = FoundSource(why=f"{foreign.file} does not know it any more")
    return [*foreign.bots, *(ForeignBot(name, source=no_source, is_active=False) for name in strangers)]


def add_versions(
    connection: Connection, player: str, order: ImportOrder, before: Before, new: Sequence[ForeignBot]
) -> list[Added]:
    added: list[Added] = []
    opened: dict[str, Bot] = {}
    imported = [(version.name, version.bot) for version in before.versions]
    names = names_of([bot.name for bot in new], order.group, imported, before.numbers)
    for (name, number), there in zip(names, new, strict=True):
        bot = opened[name] = opened.get(name) or bots.open_bot(connection, order.game, name, player)
        text, language = there.source.text, there.source.language
        twin = text and versions.same_source(connection, bot.id, text, language)
        foreign = replace(there, source=FoundSource(why=f"the source is that of {twin.name}")) if twin else there
        version_id = insert_version(connection, bot, number, order.league.origin, foreign)
        added.append(Added(version_id, bot.id, name, number, foreign))
    return added


def take_settings(connection: Connection, league: League, order: ImportOrder) -> dict[str, float | str]:
    """Let the league rate as the other program did; return the settings that are others now. Raises UsageFault."""
    there = order.league.rating
    if there is None:
        raise UsageFault(
            f"--settings: this {order.league.origin} league says nothing of its ratings; nothing is imported"
        )
    now = rating_settings(connection, league.id)
    changes = {other.setting: other.there for other in other_settings(now, there)}
    for name, value in changes.items():
        if not SETTINGS[name].takes(value):
            raise UsageFault(
                f"--settings: {name} is {value}, and must be {SETTINGS[name].possible_values}; nothing is imported"
            )
    if changes:
        leagues.change_settings(connection, league.id, changes)
    return changes


def let_in(
    connection: Connection, league: League, before: Before, added: Sequence[Added], same: Iterable[VersionId]
) -> None:
    """Of each bot the newest is to play, if it is new and active; a new bot without an active version is retired."""
    for version_id in lacking_standings(connection, league.id, [*same, *(version.id for version in added)]):
        standings.enter(connection, version_id, league.id, on_board=False)
    by_bot: dict[str, list[Added]] = defaultdict(list)
    for version in sorted(added, key=lambda version: version.number):
        by_bot[version.bot].append(version)
    for name, of_bot in by_bot.items():
        active = [version for version in of_bot if version.foreign.is_active]
        to_build = [version for version in active if version.foreign.source.text is not None]
        home = league.id if name not in before.bots else before.bots[name].league_id
        newest_before = max(before.numbers.get(name, ()), default=0)
        if to_build and home == league.id and to_build[-1].number > newest_before:
            await_on_board(connection, to_build[-1].id, league.id)
        if not active and name not in before.bots:
            bots.retire(connection, of_bot[0].bot_id)
