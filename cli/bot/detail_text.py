"""One bot in detail, as people read it: its versions, its way to the next league, and why one was rejected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cli.bot.tables import imported_lines, notes_text, params_lines, versions_table
from cli.gauntlet.printing import result_text
from cli.match.detail_text import host_faults_text, referee_faults_text
from cli.match.tables import matches_table
from cli.terminal.words import frozen_text, moment_text, quoted
from engine.text import counted, duration, ordinal
from ladder.choices import Promotion
from ladder.leagues.settings import SURE_BATTLES
from ladder.ratings.counts import places_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ladder.bots.versions import Version
    from ladder.promotions.outlook import Outlook
    from ladder.promotions.rules import OpenOrder
    from ladder.views.bots import BotInDetail, VersionSeats


def outlook_text(found: Outlook) -> str:
    """Say where a version stands and what is missing until it goes up."""
    return f"{found.version} is {ordinal(found.rank)} of {found.of} in {found.league}; {missing_text(found)}"


def missing_text(found: Outlook) -> str:
    """Say what is missing until a version goes up."""
    if found.goes_up_now:
        return f"it goes up to {found.goes_up_to} now"
    if found.has_earned_it and found.goes_up_to is not None and not found.room_above:
        return f"it has earned its promotion and goes up when another bot of its player leaves {found.goes_up_to}"
    if found.has_earned_it and found.goes_up_to is not None:
        return f"it has earned its promotion and goes up when {found.goes_up_to} opens"
    if found.is_spared:
        to_go = counted(found.lacking_battles, "battle")
        return f"its last {to_go} are spared while no result of them can change its rank"
    if found.lacking_matches:
        return lacking_text(found)
    plays_on = ", plays on while machines are idle" if found.plays_on else ""
    return f"its battles are over{over_text(found)}{plays_on}"


def lacking_text(found: Outlook) -> str:
    """Say what a version that lacks battles needs to go up: "goes up when above ... with 10 battles (3 to go)"."""
    to_go = f"{found.lacking_battles} to go{time_text(found)}"
    if found.goes_up_to is None or found.boss is None:
        return f"of its {counted(found.battles, 'battle')} {to_go}"
    battles = f"{counted(found.battles, 'battle')} ({to_go})"
    if found.wins_needed:
        wins = counted(found.wins_needed, "win")
        return f"goes up with {wins} against {found.boss} (it has {found.boss_wins}) and {battles}"
    if found.promotion == Promotion.RANK_ABOVE_BOSS:
        return f"goes up when above {found.boss} with {battles}{sure_text(found)}"
    return f"can go up with {battles}: {Promotion.meaning_of(found.promotion)}"


def sure_text(found: Outlook) -> str:
    """Say from when on a version can go up before all its battles; "" where it cannot."""
    if found.sure is None or found.chance_above_boss is None or found.battles <= SURE_BATTLES:
        return ""
    return f", or from {SURE_BATTLES} on when that is {found.sure:.1%} sure (now {found.chance_above_boss:.1%})"


def time_text(found: Outlook) -> str:
    """Say how long a version's own battles last at its present pace; "" where it plays none."""
    return "" if found.lacking_s is None else f", about {duration(max(found.lacking_s, 1))}"


def over_text(found: Outlook) -> str:
    """Say of a version that has had its battles how far it is from going up."""
    if found.goes_up_to is None:
        return ""
    if found.boss_is_coming:
        return f"; it can go up when the boss of {found.league} is built and has played"
    if found.boss is None:
        return f"; no bot guards {found.league}, so no version goes up from there"
    if found.wins_needed:
        return f"; it has {found.boss_wins} of {counted(found.wins_needed, 'win')} against {found.boss}"
    if found.promotion != Promotion.RANK_ABOVE_BOSS:
        return f"; {Promotion.meaning_of(found.promotion)}"
    if found.boss_lacking_matches:
        to_go = counted(found.boss_lacking_battles, "battle")
        return f"; it can go up when {found.boss} has had its own ({to_go} to go)"
    return f"; {found.points_below_boss:.1f} points below {found.boss}" if found.points_below_boss else ""


def open_order_text(order: OpenOrder, version: str) -> str:
    """Say that a version may be stronger than the boss that it ranks below, and what becomes of that."""
    chance = f"{100 * order.chance:.0f} %"
    known = f"{version} ranks below {order.boss}, but has a {chance} chance of being the stronger one"
    if order.plays_on:
        return (
            f"{known}: it plays on against that boss until it ranks above it, or has a 95 % chance of being the weaker "
            f"one, up to {order.most_battles} battles (it has {order.battles})"
        )
    return (
        f"{known}: it has had all its battles, {order.battles}; more of them would settle that (`battles` in the file "
        "of `ladder league apply`)"
    )


def league_text(version: Version, league: str) -> str:
    """Say in which league a rejected version would have begun, by whose rules it was tried, and what prints them.

    And how a bot begins in a higher one.
    """
    return (
        f"it would have begun in {league}: `ladder game show {version.game} --bot {version.bot}` prints the rules of "
        "that league. A bot that is made for a higher one begins there by `ladder submit --league NAME`, which on a "
        "served ladder is for operators"
    )


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
