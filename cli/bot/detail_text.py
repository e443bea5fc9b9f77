"""One bot in detail, as people read it: its versions, its way to the next league, and why one was rejected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cli.bot.order_text import open_order_text, outlook_text
from cli.bot.rejected_text import league_text
from cli.bot.tables import imported_lines, notes_text, params_lines, versions_table
from cli.gauntlet.results import result_text
from cli.match.detail_text import host_faults_text, referee_faults_text
from cli.match.tables import matches_table
from cli.terminal.words import frozen_text, moment_text, quoted
from ladder.ratings.counts import places_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ladder.bots.versions import Version
    from ladder.views.bots import BotInDetail, VersionSeats


def detail_parts(found: BotInDetail) -> Iterator[RenderableType]:
    """Give all that people are shown of a bot, one part below the other."""
    bot = found.bot
    guards = f", the boss of {bot.league}" if bot.boss_of else f", in {bot.league}"
    yield f"{bot.name} plays {bot.game} for {bot.player}{guards}"
    if found.former_names:
        yield f"it was called {', '.join(found.former_names)} before, which still leads to it"
    if bot.disqualified_at is not None:
        yield quoted(
            f"{bot.disqualified_by} disqualified it on {moment_text(bot.disqualified_at)}: {bot.disqualified_why}; its "
            f"matches do not count until `ladder bot reinstate {bot.name}`"
        )
    elif bot.retired_at is not None:
        yield f"it is retired since {moment_text(bot.retired_at)}; `ladder bot activate` with a version brings it back"
    yield versions_table(found.versions, found.standings, found.gauntlets)
    if found.frozen is not None:
        yield frozen_text(found.frozen)
    yield from filter(None, [text(found.versions) for text in (notes_text, params_lines, imported_lines)])
    latest = max(found.versions, key=lambda version: version.number, default=None)
    yield from rejected_parts(found, latest)
    yield from map(outlook_text, found.outlooks)
    for order in found.open_orders:
        yield open_order_text(order, found.name_of(order.version_id))
    if latest and latest.warnings:
        yield quoted(f"{latest.name}: its compiler said\n{latest.warnings}")
    if found.seats is not None:
        yield seats_text(found.seats)
    yield from map(result_text, found.gauntlets)
    yield from (host_faults_text(fault) for fault in found.host_faults if fault.own or fault.opponents)
    yield from map(referee_faults_text, found.referee_faults)
    if found.latest_matches:
        yield "latest matches"
        yield matches_table(found.latest_matches, of_one=True)
        yield "look at one with `ladder match view MATCH`"


def rejected_parts(found: BotInDetail, latest: Version | None) -> Iterator[RenderableType]:
    """Say why versions were rejected, and of the latest in which league it would have begun."""
    for version in found.versions:
        if version.state == "rejected":
            yield quoted(f"{version.name} was rejected: {version.message}")
            if version is latest:
                yield league_text(version, found.bot.league)


def seats_text(seats: VersionSeats) -> str:
    """Say how a version did in each seat, and whether that is more than chance."""
    each = "; ".join(
        f"as player {record.seat} {record.won} won, {record.drawn} drawn, {record.lost} lost"
        for record in seats.by_seat
    )
    places = f"{seats.version} came {places_text(seats.places)}" if seats.places else ""
    return "\n".join(filter(None, [f"{seats.version} {each}", seats.sentence, places]))
