"""What a version on a board may expect: whether it goes up and what is missing, from the board alone; and in words."""

from collections.abc import Sequence
from math import ceil
from typing import ClassVar

from engine.immutable import immutable
from engine.text import counted, duration, ordinal
from ladder.choices import MoveKind, Promotion
from ladder.ids import VersionId
from ladder.leagues.settings import SURE_BATTLES
from ladder.promotions import rules
from ladder.promotions.rules import BY_STRENGTH, LeaguePlace
from ladder.ratings.standings import Ranks, SettledRank, Standing


@immutable
class Outlook:
    """Where a version stands in its league, and what is missing until it goes up.

    `goes_up_to`: the title of the league above; None where there is none, or the version cannot go up, being the
    boss or one beside its bot's newer version. `has_earned_it`: it goes up as soon as that league is open and has
    `room_above` for it; `is_open_above`: it is open; `goes_up_now`: it goes up now.
    `boss_is_coming`: there is no boss yet, but it is being built. `lacking_matches`: of its
    own, and of `boss_lacking_matches` the boss's; `battles`: all of its own, each of `battle_matches`, on average.
    `lacking_s`: how long its own last at its present pace, None where it has none. `points_below_boss`: by the
    score; negative above it. `wins_needed`: against the boss; 0 where the rank decides. `sure`: the chance of being
    stronger than the boss at which it goes up before all its battles; `chance_above_boss`: that chance now.
    `plays_on`: whether it goes on playing while machines are idle, though it has had its battles, because its order
    with the boss or a neighbour is open. `promotion`: its league's rule. `is_spared`: the battles that it lacks are
    not made, as no result of them can change anything; `waits`: they are not, as its rank is known well
    enough and it cannot go up. `settled_rank`: see Standing.
    """

    HIDDEN: ClassVar = ("lacking_s", "battle_matches")
    """The first is another one at every look."""

    version_id: VersionId
    version: str
    league: str
    rank: int
    of: int
    is_boss: bool
    goes_up_to: str | None
    goes_up_now: bool
    has_earned_it: bool
    battles: int
    lacking_matches: int
    lacking_s: float | None
    boss: str | None
    boss_is_coming: bool
    boss_lacking_matches: int
    points_below_boss: float | None
    wins_needed: int
    boss_wins: int
    sure: float | None
    chance_above_boss: float | None
    plays_on: bool
    promotion: str
    is_spared: bool = False
    waits: bool = False
    battle_matches: int = 2
    room_above: bool = True
    is_open_above: bool = True
    settled_rank: SettledRank | None = None

    @property
    def lacking_battles(self) -> int:
        """Return how many battles it lacks; one that is begun counts as one."""
        return ceil(self.lacking_matches / self.battle_matches)


def outlook_of(
    place: LeaguePlace,
    board: Sequence[Standing],
    version_id: VersionId,
    matches_per_s: float | None = None,
    *,
    boss_is_coming: bool = False,
    is_spared: bool = False,
    ranks: Ranks | None = None,
) -> Outlook:
    """Return what a version may expect. `matches_per_s`: its pace; `ranks`: of all, where `board` is a part."""
    row = next(row for row in board if row.version_id == version_id)
    if ranks is None:
        ranks = Ranks({row.version_id: rank for rank, row in enumerate(board, 1)}, len(board))
    boss = next((row for row in board if row.is_boss), None)
    league = place.league
    lacking = rules.lacking_matches(league, row)
    return Outlook(
        version_id,
        row.name,
        league.title,
        ranks.by_version[version_id],
        ranks.of,
        is_boss=row.is_boss,
        goes_up_to=place.above.title if place.above is not None and rules.moves_at_all(row) else None,
        goes_up_now=any(
            move.version_id == version_id and move.kind == MoveKind.PROMOTION for move in rules.moves(place, board)
        ),
        has_earned_it=row.eligible_at is not None,
        battles=league.battles,
        lacking_matches=lacking,
        lacking_s=lacking / matches_per_s if matches_per_s and lacking else None,
        boss=None if boss is None else boss.bot,
        boss_is_coming=boss_is_coming,
        boss_lacking_matches=0 if boss is None else rules.lacking_matches(league, boss),
        points_below_boss=None if boss is None else boss.score - row.score,
        wins_needed=league.boss_wins if league.promotion == Promotion.BOSS_WINS else 0,
        boss_wins=row.boss_wins,
        sure=league.sure if boss is not None and league.promotion in BY_STRENGTH else None,
        chance_above_boss=None if boss is None or row.is_boss else rules.chance_above(league, row, boss),
        plays_on=any(order.version_id == version_id and order.plays_on for order in rules.open_orders(place, board))
        or any(version_id in two.version_ids for two in rules.open_neighbours(place, board)),
        promotion=league.promotion,
        is_spared=is_spared,
        waits=lacking > 0 and rules.waits(place, row, boss),
        battle_matches=league.battle_matches,
        room_above=place.above is None or place.above.has_room(row.player),
        is_open_above=place.above is None or place.above.is_open,
        settled_rank=row.settled_rank,
    )


def outlook_text(outlook: Outlook) -> str:
    interval = f" (95 %: {outlook.settled_rank.words})" if outlook.settled_rank else ""
    place = f"{ordinal(outlook.rank)} of {outlook.of}{interval} in {outlook.league}"
    return f"{outlook.version} is {place}; {missing_text(outlook)}"


def missing_text(outlook: Outlook) -> str:
    if outlook.goes_up_now:
        return f"it goes up to {outlook.goes_up_to} now"
    if outlook.has_earned_it and outlook.goes_up_to is not None and not outlook.room_above:
        return f"it has earned its promotion and goes up when another bot of its player leaves {outlook.goes_up_to}"
    if outlook.has_earned_it and outlook.goes_up_to is not None:
        return f"it has earned its promotion and goes up when {outlook.goes_up_to} opens"
    is_shut = outlook.goes_up_to is not None and not outlook.is_open_above
    return f"{lacking_or_over_text(outlook)}{f'; {outlook.goes_up_to} is not open yet' if is_shut else ''}"


def lacking_or_over_text(outlook: Outlook) -> str:
    to_go = counted(outlook.lacking_battles, "battle")
    if outlook.waits and (outlook.goes_up_to is None or outlook.chance_above_boss is None):
        return f"its last {to_go} are spared while its rank is known as well as its league asks"
    if outlook.waits:
        chance = f"its chance of being above {outlook.boss} is {outlook.chance_above_boss:.1%}"
        return f"{chance}, so its last {to_go} are spared until others' battles raise it"
    if outlook.is_spared:
        return f"its last {to_go} are spared while no result of them can change its rank"
    if outlook.lacking_matches:
        return lacking_text(outlook)
    plays_on = ", plays on while machines are idle" if outlook.plays_on else ""
    return f"its battles are over{over_text(outlook)}{plays_on}"


def lacking_text(outlook: Outlook) -> str:
    pace = "" if outlook.lacking_s is None else f", about {duration(max(outlook.lacking_s, 1))}"
    to_go = f"{outlook.lacking_battles} to go{pace}"
    if outlook.goes_up_to is None or outlook.boss is None:
        return f"of its {counted(outlook.battles, 'battle')} {to_go}"
    battles = f"{counted(outlook.battles, 'battle')} ({to_go})"
    if outlook.wins_needed:
        wins = counted(outlook.wins_needed, "win")
        return f"goes up with {wins} against {outlook.boss} (it has {outlook.boss_wins}) and {battles}"
    if outlook.promotion == Promotion.RANK_ABOVE_BOSS:
        return f"goes up when above {outlook.boss} with {battles}{sure_text(outlook)}"
    if outlook.promotion == Promotion.SETTLED_ABOVE_BOSS:
        return f"goes up when the settled fit has it above {outlook.boss} with {battles}{sure_text(outlook)}"
    return f"can go up with {battles}: {Promotion.meaning_of(outlook.promotion)}"


def sure_text(outlook: Outlook) -> str:
    if outlook.sure is None or outlook.battles <= SURE_BATTLES:
        return ""
    now = "" if outlook.chance_above_boss is None else f" (now {outlook.chance_above_boss:.1%})"
    return f", or from {SURE_BATTLES} on when that is {outlook.sure:.1%} sure{now}"


def over_text(outlook: Outlook) -> str:
    if outlook.goes_up_to is None:
        return ""
    if outlook.boss_is_coming:
        return f"; it can go up when the boss of {outlook.league} is built and has played"
    if outlook.boss is None:
        return f"; no bot guards {outlook.league}, so no version goes up from there"
    if outlook.wins_needed:
        return f"; it has {outlook.boss_wins} of {counted(outlook.wins_needed, 'win')} against {outlook.boss}"
    if outlook.promotion not in {Promotion.RANK_ABOVE_BOSS, Promotion.SETTLED_ABOVE_BOSS}:
        return f"; {Promotion.meaning_of(outlook.promotion)}"
    if outlook.boss_lacking_matches:
        to_go = counted(ceil(outlook.boss_lacking_matches / outlook.battle_matches), "battle")
        return f"; it can go up when {outlook.boss} has had its own ({to_go} to go)"
    if outlook.promotion == Promotion.SETTLED_ABOVE_BOSS and outlook.chance_above_boss is not None:
        return f"; its chance of being above {outlook.boss} is {outlook.chance_above_boss:.1%}"
    return f"; {outlook.points_below_boss:.1f} points below {outlook.boss}" if outlook.points_below_boss else ""
