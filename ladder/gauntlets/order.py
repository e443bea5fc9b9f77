"""From what somebody asks for, in words, to a gauntlet that can begin; and which versions in the database words mean.

What the words are stands in `lineup`.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field, replace
from secrets import randbits

from engine.errors import Refused, UnknownName, UsageFault
from engine.game import Game
from engine.immutable import immutable
from engine.text import alternatives
from ladder.bots import bots, versions
from ladder.bots.versions import Version
from ladder.choices import VersionState
from ladder.database.connection import Connection, one
from ladder.fleet.workers import fleet_of
from ladder.games.games import Seeds, seeds_in
from ladder.gauntlets import lineup
from ladder.gauntlets.gauntlets import GauntletSpec
from ladder.gauntlets.lineup import GauntletRequest, Lineup, Meant, Participant, Word, WordKind, participant
from ladder.gauntlets.plan import PAIRS, PAIRS_OF_A_TEST, Plan
from ladder.ids import LeagueId
from ladder.leagues import leagues
from ladder.matches.match_rows import seconds_of_match
from ladder.names import read_name
from ladder.ratings import standings
from ladder.row_limits import MOST_PAIRS
from ladder.statistics.sprt_settings import SprtSettings, narrowest
from ladder.visibility import AsShown


def spec_of(connection: Connection, request: GauntletRequest, as_shown: AsShown = nullcontext) -> GauntletSpec:
    """`as_shown`: reads boards as who asks is shown them. Raises UsageFault, UnknownName, and Refused: see `lineup`."""
    plain = participant(version_named(connection, request.candidate, request.game))
    league_id = league_for(connection, plain, request.league, as_shown)
    seeds = seeds_in(connection, league_id)
    seeds.require(*(request.seeds or ()))
    require_comparable(seeds, request)
    players = players_of(connection, league_id, request.players)
    if len(request.variants) > 1:
        require_alone(request)
        lineup.require_accepted(plain)
        pairs = number_of_pairs(request.pairs, request.seeds, None)
        plan = plan_of(Lineup(plain, None, ()), pairs, players, request.seed, request.seeds)
        return GauntletSpec(league_id, plan, None, request.asked_by, variants=request.variants)
    candidate = lineup.vary(plain, request.variants[0]) if request.variants else plain
    resolver = OpponentResolver(connection, candidate, league_id, as_shown)
    chosen = lineup_of(request, candidate, resolver, resolver.one)
    pairs = number_of_pairs(request.pairs, request.seeds, request.question)
    plan = replace(plan_of(chosen, pairs, players, request.seed, request.seeds), candidate_id=plain.id)
    pair_s = None if request.minutes is None else seconds_of_pair(connection, league_id, plan)
    test = test_within(request, pair_s, players)
    return GauntletSpec(league_id, plan, test, request.asked_by, gates=request.gates, variants=request.variants)


def league_for(connection: Connection, candidate: Participant, league: str | None, as_shown: AsShown) -> LeagueId:
    """Return whose rules and board count: by name, or where the candidate's bot plays. Raises UnknownName, Refused."""
    with as_shown():
        if league is None:
            league_id = bots.bot_of_version(connection, candidate.id).league_id
        else:
            league_id = leagues.find_league(connection, candidate.game, league).id
    leagues.require_trusted(connection, league_id)
    return league_id


def seconds_of_pair(connection: Connection, league_id: LeagueId, plan: Plan) -> float | None:
    """Return how long the workers that live take for each pair that decides; None where that is not known."""
    match_s = seconds_of_match(connection, league_id)
    processes = len(fleet_of(connection).workers)
    return match_s * plan.matches_for_each / processes if match_s and processes else None


def test_within(request: GauntletRequest, pair_s: float | None, players: int) -> SprtSettings | None:
    """Return the test that is asked for, or follows from the time there is. Raises Refused where that does not do."""
    if request.minutes is None or request.question is None:
        return request.question
    if not pair_s:
        raise Refused(
            f"--minutes {request.minutes:g} needs to know how long matches take, and none of this league was played, "
            "or no worker lives: name bounds instead, as in --sprt=-20,20"
        )
    pairs = 60 * request.minutes / pair_s
    test = narrowest(request.question, min(pairs, request.pairs or PAIRS_OF_A_TEST), players)
    if test is None:
        raise Refused(
            f"--minutes {request.minutes:g} is time for about {pairs:.0f} pairs, too few for any test: give it more, "
            "or a number of pairs (--pairs)"
        )
    return test


def lineup_of(
    request: GauntletRequest, candidate: Participant, meant: Meant, named: Callable[[str], Participant]
) -> Lineup:
    """`meant`: whom a word means; `named`: the one who has a name."""
    baseline = None if request.baseline is None else named(request.baseline)
    return lineup.make_lineup(candidate, baseline, request.words, meant)


def require_comparable(game: Game | Seeds, request: GauntletRequest) -> None:
    if request.baseline is not None:
        game.require_repeatable("a comparison with a baseline")
    if request.seeds or len(request.variants) > 1:
        game.require_repeatable("a comparison on common seeds")


def players_of(connection: Connection, league_id: LeagueId, number: int | None = None) -> int:
    game, possible = one(connection, "SELECT game, players FROM leagues WHERE id = %(id)s", {"id": league_id})
    return number_of_players(number, possible, game)


def number_of_players(number: int | None, possible: Sequence[int], game: str) -> int:
    """Return the number that is asked for, else the most that the game can have. Raises UsageFault."""
    if number is None:
        return possible[-1]
    if number not in possible:
        numbers = alternatives([str(players) for players in possible])
        raise UsageFault(f"--players {number}: matches of {game} have {numbers} players")
    return number


def require_alone(request: GauntletRequest) -> None:
    if request.against or request.baseline is not None or request.context is not None or request.test is not None:
        raise UsageFault("--vary plays variants against each other: leave --against, --context, --baseline, --sprt out")


def plan_of(
    chosen: Lineup, pairs: int, players: int, seed: int | None = None, seeds: tuple[int, ...] | None = None
) -> Plan:
    """Return the plan by which a lineup plays; without a seed the pairs' seeds come from chance."""
    return Plan(
        candidate_id=chosen.candidate.id,
        baseline_id=None if chosen.baseline is None else chosen.baseline.id,
        opponent_ids=tuple(opponent.id for opponent in (*chosen.opponents, *chosen.context)),
        pairs=pairs,
        seed=randbits(64) - 2**63 if seed is None else seed,
        seeds=seeds,
        deciding_ids=chosen.deciding_ids,
        context_ids=tuple(opponent.id for opponent in chosen.context),
        players=players,
    )


def require_pairs(pairs: int | None) -> None:
    if pairs is not None and not 1 <= pairs <= MOST_PAIRS:
        raise UsageFault(f"1 to {MOST_PAIRS:,} pairs can be asked for, not {pairs}")


def number_of_pairs(pairs: int | None, seeds: tuple[int, ...] | None, test: SprtSettings | None) -> int:
    require_pairs(pairs)
    if seeds is not None and pairs is not None and pairs > len(seeds):
        raise UsageFault(f"{pairs} pairs need as many seeds, but only {len(seeds)} are given")
    if pairs is not None:
        return pairs
    if seeds is not None:
        return len(seeds)
    return PAIRS if test is None else PAIRS_OF_A_TEST


@immutable
class OpponentResolver:
    """A function from words to versions, or files. `as_shown`: reads the league's board as who asks is shown it."""

    connection: Connection
    candidate: Participant
    league_id: LeagueId
    as_shown: AsShown = nullcontext
    files: Mapping[str, Participant] = field(default_factory=dict[str, Participant])

    def __call__(self, text: str) -> Sequence[Participant]:
        """Return the versions that a word means, of many not the candidate. Raises UsageFault, UnknownName, Refused."""
        if text in self.files:
            return [self.files[text]]
        word = lineup.read_word(text)
        return [participant(version) for version in CHOOSE[word.kind](self, word)]

    def one(self, name: str) -> Participant:
        if name in self.files:
            return self.files[name]
        return participant(version_named(self.connection, name, self.candidate.game))


def version_named(connection: Connection, name: str, game: str | None = None) -> Version:
    """Return the version of `kraken@v7`, or the present one of `kraken`, of that game first. Raises UnknownName."""
    named = read_name(name)
    try:
        bot = bots.find_bot(connection, named.bot, game)
    except UnknownName:
        bot = bots.find_bot(connection, named.bot)
    if named.number is not None:
        return versions.numbered(connection, bot, named.number)
    present = standings.present_version(connection, bot.id)
    if present is None:
        raise Refused(f"{bot.name} has no version on a board: name one, as in {bot.name}@v1")
    return versions.find_version(connection, present[0])


def prior(resolver: OpponentResolver, word: Word) -> list[Version]:
    candidate = resolver.candidate
    earlier = [
        version
        for version in versions.versions_of(resolver.connection, candidate.bot_id)
        if version.number < candidate.number and version.state == VersionState.ACCEPTED
    ]
    return sorted(earlier, key=lambda version: version.number, reverse=True)[: word.most]


def predecessor(resolver: OpponentResolver, _: Word) -> list[Version]:
    """Return its bot's present version; for that itself the last before it on a board, or the first after it."""
    connection, candidate = resolver.connection, resolver.candidate
    present = standings.present_version(connection, candidate.bot_id)
    if present is not None and present[0] != candidate.id:
        return [versions.find_version(connection, present[0])]
    let_in = {stay.version_id for stay in standings.stays_of(connection, candidate.bot_id)} - {candidate.id}
    of_bot = versions.versions_of(connection, candidate.bot_id)
    others = {version.number: version for version in of_bot if version.id in let_in}
    before = lineup.version_before(candidate.number, others)
    return [] if before is None else [others[before]]


def others_on_board(resolver: OpponentResolver, most: int | None = None, *, bosses: bool = False) -> list[Version]:
    """Return those of the league's board but for the candidate: the first `most`, or its bosses."""
    with resolver.as_shown():
        rows = standings.board(resolver.connection, resolver.league_id)
    others = [row for row in rows if row.version_id != resolver.candidate.id and (row.is_boss or not bosses)]
    return [versions.find_version(resolver.connection, row.version_id) for row in others[:most]]


CHOOSE: Mapping[WordKind, Callable[[OpponentResolver, Word], list[Version]]] = {
    WordKind.VERSION: lambda resolver, word: [version_named(resolver.connection, word.text, resolver.candidate.game)],
    WordKind.BOSS: lambda resolver, _: others_on_board(resolver, bosses=True),
    WordKind.PREDECESSOR: predecessor,
    WordKind.PRIOR: prior,
    WordKind.BOARD_TOP: lambda resolver, word: others_on_board(resolver, word.most),
}
