"""`ladder play`: the command.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.options.here import contest_here
from cli.options.names import first_game_argument, player_argument
from cli.options.sandbox import SandboxOption
from cli.options.seeds import checked_seed, following_seed, read_seeds
from cli.play.options import (
    AgainstOption,
    ClockOption,
    EarlyLineOption,
    FirstLimitOption,
    JobsOption,
    LeagueOption,
    MatchesOption,
    NoLimitOption,
    ParamAOption,
    ParamBOption,
    PolicyOption,
    SeedOption,
    SeedsOption,
    StderrOption,
    SwapOption,
    TurnLimitOption,
    WorseOnlyOption,
)
from cli.play.players import entrants
from cli.play.series import complain, play_series, seatings, stopped_early
from cli.play.worse import Again, show_worse, typed_rules
from engine.bot.clock import Clock, Policy, TimeRule
from engine.bot.conditions import Conditions
from engine.errors import UsageFault
from engine.match import MatchSpec
from engine.series import PlaySettings, jobs_or_all_cores
from engine.toolchains.params import read_params

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cli.play.entrant import Entrant
    from engine.conversation import TimeLimits
    from engine.game import Game

NO_LIMIT_MS = 24 * 60 * 60 * 1000
"""A day, which is no limit to a person with a debugger."""


def play(
    typer_context: typer.Context,
    game: Annotated[str | None, first_game_argument()] = None,
    first: Annotated[
        str | None,
        player_argument(
            "A bot: a source, folder, archive or program, a boss as in boss-bronze, or a version as in nemo@v3. "
            "[default: the folder's source]"
        ),
    ] = None,
    second: Annotated[str | None, player_argument("Another bot, likewise.")] = None,
    seed: SeedOption = None,
    seeds: SeedsOption = None,
    league: LeagueOption = None,
    matches: MatchesOption = None,
    swap: SwapOption = False,
    worse_only: WorseOnlyOption = False,
    against: AgainstOption = None,
    param_a: ParamAOption = None,
    param_b: ParamBOption = None,
    jobs: JobsOption = 0,
    first_limit: FirstLimitOption = None,
    turn_limit: TurnLimitOption = None,
    no_limit: NoLimitOption = False,
    clock: ClockOption = Clock.FAIR,
    policy: PolicyOption = Policy.STRICT,
    sandbox: SandboxOption = None,
    early_line_loses: EarlyLineOption = False,
    stderr: StderrOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Play two bots against each other here.

    In the sandbox, with the official time limits, and with no services at all: files, bosses that come with the game,
    and versions of the ladder, which are read from its database. A match for which this machine is too busy to be fair
    is played again, at most twice more, and its line says so. If it is still void, the others are played all the same,
    and the exit status is 1. In a bot's folder the game may be left out, and the first bot too:
    the folder's plays then.

    Example: ladder play ocean-of-code a.py b.cpp --seed 42 --league bronze --matches 20

    Example: ladder play ocean-of-code nemo.py boss-bronze --seeds 1..200

    Example: ladder play ocean-of-code nemo.py nemo@v3 --seed 7 --swap --stderr a

    Example: ladder play ../wahoo/wahoo.py

    Example: ladder play ocean-of-code ./kraken/ "./wahoo_bin --depth 8"

    Example: ladder play ocean-of-code v8.py v7.py --seeds 1..200 --worse-only --against boss-gold
    """
    from cli.play.texts import show_series, view_of

    context = this(typer_context)
    found, one, other = contest_here(context.games, (game, first, second))
    limits = limits_of(found, first_limit, turn_limit, no_limit=no_limit)
    chosen = None if league is None else found.league(league).rules_level
    maps, number = seeds_and_matches(matches, seed, seeds)
    given = read_params(param_a or ()), read_params(param_b or ())
    if against is not None and not worse_only:
        raise UsageFault("--against goes with --worse-only: without it two bots play each other")
    words = [one, other] if against is None else [one, other, against]
    first_one, second_one, *others = entrants(context, found, words)
    who = first_one.but(given[0]), second_one.but(given[1]), *others
    level = usual_rules(context, found, who) if chosen is None else chosen
    if no_limit:
        context.say("there are no time limits: the results do not compare with those of the ladder")
    spec = MatchSpec(found, level, maps[0], limits.first_ms, limits.turn_ms)
    series = seatings(spec, maps, number, swap=swap)
    conditions = Conditions(time=TimeRule(policy, clock), early_line_loses=early_line_loses)
    settings = PlaySettings(conditions, jobs_or_all_cores(jobs), sandbox)
    if worse_only:
        league_name = next(one.name for one in found.leagues if one.rules_level == level)
        rules = ["--league", league_name, *typed_rules(typer_context, is_direct=not others)]
        again = Again([found.name, one, words[-1]], rules)
        built, labels = [entrant.program(sandbox) for entrant in who], [entrant.label for entrant in who]
        show_worse(context, spec, maps, built, labels, again, settings, as_json=as_json)
        return
    programs = who[0].program(sandbox), who[1].program(sandbox)
    began = time.monotonic()
    came = play_series(context, series, programs, settings)
    elapsed_s, over = time.monotonic() - began, series[: len(came)]
    if as_json:
        names, rule, params = (who[0].name, who[1].name), conditions.time, (who[0].params, who[1].params)
        context.show_json([view_of(*one, names, rule, params) for one in zip(over, came, strict=True)])
    else:
        show_series(context, over, came, (who[0].label, who[1].label), elapsed_s, stderr)
    stopped_early(context, len(came), len(series))
    complain([played.result for played in came])


def limits_of(game: Game, first_ms: int | None, turn_ms: int | None, *, no_limit: bool) -> TimeLimits:
    """Return the limits of time that are asked for. Raises UsageFault where they contradict one another."""
    if not no_limit:
        return game.limits.but(first_ms, turn_ms)
    if first_ms is not None or turn_ms is not None:
        raise UsageFault("--no-limit takes all limits away: leave it out, or leave --first-limit and --turn-limit out")
    return game.limits.but(NO_LIMIT_MS, NO_LIMIT_MS)


def usual_rules(context: Context, game: Game, who: Sequence[Entrant]) -> int:
    """Return the rules level by which these play where no league is named, and say so unless it is the highest's."""
    home = next((one.home for one in who if one.home is not None), None)
    highest = game.leagues[-1].rules_level
    if home is None or home.rules_level == highest:
        return highest
    context.say(f"by the rules of {home.title}; --league chooses others")
    return home.rules_level


def seeds_and_matches(matches: int | None, seed: int | None, seeds: str | None) -> tuple[Sequence[int], int]:
    """Return the seeds of a series, and of how many matches it is. Raises UsageFault."""
    if seeds is None:
        first, number = checked_seed(seed), matches or 1
        return [following_seed(first, step) for step in range((number + 1) // 2)], number
    if seed is not None or matches is not None:
        raise UsageFault("--seeds says which matches are played: leave --seed and --matches out")
    chosen = read_seeds(seeds)
    return chosen, 2 * len(chosen)
