"""Bots and their versions as tables and lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import TypeAlias

from rich.console import RenderableType
from rich.text import Text

from cli.answer import OF_VERDICTS
from cli.context import Context
from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable
from cli.terminal.words import frozen_text, moment_text, quoted
from cli.texts.boards import FAULT_HEADS
from cli.texts.matches import host_faults_text, matches_table, referee_faults_text
from engine.toolchains.params import params_text
from ladder import views
from ladder.bots.versions import Version
from ladder.gauntlets.automatic_gauntlets import gate_text
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.promotions.outlook import outlook_text
from ladder.promotions.rules import OpenOrder
from ladder.ratings.counts import places_text
from ladder.ratings.standings import LeagueStay

VersionStay: TypeAlias = tuple[Version, LeagueStay | None]


def detail_parts(detail: views.bots.BotInDetail) -> Iterator[RenderableType]:
    bot = detail.bot
    guards = f", the boss of {bot.league}" if bot.boss_of else f", in {bot.league}"
    yield f"{bot.name} plays {bot.game} for {bot.player}{guards}"
    if detail.former_names:
        yield f"it was called {', '.join(detail.former_names)} before, which still leads to it"
    if bot.disqualified_at is not None:
        yield quoted(
            f"{bot.disqualified_by} disqualified it on {moment_text(bot.disqualified_at)}: {bot.disqualified_why}; its "
            f"matches do not count until `ladder bot reinstate {bot.name}`"
        )
    elif bot.retired_at is not None:
        yield f"it is retired since {moment_text(bot.retired_at)}; `ladder bot activate` with a version brings it back"
    yield versions_table(detail)
    if detail.frozen is not None:
        yield frozen_text(detail.frozen)
    latest = max(detail.versions, key=lambda version: version.number, default=None)
    yield from remarks(detail.versions, latest, bot.league)
    yield from map(outlook_text, detail.outlooks)
    for order in detail.open_orders:
        yield open_order_text(order, detail.name_of(order.version_id))
    if latest and latest.warnings:
        yield quoted(f"{latest.name}: its compiler said\n{latest.warnings}")
    if detail.seats is not None:
        yield seats_text(detail.seats)
    yield from map(result_text, detail.gauntlets)
    yield from (host_faults_text(fault) for fault in detail.host_faults if fault.own or fault.opponents)
    yield from map(referee_faults_text, detail.referee_faults)
    if detail.latest_matches:
        yield "latest matches"
        yield matches_table(detail.latest_matches, of_one=True)
        yield "look at one with `ladder match view MATCH`"


def remarks(versions: Sequence[Version], latest: Version | None, league: str) -> Iterator[RenderableType]:
    imported = [version for version in versions if version.imported_from]
    for lines in (
        [f"v{version.number}: {version.note}" for version in versions if version.note],
        [f"v{version.number} plays with {params_text(version.params)}" for version in versions if version.params],
        [f"v{version.number} was {version.imported_as} in {version.imported_from}" for version in imported],
    ):
        if lines:
            yield Text("\n".join(lines))
    for version in versions:
        if version.state == "rejected":
            yield quoted(f"{version.name} was rejected: {version.message}")
            if version is latest:
                yield league_text(version, league)


def seats_text(seats: views.bots.VersionSeats) -> str:
    by_seat = "; ".join(map("as player {0.seat} {0.won} won, {0.drawn} drawn, {0.lost} lost".format, seats.by_seat))
    places = f"{seats.version} came {places_text(seats.places)}" if seats.places else ""
    return "\n".join(filter(None, [f"{seats.version} {by_seat}", seats.sentence, places]))


def league_text(version: Version, league: str) -> str:
    """Say where a rejected version would have begun, by whose rules it was tried, and how bots begin higher up."""
    return (
        f"it would have begun in {league}: `ladder game show {version.game} --bot {version.bot}` prints the rules of "
        "that league. A bot that is made for a higher one begins there by `ladder submit --league NAME`, which on a "
        "served ladder is for operators"
    )


def open_order_text(order: OpenOrder, version: str) -> str:
    chance = f"{100 * order.chance:.0f} %"
    odds = f"{version} ranks below {order.boss}, but has a {chance} chance of being the stronger one"
    if order.plays_on:
        return (
            f"{odds}: it plays on against that boss until it ranks above it, or has a 95 % chance of being the weaker "
            f"one, up to {order.most_battles} battles (it has {order.battles})"
        )
    return (
        f"{odds}: it has had all its battles, {order.battles}; more of them would settle that (`battles` in the file "
        "of `ladder league apply`)"
    )


MOST_NOTE_CHARS = 40
"""A longer note is cut in lists of bots."""
STATE_STYLES = {"on the board": "green", "was sent back": "red", "rejected": "red"}
BOTS: Columns[views.bots.ListedBot] = (
    Column("bot", lambda row: row.bot.name, WORDS),
    Column("game", lambda row: row.bot.game, WORDS),
    Column("player", lambda row: row.bot.player, NAME, leaves=4),
    Column("league", lambda row: row.bot.league, NAME),
    Column("guards", lambda row: "its league" if row.bot.boss_of else None, WORDS, leaves=3),
    Column("version", lambda row: None if row.plays is None else f"v{row.plays}", WORDS, leaves=2),
)
ONLY_IF_ANY: Columns[views.bots.ListedBot] = (
    Column(
        "state",
        lambda row: "disqualified" if row.bot.is_disqualified else "retired" if row.bot.is_retired else "",
        WORDS,
    ),
    Column(
        "note",
        lambda row: row.note if len(row.note) <= MOST_NOTE_CHARS else f"{row.note[:MOST_NOTE_CHARS]}...",
        WORDS,
        leaves=1,
    ),
)


def bots_table(listed: Sequence[views.bots.ListedBot]) -> FittingTable[views.bots.ListedBot]:
    return FittingTable([*BOTS, *(column for column in ONLY_IF_ANY if any(map(column.cell, listed)))], listed)


def versions_table(detail: views.bots.BotInDetail) -> FittingTable[VersionStay]:
    """Draw a bot's versions with a line for every league each has played in."""
    holding = (result for result in detail.gauntlets if result.holds_back)
    gates = {result.version: gate_text(result.gauntlet, result.state, result.verdict) for result in holding}
    rows: list[VersionStay] = []
    for version in detail.versions:
        rows += [(version, stay) for stay in detail.standings if stay.version_id == version.id] or [(version, None)]

    def state(row: VersionStay) -> Text:
        version, stay = row
        return state_text(gates.get(version.name, version.state) if stay is None else stay_text(stay, version))

    def of_stay(cell: Callable[[LeagueStay], object]) -> Callable[[VersionStay], object]:
        return lambda row: None if row[1] is None else cell(row[1])

    columns: Columns[VersionStay] = [
        Column("version", lambda row: f"v{row[0].number}", NAME),
        Column("language", lambda row: row[0].language, NAME, leaves=1),
        Column("state", state, NAME),
        Column("league", of_stay(lambda stay: stay.league), NAME),
        Column("score", of_stay(lambda stay: f"{stay.score:z.2f}"), leaves=3),
        Column("mu", of_stay(lambda stay: f"{stay.mu:z.2f}")),
        Column("sigma", of_stay(lambda stay: f"{stay.sigma:.2f}")),
        Column("battles", of_stay(lambda stay: stay.battles)),
        Column("w/d/l", of_stay(lambda stay: stay.record.won_drawn_lost)),
        *(
            Column(head, of_stay(attrgetter(f"record.{name}")), leaves=2 if head == "faults" else None)
            for head, name in FAULT_HEADS.items()
        ),
    ]
    return FittingTable(columns, rows)


def state_text(words: str) -> Text:
    """Show how a version stands in its colour: on the board or up green, rejected or down red."""
    return Text(words, style=next((style for begin, style in STATE_STYLES.items() if words.startswith(begin)), ""))


def stay_text(stay: LeagueStay, version: Version) -> str:
    if not stay.on_board:
        return "was sent back" if stay.demoted_at else version.state
    if stay.is_rival:
        return "on the board, as a rival"
    if stay.eligible_at:
        return "on the board, eligible, waiting"
    return "on the board, again" if stay.counted_from and not version.imported_from else "on the board"


def result_text(result: views.gauntlets.Result) -> str:
    text = f"{result.version}, gauntlet {result.gauntlet}, {result.conclusion}"
    if not result.holds_back:
        return text
    if result.state == "running":
        return f"{text}; it comes onto the board when it has passed"
    if result.verdict == "passed":
        return f"{text}; it comes onto the board at once"
    return f"{text}; it is not on the board; to override: `ladder bot activate {result.version}`"


def print_held(context: Context, gauntlet: Gauntlet) -> int:
    """Say why a version stays off the board and who plays in its place. Returns the exit status of the verdict."""
    held_back = context.watch(views.gauntlets.held_back, gauntlet)
    context.show(result_text(held_back.result))
    if held_back.plays_on is not None:
        context.show(f"{held_back.plays_on} plays on")
    return OF_VERDICTS[gauntlet.verdict or "undecided"]
