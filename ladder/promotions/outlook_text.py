"""What a version on a board may expect, in words, as commands and pages say it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.text import counted, duration, ordinal
from ladder.choices import Promotion
from ladder.leagues.settings import SURE_BATTLES

if TYPE_CHECKING:
    from ladder.promotions.outlook import Outlook


def outlook_text(found: Outlook) -> str:
    interval = f" (95 %: {found.settled_rank.words})" if found.settled_rank else ""
    return f"{found.version} is {ordinal(found.rank)} of {found.of}{interval} in {found.league}; {missing_text(found)}"


def missing_text(found: Outlook) -> str:
    if found.goes_up_now:
        return f"it goes up to {found.goes_up_to} now"
    if found.has_earned_it and found.goes_up_to is not None and not found.room_above:
        return f"it has earned its promotion and goes up when another bot of its player leaves {found.goes_up_to}"
    if found.has_earned_it and found.goes_up_to is not None:
        return f"it has earned its promotion and goes up when {found.goes_up_to} opens"
    to_go = counted(found.lacking_battles, "battle")
    if found.waits and (found.goes_up_to is None or found.chance_above_boss is None):
        return f"its last {to_go} are spared while its rank is known as well as its league asks"
    if found.waits:
        known = f"its chance of being above {found.boss} is {found.chance_above_boss:.1%}"
        return f"{known}, so its last {to_go} are spared until others' battles raise it"
    if found.is_spared:
        return f"its last {to_go} are spared while no result of them can change its rank"
    if found.lacking_matches:
        return lacking_text(found)
    plays_on = ", plays on while machines are idle" if found.plays_on else ""
    return f"its battles are over{over_text(found)}{plays_on}"


def lacking_text(found: Outlook) -> str:
    to_go = f"{found.lacking_battles} to go{time_text(found)}"
    if found.goes_up_to is None or found.boss is None:
        return f"of its {counted(found.battles, 'battle')} {to_go}"
    battles = f"{counted(found.battles, 'battle')} ({to_go})"
    if found.wins_needed:
        wins = counted(found.wins_needed, "win")
        return f"goes up with {wins} against {found.boss} (it has {found.boss_wins}) and {battles}"
    if found.promotion == Promotion.RANK_ABOVE_BOSS:
        return f"goes up when above {found.boss} with {battles}{sure_text(found)}"
    if found.promotion == Promotion.SETTLED_ABOVE_BOSS:
        return f"goes up when the settled fit has it above {found.boss} with {battles}{sure_text(found)}"
    return f"can go up with {battles}: {Promotion.meaning_of(found.promotion)}"


def sure_text(found: Outlook) -> str:
    if found.sure is None or found.battles <= SURE_BATTLES:
        return ""
    now = "" if found.chance_above_boss is None else f" (now {found.chance_above_boss:.1%})"
    return f", or from {SURE_BATTLES} on when that is {found.sure:.1%} sure{now}"


def time_text(found: Outlook) -> str:
    return "" if found.lacking_s is None else f", about {duration(max(found.lacking_s, 1))}"


def over_text(found: Outlook) -> str:
    if found.goes_up_to is None:
        return ""
    if found.boss_is_coming:
        return f"; it can go up when the boss of {found.league} is built and has played"
    if found.boss is None:
        return f"; no bot guards {found.league}, so no version goes up from there"
    if found.wins_needed:
        return f"; it has {found.boss_wins} of {counted(found.wins_needed, 'win')} against {found.boss}"
    if found.promotion not in {Promotion.RANK_ABOVE_BOSS, Promotion.SETTLED_ABOVE_BOSS}:
        return f"; {Promotion.meaning_of(found.promotion)}"
    if found.boss_lacking_matches:
        to_go = counted(found.boss_lacking_battles, "battle")
        return f"; it can go up when {found.boss} has had its own ({to_go} to go)"
    if found.promotion == Promotion.SETTLED_ABOVE_BOSS and found.chance_above_boss is not None:
        return f"; its chance of being above {found.boss} is {found.chance_above_boss:.1%}"
    return f"; {found.points_below_boss:.1f} points below {found.boss}" if found.points_below_boss else ""
