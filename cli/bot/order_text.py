"""Sentences about a version on a board: what is missing until it goes up, and what becomes of an open order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.text import counted, duration, ordinal
from ladder.choices import Promotion
from ladder.leagues.settings import SURE_BATTLES

if TYPE_CHECKING:
    from ladder.promotions.outlook import Outlook
    from ladder.promotions.rules import OpenOrder


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
