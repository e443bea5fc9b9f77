"""The whole ladder on synthetic bots whose strength is known: how far is its ranking from the truth?

How this works. A bot is a number, its strength. A match is won by who performs better, and performances scatter about
the strength by a logistic distribution, so no rating system is quite right about it. Everything else is the real thing:
`ladder.matchmaking.matchmaker` makes the battles, `ladder.ratings.models` rates them, and with several leagues whoever
has had its battles and ranks above the boss, or is above it by the settled fit, goes up. Bots all begin at once with
fresh ratings; every so often the ranking is compared with the truth. At the end one bot is submitted again, unchanged,
several times over from the same state, and what rank it gets shows how much of a rank is luck. `settle` is not a rating
to make battles by: it is the fit of all matches at once (`ladder.statistics.davidson`), whatever their order, looked at
beside TrueSkill on the same matches.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Iterable, Sequence
from copy import copy
from itertools import chain
from math import log, pi, sqrt
from random import Random
from statistics import NormalDist, fmean

import numpy as np

from engine.immutable import immutable
from ladder.choices import Matchmaking, RatingSystem, ScoreFormula
from ladder.ids import LeagueId, VersionId
from ladder.leagues.settings import SURE_BATTLES, most_battles_to_settle
from ladder.matchmaking.matchmaker import AHEAD, BoardEntrant, Pairing, PairingBoard, Scheme, pairings
from ladder.promotions.lifecycle import FEW_BATTLES
from ladder.promotions.rules import LOOK_BATTLES, SETTLED, is_sure, is_surely_below, needs_fit
from ladder.ratings import models
from ladder.ratings.models import RatingSettings
from ladder.ratings.settled_fit import chances
from ladder.ratings.standings import SettledChance
from ladder.statistics.davidson import most_likely, pairs_of

MATCHMAKERS = ("random", *Matchmaking)
USES_IDLE = Matchmaking.INFORMED
"""The one matchmaker that makes battles when all have had theirs."""
ONLINE = tuple(RatingSystem)
SETTLE = "settle"
RATINGS = (*ONLINE, SETTLE)
MARKS = (0.1, 0.25, 0.5, 1.0)
"""The ranking is looked at when bots have had these shares of their battles."""
TRUE_PLACE = 0.2
"""The bot that is submitted again is really at this share of the ranking, seen from the top."""
AT_ONCE = 32
"""Battles that are arranged before the first of them is played, as on a ladder with a full queue."""


@immutable
class SimulationPlan:
    """What to simulate.

    `battles`: each bot's own; `draws`: the share of draws between equals; `spread`: the deviation of the bots'
    strengths, in units of beta (a bot that is one beta stronger wins three matches of four); `resubmissions`: of one
    bot, in each repeat; `idle`: this many more battles per bot that idle capacity is used for, with `informed`;
    `sure`: the league setting, None where every bot has all its battles first; `spare`: battles that change nothing
    are spared too, on boards of any size. `settled`: promotion goes by the settled fit, as `settled_above_boss` has it.
    """

    bots: int = 300
    battles: int = 100
    repeats: int = 20
    seed: int = 1
    draws: float = 0.02
    spread: float = 1.0
    leagues: int = 1
    idle: int = 0
    resubmissions: int = 5
    placement_battles: int = 10
    near_ranks: int = 20
    tau: float = 25 / 300
    score_formula: str = ScoreFormula.CAUTIOUS
    sure: float | None = None
    spare: bool = False
    settled: bool = False

    @property
    def true_rank(self) -> int:
        return round(TRUE_PLACE * self.bots) + 1

    def marks(self, matchmaker: str) -> list[int]:
        idle = {self.battles + self.idle} if matchmaker == USES_IDLE else set[int]()
        return sorted({max(round(share * self.battles), 1) for share in MARKS} | idle)


@immutable
class RankingError:
    """The ranking compared with the truth in one repeat, after this many battles per bot.

    `tau`: Kendall's; `rank_error`: the mean distance of a bot's rank from its true one; `right_league`: the share of
    bots in the league where they belong. `matches_to_league`: how many matches those had played that had come up to the
    league where they belong, None where none had; `wrong_promotions`: the share of promotions past a stronger boss;
    `matches`: all that were played.
    """

    matchmaker: str
    rating: str
    battles: int
    tau: float
    rank_error: float
    right_league: float
    matches_to_league: float | None
    wrong_promotions: float
    matches: int = 0


@immutable
class Return:
    """What rank the same bot submitted again had after this many battles."""

    matchmaker: str
    rating: str
    battles: int
    rank: int


@immutable
class Row:
    """All repeats of one matchmaker and rating, after this many battles per bot.

    `low`, `middle`, `high`: a twentieth, half and all but a twentieth of the ranks of the bot submitted again are no
    higher numbers; None if it was not.
    """

    matchmaker: str
    rating: str
    battles: int
    tau: float
    rank_error: float
    right_league: float
    low: float | None
    middle: float | None
    high: float | None
    matches_to_league: float | None
    wrong_promotions: float
    matches: float = 0.0


class Ladder:
    """One simulated ladder. Versions are numbered from 0: first the bots, then the bosses, then what is resubmitted."""

    def __init__(self, plan: SimulationPlan, matchmaker: str, rating: str, repeat: int) -> None:
        """Let everybody in. Ladders of the same plan and repeat have the same bots."""
        self.plan = plan
        self.settings = RatingSettings(
            system=rating, tau=plan.tau, draw_probability=plan.draws, score_formula=plan.score_formula
        )
        self.model = models.model_of(self.settings)
        self.scheme = Scheme(
            matchmaker,
            battles=plan.battles,
            placement_battles=plan.placement_battles,
            near_ranks=plan.near_ranks,
            beta=self.settings.beta,
            draw_probability=plan.draws,
        )
        self.chance = Random(f"{plan.seed} {repeat} {matchmaker} {rating}")  # noqa: S311 - nothing secret depends on it
        self.strengths = strengths(plan, repeat)
        self.bosses = list(range(plan.bots, len(self.strengths)))
        self.leagues = [0] * plan.bots + list(range(len(self.bosses)))
        self.ratings = [models.fresh(self.settings)] * len(self.strengths)
        self.battles = [0] * len(self.strengths)
        self.battles_in_league = [0] * len(self.strengths)
        self.entered = list(range(len(self.strengths)))
        self.by_league: list[list[tuple[int, int, int]]] = [[] for _ in range(plan.leagues)]
        """By league: its matches, as both bots and the first one's half points."""
        self.settled: dict[int, SettledChance] = {}
        """By bot: what the fit of its league's matches said when it was last made."""
        self.came_up: dict[int, int] = {}
        """By bot: the matches it had played when it came up into the league where it belongs."""
        self.promotions = self.wrong_promotions = 0
        self.noise = sqrt(6) / pi * self.settings.beta
        self.margin = models.draw_margin(self.settings)

    def copy(self, chance: Random) -> Ladder:
        """Return a ladder in the same state that goes on by another chance."""
        other = copy(self)
        other.chance = chance
        for name in ("strengths", "leagues", "ratings", "battles", "battles_in_league", "entered"):
            setattr(other, name, list(getattr(self, name)))
        other.came_up, other.settled = dict(self.came_up), dict(self.settled)
        other.by_league = [list(matches) for matches in self.by_league]
        return other

    @property
    def history(self) -> list[tuple[int, int, int]]:
        return list(chain(*self.by_league))

    def ranking(self) -> list[int]:
        scores = [models.score(self.settings, rating) for rating in self.ratings]
        bots = set(self.entered).difference(self.bosses)
        return sorted(bots, key=lambda bot: (-self.leagues[bot], -scores[bot], bot))

    def settled_ranking(self) -> list[int]:
        first, second, half_points = np.array(self.history, dtype=np.int64).T
        estimates, _ = most_likely(pairs_of(first, second, half_points), len(self.strengths))
        return sorted(self.ranking(), key=lambda bot: (-self.leagues[bot], -estimates[bot], bot))

    def boards(self) -> list[PairingBoard]:
        """Return the leagues' boards as matchmaking takes them. Every bot has a player of its own."""
        scores = [models.score(self.settings, rating) for rating in self.ratings]
        in_order = sorted(self.entered, key=lambda version: (-scores[version], version))
        by_league: list[list[BoardEntrant]] = [[] for _ in range(self.plan.leagues)]
        for version in in_order:
            by_league[self.leagues[version]].append(self.entrant(version))
        return [PairingBoard(LeagueId(league), board, self.scheme) for league, board in enumerate(by_league)]

    def entrant(self, version: int) -> BoardEntrant:
        rating = self.ratings[version]
        is_boss = version in self.bosses
        battles = self.battles_in_league[version]
        if (self.plan.spare and self.is_spared(version)) or self.waits(version):
            battles = max(battles, self.scheme.battles)
        return BoardEntrant(
            VersionId(version),
            battles,
            player=str(version),
            mu=rating.mu,
            sigma=rating.sigma,
            is_boss=is_boss,
            plays_on=not is_boss and self.plays_on(version),
        )

    def is_spared(self, version: int) -> bool:
        battles, league = self.battles_in_league[version], self.leagues[version]
        left = self.scheme.battles - battles
        if version in self.bosses or left <= 0 or battles < SURE_BATTLES:
            return False
        if league < len(self.bosses):
            boss = self.bosses[league]
            left = max(left, self.scheme.battles - self.battles_in_league[boss])
            if models.score(self.settings, self.ratings[version]) > models.score(self.settings, self.ratings[boss]):
                return False
        others = [self.ratings[other] for other in self.entered if self.leagues[other] == league and other != version]
        return left <= FEW_BATTLES and models.keeps_its_rank(self.settings, self.ratings[version], others, 2 * left)

    def plays_on(self, version: int) -> bool:
        battles, enough = self.battles_in_league[version], self.scheme.battles
        if self.leagues[version] >= len(self.bosses) or not enough <= battles < most_battles_to_settle(enough):
            return False
        return self.chance_above(version, self.bosses[self.leagues[version]]) > 1 - SETTLED

    def chance_above(self, version: int, boss: int) -> float:
        if not self.plan.settled:
            return models.chance_of_being_stronger(self.ratings[version], self.ratings[boss])
        return self.settled[version].chance if version in self.settled else 0.5

    def waits(self, version: int) -> bool:
        return version in self.settled and is_surely_below(self.plan.sure, self.settled[version])

    def refresh_chances(self, league: int, boss: int) -> None:
        """Read the settled fit of a league's matches for all who may still go up, where it is due for one of them."""
        enough = self.scheme.battles
        board = [bot for bot in self.entered if self.leagues[bot] == league]
        counted = {bot: self.battles_in_league[bot] for bot in board if bot != boss}
        of = [bot for bot, battles in counted.items() if battles >= min(SURE_BATTLES, enough)]
        if not any(
            bot not in self.settled or needs_fit(self.settled[bot].counted, counted[bot], enough, LOOK_BATTLES)
            for bot in of
        ):
            return
        first, second, half_points = np.array(self.by_league[league], dtype=np.int64).T
        shares = chances((first, second, half_points), None, boss, of, board)
        for bot, (chance, span) in zip(of, shares, strict=True):
            self.settled[bot] = SettledChance(VersionId(boss), counted[bot], chance, span)

    def step(self, most: int, *, idle: bool = False) -> int:
        """Arrange at most this many battles, play them and promote; return how many there were."""
        battles = pairings(self.boards(), most, self.chance, settling=most, idle=most if idle else 0)
        for pairing in battles:
            self.play(pairing)
        if self.bosses:
            self.promote()
        return len(battles)

    def play(self, pairing: Pairing) -> None:
        first, second = pairing.version_ids
        for seat, other in ((first, second), (second, first)):
            winner = self.winner(seat, other)
            places = (1, 1) if winner is None else (1 + winner, 2 - winner)
            self.ratings[seat], self.ratings[other] = self.model.rate([self.ratings[seat], self.ratings[other]], places)
            self.by_league[self.leagues[seat]].append((seat, other, 1 if winner is None else 2 - 2 * winner))
        for version in pairing.version_ids:
            self.battles[version] += 1
            self.battles_in_league[version] += 1

    def winner(self, first: int, second: int) -> int | None:
        luck = self.chance.uniform(1e-12, 1 - 1e-12)
        lead = self.strengths[first] - self.strengths[second] + self.noise * log(luck / (1 - luck))
        return None if abs(lead) < self.margin else int(lead < 0)

    def promote(self) -> None:
        """Let those go up who rank above a boss after all battles of both, or are sure to be above it before that."""
        scores = [models.score(self.settings, rating) for rating in self.ratings]
        for boss in reversed(self.bosses):
            league = self.leagues[boss]
            if self.plan.settled:
                self.refresh_chances(league, boss)
            for version in self.entered:
                if self.leagues[version] == league and version != boss and self.earns_promotion(version, boss, scores):
                    self.go_up(version, boss)

    def earns_promotion(self, version: int, boss: int, scores: Sequence[float]) -> bool:
        battles = self.battles_in_league[version]
        chance = self.chance_above(version, boss)
        if battles >= self.scheme.battles:
            is_above = chance > 0.5 if self.plan.settled else scores[version] > scores[boss]
            return self.battles_in_league[boss] >= self.scheme.battles and is_above
        return is_sure(self.plan.sure, battles, chance)

    def go_up(self, version: int, boss: int) -> None:
        self.promotions += 1
        self.wrong_promotions += self.strengths[version] < self.strengths[boss]
        self.leagues[version] += 1
        self.settled.pop(version, None)
        if self.leagues[version] == self.true_league(version):
            self.came_up[version] = 2 * self.battles[version]
        self.ratings[version] = models.fresh(self.settings)
        self.battles_in_league[version] = 0

    def true_league(self, version: int) -> int:
        return sum(self.strengths[boss] < self.strengths[version] for boss in self.bosses)

    def resubmit(self, bot: int) -> int:
        version = len(self.strengths)
        self.entered[self.entered.index(bot)] = version
        self.strengths.append(self.strengths[bot])
        self.leagues.append(self.leagues[bot])
        self.ratings.append(models.fresh(self.settings))
        self.battles.append(0)
        self.battles_in_league.append(0)
        return version


def strengths(plan: SimulationPlan, repeat: int) -> list[float]:
    """Return the bots' strengths, the best first, then the bosses': between the leagues that share the bots evenly."""
    chance = Random(f"{plan.seed} {repeat}")  # noqa: S311
    skill = NormalDist(25, plan.spread * RatingSettings().beta)
    bots = sorted((chance.gauss(skill.mean, skill.stdev) for _ in range(plan.bots)), reverse=True)
    return bots + [skill.inv_cdf(number / plan.leagues) for number in range(1, plan.leagues)]


def run(
    plan: SimulationPlan, matchmaker: str, online: str, repeat: int, *, settle: bool
) -> tuple[list[RankingError], list[Return]]:
    """Simulate one ladder and the bot that is submitted again. With `settle` also look at the fit of all matches."""
    ladder = Ladder(plan, matchmaker, online, repeat)
    ratings = (online, SETTLE) if settle else (online,)
    looks: list[RankingError] = []
    at_once = max(min(AT_ONCE, plan.bots // 4), plan.bots // 20, 1)
    for mark in plan.marks(matchmaker):
        idle = mark > plan.battles
        while fmean(ladder.battles[: plan.bots]) < mark and ladder.step(at_once, idle=idle):
            pass
        while mark == plan.battles and ladder.step(at_once):
            pass
        looks += [look(ladder, matchmaker, rating, mark) for rating in ratings]
    returns: list[Return] = []
    for number in range(plan.resubmissions):
        again = ladder.copy(Random(f"{plan.seed} {repeat} {matchmaker} {online} {number}"))  # noqa: S311
        returns += come_back(again, matchmaker, ratings)
    return looks, returns


def look(ladder: Ladder, matchmaker: str, rating: str, battles: int) -> RankingError:
    plan = ladder.plan
    ranking = ladder.settled_ranking() if rating == SETTLE else ladder.ranking()
    return RankingError(
        matchmaker,
        rating,
        battles,
        tau=kendalls_tau(ranking),
        rank_error=fmean(abs(rank - bot) for rank, bot in enumerate(ranking)),
        right_league=fmean(ladder.leagues[bot] == ladder.true_league(bot) for bot in range(plan.bots)),
        matches_to_league=fmean(ladder.came_up.values()) if ladder.came_up else None,
        wrong_promotions=ladder.wrong_promotions / max(ladder.promotions, 1),
        matches=len(ladder.history),
    )


def kendalls_tau(ranking: Sequence[int]) -> float:
    """Return how well an order of numbers agrees with the order by size: 1 if in every pair, -1 if in none."""
    wrong = 0
    before: list[int] = []
    for number in ranking:
        wrong += len(before) - bisect(before, number)
        insort(before, number)
    return 1 - 4 * wrong / (len(ranking) * (len(ranking) - 1))


def come_back(ladder: Ladder, matchmaker: str, ratings: Iterable[str]) -> list[Return]:
    version = ladder.resubmit(ladder.plan.true_rank - 1)
    returns: list[Return] = []
    for mark in ladder.plan.marks(matchmaker):
        idle = mark > ladder.plan.battles
        while ladder.battles[version] < mark and ladder.step(min(mark - ladder.battles[version], AHEAD), idle=idle):
            pass
        for rating in ratings:
            ranking = ladder.settled_ranking() if rating == SETTLE else ladder.ranking()
            returns.append(Return(matchmaker, rating, mark, ranking.index(version) + 1))
    return returns


def rows(looks: Sequence[RankingError], returns: Sequence[Return]) -> list[Row]:
    kinds = dict.fromkeys((look.matchmaker, look.rating) for look in looks)
    marks = sorted({(look.matchmaker, look.battles) for look in looks})
    keys = [(*kind, battles) for kind in kinds for name, battles in marks if name == kind[0]]
    return [row(key, looks, returns) for key in keys]


def row(key: tuple[str, str, int], looks: Sequence[RankingError], returns: Sequence[Return]) -> Row:
    of_key = [look for look in looks if (look.matchmaker, look.rating, look.battles) == key]
    ranks = [look.rank for look in returns if (look.matchmaker, look.rating, look.battles) == key]
    to_league = [look.matches_to_league for look in of_key if look.matches_to_league is not None]
    low, middle, high = np.percentile(ranks, (5, 50, 95)).tolist() if ranks else (None, None, None)
    return Row(
        *key,
        tau=fmean(look.tau for look in of_key),
        rank_error=fmean(look.rank_error for look in of_key),
        right_league=fmean(look.right_league for look in of_key),
        low=low,
        middle=middle,
        high=high,
        matches_to_league=fmean(to_league) if to_league else None,
        wrong_promotions=fmean(look.wrong_promotions for look in of_key),
        matches=fmean(look.matches for look in of_key),
    )
