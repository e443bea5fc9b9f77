"""Who goes up a league and who goes back: decided from a league's board alone.

How this works. A version earns its promotion once, by its league's rule and after its battles there, or before them
when both ratings leave hardly a doubt that it is stronger than the boss (the setting `sure`); that is written down with
its standing and stays, whatever happens to its rank; a newer version of its bot has it from the one before (see
ladder.promotions.lifecycle). It waits below while its player has as many bots above as may be there. Where the rule is
to rank above the boss, a version that does not, and of which the ratings do not say with 95 % that it is the weaker
one, has an open order with the boss: it plays on for a while (`ladder.matchmaking.matchmaker`), and `ladder bot show`
says so; two neighbours on a board of which either may be the stronger one do the same. Where the rule is to be above
the boss by the settled fit, the chance is what the last fit said, and it stops battles both ways: one that is surely
the weaker one gets no more while its rank is known well enough. Where a league says within how many places a rank is
to be known (`rank_width`), others that cannot change their league get no more either. It goes up when the league above
is open. Going back happens only in leagues that ask for it, to versions that have had their battles and taken hardly a
point, and once for a version and league: one that rises again stays. So what any version does by itself comes to an
end. Bosses never move, nor do rivals, which stay beside a newer version of their bot.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import ClassVar

from engine.immutable import immutable
from ladder.choices import MoveKind, Promotion
from ladder.ids import VersionId
from ladder.leagues.leagues import League
from ladder.leagues.settings import SURE_BATTLES, most_battles_to_settle
from ladder.ratings.models import chance_of_being_stronger
from ladder.ratings.standings import SettledChance, Standing

LEAST_SHARE = 0.1
"""A version with a smaller share of the points, a draw being half a point, does not hold its own in a league."""

LOOK_BATTLES = 5
"""The settled fit is made again when a version has had so many battles since, which keeps its cost a small share."""
MATCHES_PER_NEW = 2000
"""A fit of so many of a league's matches has to wait for one new match of those whose promotion is open."""
KNOWN_SPAN = 0.35
"""A rank is known well enough where no more than this share of the others are within the version's 95 % interval."""
SETTLED = 0.95
"""The order of a version and its boss is settled where one of them is the stronger with this probability."""


@immutable
class LeaguePlace:
    """A league between its neighbours in the same game, None where it has none."""

    league: League
    below: League | None
    above: League | None


@immutable
class Move:
    """A version goes from one league to another."""

    version_id: VersionId
    kind: MoveKind
    origin: League
    target: League


def places(in_order: Sequence[League]) -> list[LeaguePlace]:
    def neighbour(index: int, game: str) -> League | None:
        inside = 0 <= index < len(in_order)
        return in_order[index] if inside and in_order[index].game == game else None

    return [
        LeaguePlace(league, neighbour(index - 1, league.game), neighbour(index + 1, league.game))
        for index, league in enumerate(in_order)
    ]


def moves(place: LeaguePlace, board: Sequence[Standing]) -> list[Move]:
    up = [
        Move(standing.version_id, MoveKind.PROMOTION, place.league, place.above)
        for standing in with_room_above(place, eligible(place, board))
        if place.above is not None and place.above.is_open
    ]
    back = [
        Move(standing.version_id, MoveKind.DEMOTION, place.league, place.below)
        for standing in overtaxed(place, board)
        if place.below is not None and place.below.is_open
    ]
    return up + back


def with_room_above(place: LeaguePlace, standings: Sequence[Standing]) -> list[Standing]:
    """Return those of some versions that find room in the league above, if they go up in this order."""
    going_by_player: Counter[str] = Counter()
    going: list[Standing] = []
    for standing in standings:
        player = standing.player
        if place.above is not None and place.above.has_room(player, with_more=going_by_player[player]):
            going_by_player[player] += 1
            going.append(standing)
    return going


def newly_eligible(place: LeaguePlace, board: Sequence[Standing]) -> list[Standing]:
    return [standing for standing in eligible(place, board) if standing.eligible_at is None]


def eligible(place: LeaguePlace, board: Sequence[Standing]) -> list[Standing]:
    """Return who has earned a promotion, now or before. In a game's highest league none can."""
    if place.above is None:
        return []
    boss = next((standing for standing in board if standing.is_boss), None)
    return [
        standing
        for standing in board
        if moves_at_all(standing)
        and (standing.eligible_at is not None or earns_promotion(place.league, standing, boss))
    ]


def earns_promotion(league: League, standing: Standing, boss: Standing | None) -> bool:
    """Say whether a version has had its battles and meets its league's rule, or is sure to be above the boss."""
    if has_had_its_battles(league, standing):
        return EARNED[league.promotion](league, standing, boss)
    return is_surely_above(league, standing, boss)


def is_surely_above(league: League, standing: Standing, boss: Standing | None) -> bool:
    """Say whether a version is, after SURE_BATTLES battles, stronger than its boss with the chance its league asks for.

    Only where the strength decides, and only before it has had its battles: from then on its rank is what counts.
    """
    if boss is None or league.promotion not in BY_STRENGTH:
        return False
    return is_sure(league.sure, standing.counted // league.battle_matches, chance_above(league, standing, boss))


def is_sure(sure: float | None, battles: int, chance: float | None) -> bool:
    """Say whether a chance of being stronger than the boss is enough after that many battles. `sure`: None is never."""
    return sure is not None and battles >= SURE_BATTLES and chance is not None and chance >= sure


BY_STRENGTH = frozenset({Promotion.RANK_ABOVE_BOSS, Promotion.SETTLED_ABOVE_BOSS})
"""The rules by which a version goes up that is stronger than the boss."""


def chance_above(league: League, standing: Standing, boss: Standing) -> float | None:
    """Return how likely a version beats its boss in strength, by the fit or else ratings; None before a fit."""
    if league.promotion != Promotion.SETTLED_ABOVE_BOSS:
        return chance_of_being_stronger(standing, boss)
    settled = settled_against(standing, boss)
    return None if settled is None else settled.chance


def settled_against(standing: Standing, boss: Standing) -> SettledChance | None:
    """Return what the last fit said of a version, unless the boss is another by now or its battles began again."""
    fit = standing.settled
    return fit if fit is not None and fit.boss_id == boss.version_id and fit.counted <= standing.counted else None


def due(place: LeaguePlace, board: Sequence[Standing]) -> list[Standing]:
    """Return the versions of which the settled fit is to be read now: of all whose promotion is open, or of none.

    It is read when one of them has had its first SURE_BATTLES battles, LOOK_BATTLES more since the last fit, or all;
    but for the last, in a large league not before they have played a share of its matches, see MATCHES_PER_NEW.
    """
    boss = next((standing for standing in board if standing.is_boss), None)
    if boss is None or place.above is None or place.league.promotion != Promotion.SETTLED_ABOVE_BOSS:
        return []
    first = min(SURE_BATTLES, place.league.battles) * place.league.battle_matches
    open_rows = [row for row in board if moves_at_all(row) and row.eligible_at is None and row.counted >= first]
    if not open_rows or not boss.record.matches:
        return []
    matches, step = place.league.battles * place.league.battle_matches, LOOK_BATTLES * place.league.battle_matches
    fits = [settled_against(row, boss) for row in open_rows]
    since = [row.counted - (fit.counted if fit else 0) for row, fit in zip(open_rows, fits, strict=True)]
    is_large = MATCHES_PER_NEW * sum(since) < max(fit.fitted if fit else 0 for fit in fits)
    is_due = any(
        needs_fit(fit.counted, row.counted, matches, inf if is_large else step) if fit else not is_large
        for row, fit in zip(open_rows, fits, strict=True)
    )
    return open_rows if is_due else []


def needs_fit(counted: int, now: int, matches: int, step: float) -> bool:
    """Say whether a fit that was made after `counted` matches is to be made again. `matches`: all of a version's."""
    return now >= counted + step or counted < matches <= now


def ranks_are_due(league: League, board: Sequence[Standing]) -> bool:
    """Say whether a board that ranks by the settled fit needs another: something has happened, see MATCHES_PER_NEW."""
    if not league.is_settled:
        return False
    since = sum(abs(row.record.matches - row.fitted) if row.fitted is not None else 1 for row in board)
    return since > 0 and MATCHES_PER_NEW * since >= sum(row.record.matches for row in board)


def waits(place: LeaguePlace, standing: Standing, boss: Standing | None) -> bool:
    """Say whether a version gets no more battles: its rank is known well enough, and it cannot change its league.

    It cannot go up where it is surely below the boss, has earned its promotion already, or where no league is above;
    the boss of a league below another is waited for. As others' opponent a version goes on playing, and if that raises
    its chance or makes its rank less certain, it gets the battles that it lacks.
    """
    if place.league.demotion and place.below is not None:
        return False
    if place.above is None or standing.is_rival or standing.eligible_at is not None:
        return is_placed(place.league, standing)
    return boss is not None and not standing.is_boss and is_known_below(place.league, standing, boss)


def is_placed(league: League, standing: Standing) -> bool:
    rank = standing.settled_rank
    has_begun = standing.counted >= SURE_BATTLES * league.battle_matches
    return league.rank_width is not None and rank is not None and has_begun and rank.width <= league.rank_width


def is_known_below(league: League, standing: Standing, boss: Standing) -> bool:
    settled = settled_against(standing, boss)
    if settled is None or league.promotion != Promotion.SETTLED_ABOVE_BOSS:
        return False
    return is_surely_below(league.sure, settled)


def is_surely_below(sure: float | None, settled: SettledChance) -> bool:
    """Say whether a version's battles end by the settled fit, as the league's `sure` is exceeded the other way."""
    return sure is not None and settled.chance <= 1 - sure and settled.rank_span <= KNOWN_SPAN


def ranks_above(league: League, standing: Standing, boss: Standing | None) -> bool:
    """Say whether a version ranks above its boss, which must have had its battles too."""
    return boss is not None and has_had_its_battles(league, boss) and standing.score > boss.score


def settles_above(league: League, standing: Standing, boss: Standing | None) -> bool:
    """Say whether the settled fit has a version above its boss, which must have had its battles too."""
    chance = None if boss is None else chance_above(league, standing, boss)
    return boss is not None and has_had_its_battles(league, boss) and chance is not None and chance > 0.5


EARNED: Mapping[str, Callable[[League, Standing, Standing | None], bool]] = {
    Promotion.RANK_ABOVE_BOSS: ranks_above,
    Promotion.SETTLED_ABOVE_BOSS: settles_above,
    Promotion.BOSS_WINS: lambda league, standing, _: standing.boss_wins >= league.boss_wins,
}
"""By a league's rule: whether a version that has had its battles has earned its promotion."""


@immutable
class OpenOrder:
    """A version ranks below its boss and may be the stronger one all the same: with the probability `chance`, 0 to 1.

    `battles`: those that it has had or waits for; `most_battles`: at that number it no longer plays on.
    """

    SHOWN: ClassVar = ("plays_on",)

    version_id: VersionId
    boss: str
    chance: float
    battles: int
    most_battles: int

    @property
    def plays_on(self) -> bool:
        """Say whether it goes on playing against the boss until it ranks above or the order is settled."""
        return self.battles < self.most_battles


def open_orders(place: LeaguePlace, board: Sequence[Standing]) -> list[OpenOrder]:
    """Return open orders after own battles where rank promotes: open until above, or weaker by SETTLED."""
    boss = next((standing for standing in board if standing.is_boss), None)
    league = place.league
    if boss is None or place.above is None or league.promotion not in BY_STRENGTH:
        return []
    if not has_had_its_battles(league, boss):
        return []
    return [
        OpenOrder(
            standing.version_id,
            boss.name,
            chance,
            (standing.counted + standing.waiting) // league.battle_matches,
            most_battles_to_settle(league.battles),
        )
        for standing in board
        if moves_at_all(standing)
        and league.may_meet(standing.player, boss.player)
        and standing.eligible_at is None
        and has_had_its_battles(league, standing)
        and not earns_promotion(league, standing, boss)
        and (chance := chance_above(league, standing, boss)) is not None
        and chance > 1 - SETTLED
    ]


@immutable
class OpenNeighbours:
    """Two neighbours, best first, that play on to settle their order. `chance`: it is wrong, above 1 - SETTLED."""

    version_ids: tuple[VersionId, VersionId]
    chance: float


def open_neighbours(place: LeaguePlace, board: Sequence[Standing]) -> list[OpenNeighbours]:
    """Return the neighbours that have had their battles and play on, those first whose order is the most open.

    At least one of the two may have more battles and is not the boss, which everybody plays. Those whose order with
    the boss is open are not listed with it again; and where wins against the boss promote, more battles than a
    version's own against it would make a promotion of patience. `board`: best first.
    """
    with_boss = {order.version_id for order in open_orders(place, board) if order.plays_on}
    pairs = [
        OpenNeighbours((upper.version_id, lower.version_id), chance_of_being_stronger(lower, upper))
        for upper, lower in pairwise(board)
        if place.league.may_meet(upper.player, lower.player)
        and has_had_its_battles(place.league, upper)
        and has_had_its_battles(place.league, lower)
        and (may_play_on(place.league, upper) or may_play_on(place.league, lower))
        and not (lower.version_id in with_boss and upper.is_boss)
        and not (place.league.promotion == Promotion.BOSS_WINS and (upper.is_boss or lower.is_boss))
    ]
    return sorted(
        (pair for pair in pairs if pair.chance > 1 - SETTLED), key=lambda pair: (-pair.chance, pair.version_ids)
    )


def may_play_on(league: League, standing: Standing) -> bool:
    """Say whether a version may have more battles than its own; for the boss none are made."""
    battles = (standing.counted + standing.waiting) // league.battle_matches
    return not standing.is_boss and battles < most_battles_to_settle(league.battles)


def overtaxed(place: LeaguePlace, board: Sequence[Standing]) -> list[Standing]:
    if not place.league.demotion or place.below is None:
        return []
    staying = {standing.version_id for standing in eligible(place, board)}
    return [
        standing
        for standing in board
        if moves_at_all(standing)
        and standing.version_id not in staying
        and standing.demoted_at is None
        and has_had_its_battles(place.league, standing)
        and standing.record.points < LEAST_SHARE * standing.record.met
    ]


def moves_at_all(standing: Standing) -> bool:
    """Say whether a version can change its league by itself."""
    return not standing.is_boss and not standing.is_rival


def has_had_its_battles(league: League, standing: Standing) -> bool:
    return lacking_matches(league, standing) == 0


def lacking_matches(league: League, standing: Standing) -> int:
    """Return how many matches a version has still to play before it can be promoted."""
    return max(league.battle_matches * league.battles - standing.counted, 0)
