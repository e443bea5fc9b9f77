"""Moving a league in, in one transaction: its bots and sources, its matches in their order, and then all ratings.

How this works. Whatever was imported before is known again: a version by the name that it had there and its source, a
match by its key. The rest is added. A version with a source is built and tried as if it had been submitted; one of each
bot, the newest that is active, then comes onto the board. Nothing else here is special: the league is rated as a whole
by the function that rates any league again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from re import Pattern
from typing import ClassVar

from engine.errors import UsageFault
from engine.text import listed
from engine.toolchains.bot_folder import source_hash
from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.database.connection import Connection, our_errors
from ladder.flows.scheduling import hold_scheduler
from ladder.ids import BotId, VersionId
from ladder.imports import rows
from ladder.imports.agreement import Agreement, agreement_of, other_settings
from ladder.imports.foreign import ForeignBot, ForeignLeague
from ladder.imports.naming import KnownName, Named, named
from ladder.imports.rows import KnownVersion
from ladder.imports.wanted import Wanted
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.leagues.settings import SETTINGS
from ladder.ratings import rewrite, standings
from ladder.ratings.ledger import rating_settings
from ladder.seasons import plans


@dataclass(frozen=True, slots=True)
class ImportedVersion:
    """A name of the other program and the version that it is now. `was_renamed`: the bot's name is another one here.

    `why_no_source`: why it is on record only; "" where it will be built.
    """

    name: str
    version: str
    was_renamed: bool
    is_active: bool
    why_no_source: str


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import, or would come of it where not `applied`.

    `league`: the title of the one that it all is in now. `bots`: how many are new; `versions`: those that are;
    `known_versions`, `known_matches`: how many were imported before. `matches`, `faults`: how many are new, and how
    many seats of them had a fault. `settings_taken`: of the league, by name. `agreement`: None where the other program
    keeps no ratings. `commands`, `settings`, `left_out`: see ladder.imports.foreign. `to_build`: ids of versions.
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
        """Say whether all of it was there before."""
        return not (self.versions or self.matches or self.settings_taken)


@dataclass(frozen=True, slots=True)
class Before:
    """What there was before. `numbers`: of the versions of each bot of the game, by the bot's name."""

    known: list[KnownVersion]
    bots: dict[str, Bot]
    numbers: dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class Added:
    """A version that is new."""

    id: VersionId
    bot_id: BotId
    named: Named
    foreign: ForeignBot


def import_league(connection: Connection, player: str, wanted: Wanted) -> Imported:
    """Import a league; its bots are that player's. Raises UsageFault, UnknownName, Refused, and then nothing is done.

    The locks are taken in the order in which everybody takes them: the scheduler's, bots, standings.
    """
    hold_scheduler(connection)
    check_players(wanted)
    plans.require_open(connection, wanted.game)
    league = lowest_league(connection, wanted.game)
    before = read_before(connection, wanted)
    found = found_again(wanted.league, before.known)
    with our_errors():
        added = add_versions(connection, player, wanted, before, found)
    standings.hold(connection)
    taken = take_settings(connection, league, wanted) if wanted.takes_settings else {}
    let_in(connection, league, before, added, found.values())
    ids = {**found, **{one.named.name: one.id for one in added}}
    keys = rows.known_keys(connection, wanted.game, wanted.league.origin)
    matches = [match for match in wanted.league.matches if match.key not in keys]
    rows.insert_matches(connection, league.id, wanted.league.origin, matches, ids, wanted.league.written_at)
    rows.count_anew(connection, "matches", "seats")
    if matches or taken:
        rewrite.rate_again(connection, league.id)
        rows.count_anew(connection, "ledger")
    settings = rating_settings(connection, league.id)
    return Imported(
        wanted.league.origin,
        wanted.game,
        league.title,
        applied=True,
        bots=len({one.named.bot for one in added} - set(before.bots)),
        versions=[shown(one, wanted.group) for one in added],
        known_versions=len(found),
        matches=len(matches),
        known_matches=len(wanted.league.matches) - len(matches),
        faults=sum(sum(match.faults) for match in matches),
        settings_taken=taken,
        agreement=agreement_of(wanted.league, settings),
        commands=wanted.league.commands,
        settings=wanted.league.settings,
        left_out=wanted.league.left_out,
        to_build=[one.id for one in added if one.foreign.source is not None],
    )


def check_players(wanted: Wanted) -> None:
    """Raise UsageFault for matches with a number of players that the game does not have."""
    others = [str(number) for number in wanted.league.players if number not in wanted.players]
    if others:
        own = listed([str(number) for number in wanted.players])
        raise UsageFault(
            f"matches of this {wanted.league.origin} league have {listed(others)} players, and {wanted.game} has "
            f"{own}; nothing is imported"
        )


def lowest_league(connection: Connection, game: str) -> League:
    """Return the league in which new bots begin. Raises UsageFault where the database has none of that game."""
    leagues.check_game(connection, game)
    return leagues.leagues(connection, game)[0]


def read_before(connection: Connection, wanted: Wanted) -> Before:
    """Read what there is, and lock the bots that are to have more versions."""
    known = rows.known_versions(connection, wanted.game, wanted.league.origin)
    concerned = {one.bot for one in known}
    in_game = {bot.name: bot for bot in bots.bots(connection, wanted.game)}
    for name in concerned:
        bots.require_not_disqualified(in_game[name])
    bots.lock_bots(connection, [bot.id for bot in in_game.values() if bot.name in concerned])
    numbers = {
        name: [one.number for one in versions.versions_of(connection, bot.id)] if name in concerned else []
        for name, bot in in_game.items()
    }
    former = {name: list[int]() for name in rows.former_names(connection, wanted.game)}
    return Before(known, in_game, {**former, **numbers})


def found_again(foreign: ForeignLeague, known: Sequence[KnownVersion]) -> dict[str, VersionId]:
    """Return which names were imported before, with the versions that they are.

    The same name with another source is a new version; one that came without a source stays that version.
    """
    found: dict[str, VersionId] = {}
    for bot in with_strangers(foreign):
        own = None if bot.source is None else source_hash(bot.source)
        for one in known:
            if one.name == bot.name and (own is None or one.source_hash in {own, None}):
                found[bot.name] = one.id
    return found


def with_strangers(foreign: ForeignLeague) -> list[ForeignBot]:
    """Return all bots, those too that only matches know."""
    named_ones = {bot.name for bot in foreign.bots}
    strangers = dict.fromkeys(
        player for match in foreign.matches for player in match.players if player not in named_ones
    )
    why = f"{foreign.file} does not know it any more"
    return [*foreign.bots, *(ForeignBot(name, is_active=False, why_no_source=why) for name in strangers)]


def add_versions(
    connection: Connection, player: str, wanted: Wanted, before: Before, found: Collection[str]
) -> list[Added]:
    """Add the versions that are new, and their bots. Raises UsageFault for a player whose name nobody may have."""
    new = [bot for bot in with_strangers(wanted.league) if bot.name not in found]
    known = [KnownName(one.name, one.bot) for one in before.known]
    added: list[Added] = []
    opened: dict[str, Bot] = {}
    names = named([bot.name for bot in new], wanted.group, known, before.numbers)
    for one, foreign in zip(names, new, strict=True):
        bot = opened.get(one.bot) or bots.open_bot(connection, wanted.game, one.bot, player)
        opened[one.bot] = bot
        own = without_twin(connection, bot, foreign)
        version_id = rows.insert_version(connection, bot, one.number, wanted.league.origin, own)
        added.append(Added(version_id, bot.id, one, own))
    return added


def without_twin(connection: Connection, bot: Bot, foreign: ForeignBot) -> ForeignBot:
    """Return a bot as it is, or without its source where a version of the same bot has that already."""
    if foreign.source is None:
        return foreign
    twin = versions.same_source(connection, bot.id, foreign.source, foreign.language)
    return (
        foreign if twin is None else replace(foreign, source=None, why_no_source=f"the source is that of {twin.name}")
    )


def take_settings(connection: Connection, league: League, wanted: Wanted) -> dict[str, float | str]:
    """Let the league rate as the other program did; return the settings that are others now. Raises UsageFault."""
    there = wanted.league.rating
    if there is None:
        raise UsageFault(
            f"--settings: this {wanted.league.origin} league says nothing of its ratings; nothing is imported"
        )
    now = rating_settings(connection, league.id)
    taken = {other.setting: other.there for other in other_settings(now, there)}
    for name, value in taken.items():
        if not SETTINGS[name].takes(value):
            raise UsageFault(f"--settings: {name} is {value}, and must be {SETTINGS[name].wanted}; nothing is imported")
    if taken:
        leagues.change_settings(connection, league.id, taken)
    return taken


def let_in(
    connection: Connection, league: League, before: Before, added: Sequence[Added], found: Iterable[VersionId]
) -> None:
    """Give all versions a standing, and say which are to play: of each bot the newest, if it is new and active.

    A new bot of which no version is active is retired.
    """
    for version_id in rows.lacking_standings(connection, league.id, [*found, *(one.id for one in added)]):
        standings.enter(connection, version_id, league.id, on_board=False)
    of_bot: dict[str, list[Added]] = defaultdict(list)
    for one in added:
        of_bot[one.named.bot].append(one)
    for name, own in of_bot.items():
        active = [one for one in own if one.foreign.is_active]
        playing = max((one for one in active if one.foreign.source is not None), key=number_of, default=None)
        home = league.id if name not in before.bots else before.bots[name].league_id
        newest_before = max(before.numbers.get(name, ()), default=0)
        if playing is not None and home == league.id and number_of(playing) > newest_before:
            rows.await_on_board(connection, playing.id, league.id)
        if not active and name not in before.bots:
            bots.retire(connection, own[0].bot_id)


def number_of(one: Added) -> int:
    """Return the number of a version."""
    return one.named.number


def shown(one: Added, group: Pattern[str] | None) -> ImportedVersion:
    """Return a new version as it is shown."""
    return ImportedVersion(
        one.named.name,
        one.named.version,
        not one.named.is_as_it_was(group),
        one.foreign.is_active,
        one.foreign.why_no_source,
    )
