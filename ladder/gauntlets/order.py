"""From what somebody asks for, in words, to a gauntlet that can begin."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import randbits

from engine.errors import Refused, UsageFault
from ladder.bots import bots
from ladder.bots.versions import Version
from ladder.database.connection import Connection
from ladder.gauntlets.defaults import OPPONENTS, PAIRS, PAIRS_OF_A_TEST
from ladder.gauntlets.gauntlets import Order
from ladder.gauntlets.opponents import deciding_ids, opponents, version_named
from ladder.gauntlets.plan import Plan
from ladder.leagues import leagues
from ladder.statistics.sprt_settings import SprtSettings


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody asks for. `against`: words as ladder.gauntlets.opponents takes them; none: the usual ones.

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


def order_of(connection: Connection, wish: Wish) -> Order:
    """Find whom and what the words mean. Raises UsageFault, UnknownName, and Refused where nobody is meant."""
    candidate = version_named(connection, wish.candidate, wish.game)
    league_id = league_of(connection, candidate, wish.league)
    baseline = None if wish.baseline is None else version_named(connection, wish.baseline, candidate.game)
    if baseline is not None and baseline.game != candidate.game:
        raise Refused(f"{baseline.name} plays {baseline.game}, and {candidate.name} plays {candidate.game}")
    if baseline is not None and baseline.id == candidate.id:
        raise Refused(f"{candidate.name} cannot be compared with itself")
    words = wish.against or tuple(word for word in OPPONENTS if baseline is None or word == "boss")
    field = [version for version in opponents(connection, candidate, league_id, words) if version != baseline]
    if not field:
        raise Refused("only the baseline itself is named: name whom both are to meet with --against")
    plan = Plan(
        candidate.id,
        None if baseline is None else baseline.id,
        tuple(version.id for version in field),
        number_of_pairs(wish.pairs, wish.seeds, wish.test),
        randbits(64) - 2**63 if wish.seed is None else wish.seed,
        wish.seeds,
        deciding_ids(candidate, field) if baseline is None else None,
    )
    return Order(league_id, plan, wish.test, wish.asked_by, wish.gates)


def league_of(connection: Connection, candidate: Version, name: str | None) -> int:
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
