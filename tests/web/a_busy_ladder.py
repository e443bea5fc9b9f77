"""The small ladder with what most tests can do without: gauntlets, matches that are void, matches that wait."""

from dataclasses import dataclass

from engine.games.golden import MatchRecord
from ladder import actions
from ladder.access import Actor, Role
from ladder.bots.builds import MOST_ATTEMPTS
from ladder.database.connection import Pool, one, transaction
from ladder.fleet.workers import fleet_of
from ladder.flows.recording import record
from ladder.gauntlets import execution
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import GauntletId, MatchId, VersionId
from ladder.leagues import leagues
from ladder.matches.claims import give_back
from ladder.matches.failures import Blame
from ladder.promotions import lifecycle
from ladder.statistics.sprt_settings import SprtSettings
from ladder.tuning.execution import go_further
from ladder.tuning.parameters import TuneRequest
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import claimed, within
from tests.ladder.battles import insert_battle
from tests.web.a_ladder import PAIRS, SmallLadder, record_as, records_of

HOSTILE_REASON = "the sandbox broke <script>alert(1)</script> \x1b[31m \u202e turned"


@dataclass(frozen=True)
class BusyLadder:
    """What is on it besides the small ladder. `void`: the matches of a pair that could not be played.

    `gauntlets`: `finished` and `running`, kraken@v2 against kraken@v1, and one of `variants`. `tune`: of kraken@v2.
    """

    small: SmallLadder
    void: list[MatchId]
    gauntlets: dict[str, GauntletId]
    tune: GauntletId


def a_busy_ladder(pool: Pool, small: SmallLadder) -> BusyLadder:
    void = give_up_pair(pool, (small.versions["kraken@v2"], small.versions["wahoo@v1"]))
    made = BusyLadder(small, void, play_gauntlets(pool), play_tune(pool))
    rank_by_settled_fit(pool)
    return made


def rank_by_settled_fit(pool: Pool) -> None:
    """Let the lowest league's board rank by all its matches at once, as after a round of the scheduler."""
    with transaction(pool) as connection:
        (lowest, *_) = leagues.leagues(connection, "ocean-of-code")
        leagues.change_settings(connection, lowest.id, {"ranked_by": "settled", "rank_width": 3})
        lifecycle.refresh_ranks(connection, lifecycle.boards(connection, "ocean-of-code")[0])


def give_up_pair(pool: Pool, versions: tuple[VersionId, VersionId]) -> list[MatchId]:
    with transaction(pool) as connection:
        league = leagues.leagues(connection, "ocean-of-code")[0]
        both = insert_battle(connection, league.id, versions, seed=5)
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
        gauntlet = execution.begin(connection, spec_of(connection, request))
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
        return execution.advance(connection, fleet_of(connection))


def play_tune(pool: Pool) -> GauntletId:
    """Play a tune to its end, with the gauntlet that confirms: who has the higher DEPTH wins."""
    request = TuneRequest("kraken@v2", ("DEPTH=4..12", "RISK=0.1..0.9"), pairs=25, seed=7)
    tune = actions.tunes.begin(Actor("kim", Role.PLAYER), pool, RememberingQueue(), request).tune
    while made := made_of(pool, tune) or made_of(pool, tune):
        for match_id in made:
            claim = claimed(pool, match_id)
            first, second = (int(params["DEPTH"]) for params in claim.params)
            within(pool, record, claim, result_of(claim, (first, second)))
    return tune


def made_of(pool: Pool, tune: GauntletId) -> list[MatchId]:
    """Return the matches that are made next of a tune or of what began after it."""
    with transaction(pool) as connection:
        made = execution.advance(connection, fleet_of(connection), go_further)
        query = "SELECT id FROM matches WHERE id = ANY(%s) AND gauntlet_id >= %s ORDER BY id"
        return [row[0] for row in connection.execute(query, [made, tune])]
