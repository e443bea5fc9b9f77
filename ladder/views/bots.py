"""Bots with their versions: how they did, what gauntlets say of them, why one stands where it does; their sources."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from difflib import unified_diff
from typing import ClassVar

from engine.immutable import immutable
from engine.toolchains.bot_folder import contents_of
from engine.toolchains.source import Source
from ladder.bots import bots, versions
from ladder.bots.bots import Bot, former_names
from ladder.bots.sources import sources_of
from ladder.bots.versions import Version
from ladder.database.connection import Connection
from ladder.games.referee_faults import RefereeFaults, faults_after
from ladder.ids import VersionId
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.matches import failures
from ladder.matches.failures import HostFaults
from ladder.matches.match_rows import latest_matches
from ladder.names import NamedVersion, read_name
from ladder.promotions.outlook import Outlook
from ladder.promotions.rules import OpenOrder
from ladder.ratings import standings
from ladder.ratings.explanation import Explanation, explanation_of, stay_to_explain
from ladder.ratings.standings import LeagueStay
from ladder.ratings.versus import VersusRecord, places_of, seats_of, versus
from ladder.statistics.seats import BySeat, sentence
from ladder.views.boards import Frozen, frozen_since
from ladder.views.gauntlets import Result, results
from ladder.views.matches import ListedMatch, with_seats
from ladder.views.progress import prospects_of

LATEST_MATCHES = 10


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
    return [ListedBot(bot, *present.get(bot.id, (None, ""))) for bot in of_game]


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
    host_faults: list[HostFaults]
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
    open_orders, outlooks = prospects_of(connection, bot, {version.id for version in own_versions})
    return BotInDetail(
        bot,
        former_names(connection, bot.id),
        own_versions,
        standings.stays_of(connection, bot.id, version_id),
        open_orders,
        results(connection, own_versions),
        failures.host_faults_of(connection, bot.id),
        faults_after(connection, [version.id for version in own_versions]),
        with_seats(connection, latest, NamedVersion(bot.name, named.number)),
        seats_of_version(connection, bot, meant),
        outlooks,
        frozen_since(connection, bot.game),
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


def league_of_bot(connection: Connection, name: str, game: str | None = None) -> League:
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
        version.name,
        version.game,
        version.language,
        version.state,
        version.note,
        version.submitted_at,
        text,
        files,
        version.params,
        source,
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
