"""The small ladder with what most tests can do without: gauntlets, matches that are void, matches that wait."""

from __future__ import annotations

from dataclasses import dataclass

from engine.games.golden import MatchRecord
from ladder.bots.builds import MOST_ATTEMPTS
from ladder.database.connection import Pool, one, transaction
from ladder.fleet.fleet import fleet_of
from ladder.gauntlets import running
from ladder.gauntlets.order import GauntletRequest, spec_of
from ladder.ids import GauntletId, MatchId, VersionId
from ladder.leagues import leagues
from ladder.matches import matches
from ladder.matches.claims import give_back
from ladder.matches.failures import Blame
from ladder.statistics.sprt_settings import SprtSettings
from tests.ladder.arena import claimed, within
from tests.web.a_ladder import PAIRS, SmallLadder, record_as, records_of

HOSTILE_REASON = "the sandbox broke <script>alert(1)</script> \x1b[31m \u202e turned"


@dataclass(frozen=True)
class BusyLadder:
    """What is on it besides the small ladder. `void`: the matches of a pair that could not be played.

    `gauntlets`: `finished` and `running`, kraken@v2 against kraken@v1, and one of `variants`.
    """

    small: SmallLadder
    void: list[MatchId]
    gauntlets: dict[str, GauntletId]


def a_busy_ladder(pool: Pool, small: SmallLadder) -> BusyLadder:
    void = give_up_pair(pool, (small.versions["kraken@v2"], small.versions["wahoo@v1"]))
    return BusyLadder(small, void, play_gauntlets(pool))


def give_up_pair(pool: Pool, versions: tuple[VersionId, VersionId]) -> list[MatchId]:
    with transaction(pool) as connection:
        league = leagues.leagues(connection, "ocean-of-code")[0]
        both = matches.insert_battle(connection, league.id, versions, seed=5)
    for match_id in both:
        for _ in range(MOST_ATTEMPTS):
            claim = claimed(pool, match_id)
            within(pool, give_back, claim, HOSTILE_REASON, blame=Blame.CERTAIN)
    return both


def play_gauntlets(pool: Pool) -> dict[str, GauntletId]:
    """Play one gauntlet to its end, one of variants too, and another in part."""
    league = within(pool, leagues.leagues, "ocean-of-code")[0]
    found = records_of("ocean-of-code", league.rules_level, PAIRS)
    seeds = tuple(one.seed for one in found)
    request = GauntletRequest("kraken@v2", "kim", ("kraken@v1",), seeds=seeds, test=SprtSettings(0, 200), context=())
    variants = GauntletRequest("kraken@v2", "kim", seeds=seeds[:2], variants=({"DEPTH": "4"}, {"DEPTH": "6"}))
    by_seed = {one.seed: one for one in found}
    return {
        "finished": play_gauntlet(pool, request, by_seed, PAIRS),
        "variants": play_gauntlet(pool, variants, by_seed, 2),
        "running": play_gauntlet(pool, request, by_seed, PAIRS - 3),
    }


def play_gauntlet(pool: Pool, request: GauntletRequest, by_seed: dict[int, MatchRecord], pairs: int) -> GauntletId:
    with transaction(pool) as connection:
        gauntlet = running.begin(connection, spec_of(connection, request))
    left = 2 * pairs
    while left:
        made = advanced(pool)[:left]
        for match_id in made:
            seed = within(pool, one, "SELECT seed FROM matches WHERE id = %(id)s", {"id": match_id})[0]
            record_as(pool, match_id, by_seed[seed], is_hostile=False)
        left -= len(made)
    advanced(pool)
    return gauntlet.id


def advanced(pool: Pool) -> list[MatchId]:
    with transaction(pool) as connection:
        return running.advance(connection, fleet_of(connection))
