"""A small ladder of both games: its matches are those that the official referees recorded, so all of them can be seen.

Kraken (two versions) and wahoo play Ocean of Code, settler and nomad A Code of Ice and Fire, each in the lowest league.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

from engine.conversation import OK, Outcome, SeatVerdict, Verdict
from engine.games.golden import MatchRecord, read_records
from engine.match import MatchResult, MatchSpec
from ladder.access import Actor
from ladder.actions.bots import submit
from ladder.bots.builds import MOST_ATTEMPTS
from ladder.database.connection import Pool, one, transaction
from ladder.fleet.fleet import fleet_of
from ladder.flows.recording import record
from ladder.flows.submission import Submission, accept
from ladder.gauntlets import running
from ladder.gauntlets.order import GauntletRequest, spec_of
from ladder.ids import GauntletId, MatchId, VersionId
from ladder.leagues import leagues
from ladder.matches import matches
from ladder.matches.claims import MatchClaim, give_back
from ladder.matches.failures import Blame
from ladder.statistics.sprt_settings import SprtSettings
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue
from tests.ladder.arena import accept_bosses, claimed, claimed_build
from tests.watching import GOLDEN, notes_of, turn_of

BOTS = {"ocean-of-code": ("kraken", "wahoo"), "ice-and-fire": ("settler", "nomad")}
PAIRS = 6
HOSTILE_NOTE = "</script><img src=x onerror=alert(1)> \x1b[31m \u202e turned"
HOSTILE_REASON = "the sandbox broke <script>alert(1)</script>"
HOSTILE_STDERR = "</script><script>alert(1)</script> \x1b[31mred \u202egnp.exe\n"


@dataclass(frozen=True)
class SmallLadder:
    """What is on it: versions by name, and the matches of each game, in order. The last of each has hostile words.

    `void`: the matches of a pair that could not be played. `gauntlets`: `finished` and `running`, kraken@v2 against
    kraken@v1, and one of `variants`; their matches are not among the others.
    """

    versions: dict[str, VersionId]
    matches: dict[str, list[MatchId]]
    void: list[MatchId] = field(default_factory=list[MatchId])
    gauntlets: dict[str, GauntletId] = field(default_factory=dict[str, GauntletId])


def a_small_ladder(pool: Pool) -> SmallLadder:
    """Submit the bots and record their matches."""
    accept_bosses(pool)
    versions = {
        f"{bot}@v1": on_the_board(pool, game, bot, f"# {bot}")
        for game, bots_of_game in BOTS.items()
        for bot in bots_of_game
    }
    void = give_up_pair(pool, (versions["kraken@v1"], versions["wahoo@v1"]))
    played = {game: play_recorded(pool, game, [versions[f"{bot}@v1"] for bot in BOTS[game]], PAIRS) for game in BOTS}
    versions["kraken@v2"] = on_the_board(pool, "ocean-of-code", "kraken", "# kraken, deeper", note=HOSTILE_NOTE)
    both = [versions["kraken@v2"], versions["wahoo@v1"]]
    played["ocean-of-code"] += play_recorded(pool, "ocean-of-code", both, PAIRS)
    return SmallLadder(versions, played, void, play_gauntlets(pool))


def give_up_pair(pool: Pool, versions: tuple[VersionId, VersionId]) -> list[MatchId]:
    """Try a pair of matches until both are given up."""
    with transaction(pool) as connection:
        league = leagues.leagues(connection, "ocean-of-code")[0]
        both = matches.insert_pair(connection, league.id, versions, seed=5)
    for match_id in both:
        for _ in range(MOST_ATTEMPTS):
            claim = claimed(pool, match_id)
            with transaction(pool) as connection:
                give_back(connection, claim, HOSTILE_REASON, blame=Blame.CERTAIN)
    return both


def play_gauntlets(pool: Pool) -> dict[str, GauntletId]:
    """Play one gauntlet to its end, one of variants too, and another in part."""
    with transaction(pool) as connection:
        league = leagues.leagues(connection, "ocean-of-code")[0]
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
    """Begin a gauntlet and play so many of its pairs, as the referees played them."""
    with transaction(pool) as connection:
        gauntlet = running.begin(connection, spec_of(connection, request))
    left = 2 * pairs
    while left:
        with transaction(pool) as connection:
            made = running.advance(connection, fleet_of(connection))
        for match_id in made[:left]:
            with transaction(pool) as connection:
                seed = one(connection, "SELECT seed FROM matches WHERE id = %(id)s", {"id": match_id})[0]
            record_as(pool, match_id, by_seed[seed], is_hostile=False)
        left -= min(left, len(made))
    with transaction(pool) as connection:
        running.advance(connection, fleet_of(connection))
    return gauntlet.id


def on_the_board(pool: Pool, game: str, bot: str, source: str, *, note: str = "") -> VersionId:
    """Submit a version, accept it and return its id."""
    new = Submission(game, bot, source, "python", note=note)
    version_id = submit(Actor("kim"), pool, RememberingQueue(), new).row.id
    claim = claimed_build(pool, version_id)
    with transaction(pool) as connection:
        assert accept(connection, claim)
    return version_id


def play_recorded(pool: Pool, game: str, versions: list[VersionId], pairs: int) -> list[MatchId]:
    """Record pairs of matches between two versions in the lowest league, as the referees played them."""
    with transaction(pool) as connection:
        league = leagues.leagues(connection, game)[0]
    played: list[MatchId] = []
    for number, found in enumerate(records_of(game, league.rules_level, pairs)):
        with transaction(pool) as connection:
            both = matches.insert_pair(connection, league.id, (versions[0], versions[1]), seed=found.seed)
        for match_id in both:
            record_as(pool, match_id, found, is_hostile=number == pairs - 1)
        played += both
    return played


def record_as(pool: Pool, match_id: MatchId, found: MatchRecord, *, is_hostile: bool) -> None:
    """Record that a match went as a golden record."""
    claim = claimed(pool, match_id)
    with transaction(pool) as connection:
        assert record(connection, claim, result_as(claim, found, is_hostile=is_hostile))


def result_as(claim: MatchClaim, found: MatchRecord, *, is_hostile: bool = False) -> MatchResult:
    """Return the result of a match that went as a golden record."""
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
        for found in read_records(GOLDEN / f"{game}.jsonl.gz")
        if isinstance(found, MatchRecord)
        and found.rules_level == rules_level
        and all(ask.answer is not None for ask in found.asks)
    ]
    return sorted(found, key=lambda one: -len(one.asks))[:count]
