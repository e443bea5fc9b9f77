"""A small ladder of both games: its matches are those that the official referees recorded, so all of them can be seen.

Kraken (two versions) and wahoo play Ocean of Code, settler and nomad A Code of Ice and Fire, each in the lowest league.
"""

from dataclasses import dataclass, replace
from functools import cache

from engine.conversation import OK, Outcome, SeatVerdict, Verdict
from engine.games.golden import MatchRecord, read_records
from engine.match import MatchResult, MatchSpec
from ladder.database.connection import Pool
from ladder.flows.recording import record
from ladder.ids import MatchId, VersionId
from ladder.leagues import leagues
from ladder.matches.claims import MatchClaim
from tests.catalogue import GAMES
from tests.ladder.arena import accept_bosses, claimed, on_the_board, within
from tests.ladder.battles import insert_battle
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
        for found in read_records(GOLDEN / f"{game}.jsonl.gz")
        if isinstance(found, MatchRecord)
        and found.rules_level == rules_level
        and all(ask.answer is not None for ask in found.asks)
    ]
    return sorted(found, key=lambda one: -len(one.asks))[:count]
