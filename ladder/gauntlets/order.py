"""From what somebody asks for, in words, to a gauntlet that can begin."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from secrets import randbits

from engine.errors import Refused, UsageFault
from engine.game import Game
from engine.text import alternatives
from ladder.bots import bots
from ladder.database.connection import Connection, one
from ladder.fleet.fleet import fleet_of
from ladder.games.games import Seeds, seeds_in
from ladder.gauntlets.gauntlets import GauntletSpec
from ladder.gauntlets.lineup import (
    GauntletRequest,
    Lineup,
    Participant,
    Versions,
    make_lineup,
    participant,
    require_accepted,
    varied,
)
from ladder.gauntlets.opponents import Opponents, version_named
from ladder.gauntlets.plan import PAIRS, PAIRS_OF_A_TEST, Plan
from ladder.ids import LeagueId
from ladder.leagues import leagues
from ladder.matches.match_rows import seconds_of_match
from ladder.statistics.sprt_settings import SprtSettings, narrowest
from ladder.visibility import AsShown

MOST_PAIRS = 1_000_000_000


def spec_of(connection: Connection, request: GauntletRequest, as_shown: AsShown = nullcontext) -> GauntletSpec:
    """`as_shown`: reads boards as who asks is shown them. Raises UsageFault, UnknownName, and Refused: see `lineup`."""
    own = participant(version_named(connection, request.candidate, request.game))
    league_id = league_for(connection, own, request.league, as_shown)
    seeds = seeds_in(connection, league_id)
    seeds.require(*(request.seeds or ()))
    require_comparable(seeds, request)
    players = players_of(connection, league_id, request.players)
    if len(request.variants) > 1:
        return comparison_of(request, own, league_id, players)
    candidate = varied(own, request.variants[0]) if request.variants else own
    chosen = lineup_of(request, Opponents(connection, candidate, league_id, as_shown))
    pairs = number_of_pairs(request.pairs, request.seeds, request.question)
    plan = replace(plan_of(chosen, pairs, players, request.seed, request.seeds), candidate_id=own.id)
    pair_s = None if request.minutes is None else seconds_of_pair(connection, league_id, plan)
    test = test_within(request, pair_s, players)
    return GauntletSpec(league_id, plan, test, request.asked_by, request.gates, request.variants)


def league_for(connection: Connection, own: Participant, league: str | None, as_shown: AsShown) -> LeagueId:
    """Return whose rules and board count: by name, or where the candidate's bot plays. Raises UnknownName, Refused."""
    with as_shown():
        if league is None:
            league_id = bots.bot_of_version(connection, own.id).league_id
        else:
            league_id = leagues.find_league(connection, own.game, league).id
    leagues.require_trusted(connection, league_id)
    return league_id


def seconds_of_pair(connection: Connection, league_id: LeagueId, plan: Plan) -> float | None:
    """Return how long the workers that live take for each pair that decides; None where that is not known."""
    match_s, processes = seconds_of_match(connection, league_id), len(fleet_of(connection).workers)
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


def lineup_of(request: GauntletRequest, versions: Versions) -> Lineup:
    baseline = None if request.baseline is None else versions.one(request.baseline)
    return make_lineup(versions.candidate, baseline, request.words, versions)


def require_comparable(game: Game | Seeds, request: GauntletRequest) -> None:
    if request.baseline is not None:
        game.require_repeatable("a comparison with a baseline")
    if request.seeds or len(request.variants) > 1:
        game.require_repeatable("a comparison on common seeds")


def players_of(connection: Connection, league_id: LeagueId, asked: int | None = None) -> int:
    game, possible = one(connection, "SELECT game, players FROM leagues WHERE id = %(id)s", {"id": league_id})
    return number_of_players(asked, possible, game)


def number_of_players(asked: int | None, possible: Sequence[int], game: str) -> int:
    """Return as many as are asked for, else as many as the game can have. Raises UsageFault."""
    if asked is None:
        return possible[-1]
    if asked not in possible:
        numbers = alternatives([str(number) for number in possible])
        raise UsageFault(f"--players {asked}: matches of {game} have {numbers} players")
    return asked


def comparison_of(request: GauntletRequest, own: Participant, league_id: LeagueId, players: int) -> GauntletSpec:
    require_alone(request)
    require_accepted(own)
    pairs = number_of_pairs(request.pairs, request.seeds, None)
    plan = plan_of(Lineup(own, None, ()), pairs, players, request.seed, request.seeds)
    return GauntletSpec(league_id, plan, None, request.asked_by, variants=request.variants)


def require_alone(request: GauntletRequest) -> None:
    if request.against or request.baseline is not None or request.context is not None or request.test is not None:
        raise UsageFault("--vary plays variants against each other: leave --against, --context, --baseline, --sprt out")


def plan_of(
    chosen: Lineup, pairs: int, players: int, seed: int | None = None, seeds: tuple[int, ...] | None = None
) -> Plan:
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
