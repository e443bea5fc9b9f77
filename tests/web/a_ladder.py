"""Small ladders of both games: their matches are those that the official referees recorded, so all of them can be seen.

Kraken (two versions) and wahoo play Ocean of Code, settler and nomad A Code of Ice and Fire, each in the lowest league.
"""

from dataclasses import dataclass, replace
from functools import cache

from engine.conversation import OK, Outcome, SeatVerdict, Verdict
from engine.games.golden import MatchRecord, numbered_records
from engine.match import MatchResult, MatchSpec
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
from ladder.matches.claims import MatchClaim, give_back
from ladder.matches.failures import Blame
from ladder.promotions import lifecycle
from ladder.statistics.sprt_settings import SprtSettings
from ladder.tuning.execution import go_further
from ladder.tuning.parameters import TuneRequest
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import accept_bosses, claimed, insert_battle, on_the_board, within
from tests.watching import GOLDEN, notes_of, turn_of

BOTS = {"ocean-of-code": ("kraken", "wahoo"), "ice-and-fire": ("settler", "nomad")}
PAIRS = 6
HOSTILE_NOTE = "</script><img src=x onerror=alert(1)> \x1b[31m \u202e turned"
HOSTILE_STDERR = "</script><script>alert(1)</script> \x1b[31mred \u202egnp.exe\n"


@dataclass(frozen=True)
class SmallLadder:
    """What is on it: versions by name, and the matches of each game, in order. The last of each has hostile words."""

    versions: dict[str, VersionId]
    matches: dict[str, list[MatchId]]


def a_small_ladder(pool: Pool) -> SmallLadder:
    """Submit the bots and record their matches."""
    accept_bosses(pool)
    versions = {
        f"{bot}@v1": on_the_board(pool, bot, f"# {bot}", game=game)
        for game, bots_of_game in BOTS.items()
        for bot in bots_of_game
    }
    played = {game: play_recorded(pool, game, [versions[f"{bot}@v1"] for bot in BOTS[game]], PAIRS) for game in BOTS}
    versions["kraken@v2"] = on_the_board(pool, "kraken", "# kraken, deeper", note=HOSTILE_NOTE)
    both = [versions["kraken@v2"], versions["wahoo@v1"]]
    played["ocean-of-code"] += play_recorded(pool, "ocean-of-code", both, PAIRS)
    return SmallLadder(versions, played)


def play_recorded(pool: Pool, game: str, versions: list[VersionId], pairs: int) -> list[MatchId]:
    league = within(pool, leagues.leagues, game)[0]
    played: list[MatchId] = []
    for number, found in enumerate(records_of(game, league.rules_level, pairs)):
        both = within(pool, insert_battle, league.id, (versions[0], versions[1]), seed=found.seed)
        for match_id in both:
            record_as(pool, match_id, found, is_hostile=number == pairs - 1)
        played += both
    return played


def record_as(pool: Pool, match_id: MatchId, found: MatchRecord, *, is_hostile: bool) -> None:
    claim = claimed(pool, match_id)
    assert within(pool, record, claim, result_as(claim, found, is_hostile=is_hostile))


def result_as(claim: MatchClaim, found: MatchRecord, *, is_hostile: bool = False) -> MatchResult:
    said = tuple(turn_of(number, ask.seat, ask.answer) for number, ask in enumerate(found.asks))
    stderr = ["".join(notes_of(index) for index, turn in enumerate(said) if turn.seat == seat) for seat in (0, 1)]
    verdicts = (OK, OK)
    if is_hostile:
        said = (*said[:-1], replace(said[-1], stderr_chars=said[-1].stderr_chars + len(HOSTILE_STDERR)))
        stderr[said[-1].seat] += HOSTILE_STDERR
        if found.scores[0] != found.scores[1]:
            fault = SeatVerdict(Verdict.CRASHED, HOSTILE_STDERR.strip())
            verdicts = (fault, OK) if found.scores[0] < found.scores[1] else (OK, fault)
    spec = MatchSpec(GAMES.find(claim.game), claim.rules_level, claim.seed, claim.first_limit_ms, claim.turn_limit_ms)
    return MatchResult(
        spec, Outcome(found.scores, found.end, verdicts), said, (stderr[0], stderr[1]), sandbox="bubblewrap"
    )


@cache
def records_of(game: str, rules_level: int, count: int) -> list[MatchRecord]:
    """Return recorded matches by those rules, without a time-out, the longest first."""
    found = [
        found
        for _, found in numbered_records(GOLDEN / f"{game}.jsonl.gz")
        if isinstance(found, MatchRecord)
        and found.rules_level == rules_level
        and all(ask.answer is not None for ask in found.asks)
    ]
    return sorted(found, key=lambda one: -len(one.asks))[:count]


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
        both = insert_battle(connection, leagues.leagues(connection, "ocean-of-code")[0].id, versions, seed=5)
    for match_id in both:
        for _ in range(MOST_ATTEMPTS):
            within(pool, give_back, claimed(pool, match_id), HOSTILE_REASON, blame=Blame.CERTAIN)
    return both


def play_gauntlets(pool: Pool) -> dict[str, GauntletId]:
    """Play one gauntlet to its end, one of variants too, and another in part."""
    found = records_of("ocean-of-code", within(pool, leagues.leagues, "ocean-of-code")[0].rules_level, PAIRS)
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
