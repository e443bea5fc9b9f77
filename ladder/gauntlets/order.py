"""From what somebody asks for, in words, to a gauntlet that can begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import randbits

from engine.errors import UsageFault
from ladder.bots import bots
from ladder.database.connection import Connection
from ladder.gauntlets.defaults import CONTEXT, OPPONENTS, OPPONENTS_BESIDE_A_BASELINE, PAIRS, PAIRS_OF_A_TEST
from ladder.gauntlets.gauntlets import GauntletSpec
from ladder.gauntlets.lineup import Lineup, Participant, Words, make_lineup, participant
from ladder.gauntlets.opponents import Opponents, version_named
from ladder.gauntlets.plan import Plan
from ladder.ids import LeagueId
from ladder.leagues import leagues
from ladder.statistics.sprt_settings import SprtSettings


@dataclass(frozen=True, slots=True)
class GauntletRequest:
    """What somebody asks for. `against`: see ladder.gauntlets.words; none: the usual opponents.

    `context`: words for opponents that are met for information only; None: the usual ones.

    `league`: by name, whose rules, boss and board are meant; None: where the candidate's bot plays. `seeds`: given
    ones, else they come from `seed`, by chance if that is None too.
    """

    candidate: str
    asked_by: str
    against: tuple[str, ...] = ()
    baseline: str | None = None
    pairs: int | None = None
    test: SprtSettings | None = None
    seed: int | None = None
    seeds: tuple[int, ...] | None = None
    league: str | None = None
    game: str | None = None
    gates: bool = False
    context: tuple[str, ...] | None = None

    @property
    def words(self) -> Words:
        """Return the words for the opponents, the usual ones where it says nothing."""
        return words_or_usual(self.against, self.context, has_baseline=self.baseline is not None)


def spec_of(connection: Connection, request: GauntletRequest) -> GauntletSpec:
    """Find the versions that the words mean. Raises UsageFault, UnknownName, and Refused: see `lineup`."""
    candidate = participant(version_named(connection, request.candidate, request.game))
    league_id = league_of(connection, candidate, request.league)
    baseline = None
    if request.baseline is not None:
        baseline = participant(version_named(connection, request.baseline, candidate.game))
    chosen = make_lineup(candidate, baseline, request.words, Opponents(connection, candidate, league_id))
    pairs = number_of_pairs(request.pairs, request.seeds, request.test)
    plan = plan_of(chosen, pairs, request.seed, request.seeds)
    return GauntletSpec(league_id, plan, request.test, request.asked_by, request.gates)


def words_or_usual(against: Sequence[str], context: Sequence[str] | None, *, has_baseline: bool) -> Words:
    """Return the words that name the opponents: those that are given, else the usual ones.

    There are opponents for information unless others were named, or a baseline is compared.
    """
    opponents = tuple(against) or (OPPONENTS_BESIDE_A_BASELINE if has_baseline else OPPONENTS)
    usual = () if against or has_baseline else CONTEXT
    return Words(opponents, usual if context is None else tuple(context))


def plan_of(chosen: Lineup, pairs: int, seed: int | None = None, seeds: tuple[int, ...] | None = None) -> Plan:
    """Return the plan by which a lineup plays; without a seed the pairs' seeds come from chance."""
    return Plan(
        chosen.candidate.id,
        None if chosen.baseline is None else chosen.baseline.id,
        tuple(one.id for one in (*chosen.opponents, *chosen.context)),
        pairs,
        randbits(64) - 2**63 if seed is None else seed,
        seeds,
        chosen.deciding_ids,
        tuple(one.id for one in chosen.context),
    )


def league_of(connection: Connection, candidate: Participant, name: str | None) -> LeagueId:
    """Return the id of the league under whose rules it is played. Raises UnknownName."""
    if name is not None:
        return leagues.find_league(connection, candidate.game, name).id
    return bots.bot_of_version(connection, candidate.id).league_id


def number_of_pairs(pairs: int | None, seeds: tuple[int, ...] | None, test: SprtSettings | None) -> int:
    """Return how many pairs are played at most against each opponent. Raises UsageFault where seeds are too few."""
    if seeds is not None and pairs is not None and pairs > len(seeds):
        raise UsageFault(f"{pairs} pairs need as many seeds, but only {len(seeds)} are given")
    if pairs is not None:
        return pairs
    if seeds is not None:
        return len(seeds)
    return PAIRS if test is None else PAIRS_OF_A_TEST
