"""`ladder play`: the command and its options."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import repeat
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import play as parts
from cli.answer import option
from cli.context import Context, this
from cli.entrant import Entrant
from cli.options.files import GameFolderOption
from cli.options.folder_defaults import contest_here
from cli.options.matches import ClockOption, PolicyOption
from cli.options.names import SandboxOption, first_game_argument, league_option, player_argument
from cli.options.numbers import (
    LARGEST_LIMIT_MS,
    MOST_MATCHES,
    following_seed,
    jobs_option,
    read_seeds,
    seed_option,
    seed_or_drawn,
)
from cli.play.losses import Looking, again_command, against_a_third, lost_worst_first, show_worse
from cli.play.series import Keeper, MatchLog, Seating, entrants, play_tasks, seatings, sides_of, tasks_of
from engine.bot.clock import Clock, Policy, TimeRule
from engine.bot.conditions import Conditions
from engine.conversation import TimeLimits, seat_orders
from engine.errors import UsageFault
from engine.game import Game
from engine.match import MatchSpec
from engine.referees.edition import load_any_folder
from engine.series import PlaySettings, jobs_or_all_cores
from engine.toolchains.params import NO_PARAMS, read_params
from ladder.views.turns.rows import played_row

if TYPE_CHECKING:
    from cli.entrant import Home

NO_LIMIT_MS = 24 * 60 * 60 * 1000
"""A day, which is not a limit to a person with a debugger."""


def limit_option(name: str, about: str) -> Any:
    return option(name, f"{about} [default: the game's]", min=1, max=LARGEST_LIMIT_MS, metavar="MS")


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
    others: Annotated[list[str] | None, player_argument("More bots, where the game has more seats.")] = None,
    game_folder: GameFolderOption = None,
    seed: Annotated[
        int | None, seed_option("The first pair's seed, a signed 64-bit number. [default: six digits, drawn]")
    ] = None,
    seeds: Annotated[
        str | None,
        option(
            "--seeds", "Play these seeds, each with both seat orders: 1..200, a list as in 1,2,3, or a file of them."
        ),
    ] = None,
    league: Annotated[
        str | None,
        league_option("Whose rules. [default: those of the first boss's or version's league, else of the highest]"),
    ] = None,
    matches: Annotated[
        int | None,
        option(
            "--matches -n", "How many; each seed is played with both seat orders. [default: 1]", min=1, max=MOST_MATCHES
        ),
    ] = None,
    swap: Annotated[bool, option("--swap", "Let the second bot be player 0 first.")] = False,
    worse_only: Annotated[
        bool, option("--worse-only", "Print only where the first bot, the new one, loses and the old one does not.")
    ] = False,
    against: Annotated[
        str | None, option("--against", "With --worse-only: a third bot, which both play on the same seeds and seats.")
    ] = None,
    param_a: Annotated[
        list[str] | None,
        option(
            "--param-a",
            "A parameter of the first bot, as in DEPTH=6: a variable of its environment. Can be given again.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    param_b: Annotated[
        list[str] | None, option("--param-b", "Likewise of the second bot.", metavar="NAME=VALUE")
    ] = None,
    jobs: Annotated[int, jobs_option()] = 0,
    first_limit: Annotated[int | None, limit_option("--first-limit", "Milliseconds for a bot's first answer.")] = None,
    turn_limit: Annotated[int | None, limit_option("--turn-limit", "Milliseconds for each later answer.")] = None,
    no_limit: Annotated[
        bool, option("--no-limit", "No time limits, for a debugger: such results compare with no others.")
    ] = False,
    clock: ClockOption = Clock.FAIR,
    policy: PolicyOption = Policy.STRICT,
    sandbox: SandboxOption = None,
    early_line_loses: Annotated[
        bool, option("--early-line-loses", "A line that comes before it is asked for loses the match.")
    ] = False,
    trusted: Annotated[
        bool,
        option("--trusted", "For games whose own command starts the bots, all in one box: that you trust these bots."),
    ] = False,
    *,
    looking: Looking,
) -> None:
    """Play bots against each other here: two, or as many as the game has seats.

    In the sandbox, with the official time limits, and with no services at all: files, bosses that come with the game,
    and versions of the ladder, which are read from its database. A match for which this machine is too busy to be fair
    is played again, at most twice more, and its line says so. If it is still void, the others are played all the same,
    and the exit status is 1. In a bot's folder the game may be left out, and the first bot too:
    the folder's plays then.

    The last 1,000 matches are kept: `ladder match list --local` lists them, `ladder match view play:1` opens the
    latest. --log writes a folder for each match and seat, as in FOLDER/07-seed-42/seat-0-nemo.py: in.txt is exactly
    what the bot was sent, out.txt what it said, err.txt what it wrote to stderr, with a heading for each turn.

    Example: ladder play ocean-of-code a.py b.cpp --seed 42 --league bronze --matches 20
    Example: ladder play ocean-of-code nemo.py boss-bronze --seeds 1..200
    Example: ladder play ocean-of-code nemo.py nemo@v3 --seed 7 --swap --stderr a
    Example: ladder play olymbits a.py b.cpp c.py --seed 42 --matches 10
    Example: ladder play tron a.py b.py --trusted
    Example: ladder play ../wahoo/wahoo.py
    Example: ladder play --game-folder ./tron-game a.py b.cpp
    Example: ladder play ocean-of-code ./kraken/ "./wahoo_bin --depth 8"
    Example: ladder play ocean-of-code v8.py v7.py --seeds 1..200 --worse-only --against boss-gold
    Example: ladder play nemo.py boss-bronze --seeds 1..50 --keep-worst 3 --view
    Example: ladder play nemo.py boss-bronze --seeds 1..50 --html worst.html
    Example: ladder play nemo.py boss-bronze --seeds 1..200 --csv > nemo.csv
    """
    context = this(typer_context)
    looking.check()
    named: list[str | None] = [game, first, second, *(others or ())]
    if game_folder is not None:
        own_game = load_any_folder(game_folder)
        context.know_game(own_game)
        typed = [word for word in named if word is not None]
        named = [*([] if typed[:1] == [own_game.name] else [own_game.name]), *typed, None, None]
    rules, words = contest_here(context.games, named[:3], [word for word in named[3:] if word is not None])
    limits = limits_of(rules, first_limit, turn_limit, no_limit=no_limit)
    chosen = None if league is None else rules.league(league)
    battle_matches = len(seat_orders(len(words), rules.seat_orders))
    maps, number = seeds_and_matches(matches, seed, seeds, battle_matches)
    params = read_params(param_a or ()), read_params(param_b or ()), *repeat(NO_PARAMS, len(words))
    check_comparison(rules, len(words), against, as_csv=looking.as_csv, worse_only=worse_only)
    rules.require_trust(trusted=trusted)
    if looking.log or looking.keep_worst:
        rules.require_lines("--log or --keep-worst")
    meant = words if against is None else [*words, against]
    who = [entrant.but(own) for entrant, own in zip(entrants(context, rules, meant), params, strict=False)]
    home = usual_rules(context, rules, who) if chosen is None else chosen
    if no_limit:
        context.say("there are no time limits: the results do not compare with those of the ladder")
    first_ms, turn_ms = rules.limits_said(limits)
    spec = MatchSpec(rules, home.rules_level, maps[0], first_ms, turn_ms, players=len(words))
    conditions = Conditions(time=TimeRule(policy, clock), early_line_loses=early_line_loses, trusted=trusted)
    settings = PlaySettings(conditions, jobs_or_all_cores(jobs), sandbox)
    labels = [entrant.label for entrant in who]
    series = seatings(spec, maps, 2 * len(maps)) if worse_only else seatings(spec, maps, number, swap=swap)
    series = series if against is None else against_a_third(series)
    sides = sides_of(series, labels)
    match_log = None if looking.log is None else MatchLog(looking.log, len(sides), force=looking.force)
    keeper = Keeper(context, sides, home.title, conditions.time, match_log)
    if worse_only:
        league = next(one.name for one in rules.leagues if one.rules_level == home.rules_level)
        again = again_command(typer_context, [rules.name, meant[0], meant[-1]], league, is_direct=against is None)
        programs = [entrant.program(sandbox) for entrant in who]
        show_worse(series, programs, labels, again, settings, keeper, looking)
        return
    play_and_show(series, who, settings, keeper, looking)


def check_comparison(game: Game, bots: int, against: str | None, *, as_csv: bool, worse_only: bool) -> None:
    if worse_only:
        if as_csv:
            raise UsageFault("--worse-only prints pairs of matches, which --csv has no rows for: --json has them")
        game.require_repeatable("--worse-only")
        if bots > 2:
            raise UsageFault("--worse-only compares two bots: name two")
    elif against is not None:
        raise UsageFault("--against goes with --worse-only: without it two bots play each other")


def play_and_show(
    series: list[Seating], who: Sequence[Entrant], settings: PlaySettings, keeper: Keeper, looking: Looking
) -> None:
    context = keeper.context
    tasks = tasks_of(series, [entrant.program(settings.tier) for entrant in who])
    began = time.monotonic()
    outcomes = play_tasks(context, tasks, settings, keeper)
    elapsed_s = time.monotonic() - began
    over = series[: len(outcomes)]
    if looking.as_json or looking.as_csv:
        bots = [(entrant.name, entrant.params) for entrant in who]
        names_kept = [match.name or None if match else None for match in keeper.matches]
        rows = [
            parts.texts.view_of(seating, played, bots, settings.conditions.time, name)
            for seating, played, name in zip(over, outcomes, names_kept, strict=True)
        ]
        if looking.as_json:
            context.show_json(rows)
        else:
            context.show_csv(map(played_row, rows))
    else:
        labels = [entrant.label for entrant in who]
        parts.texts.show_series(context, over, outcomes, labels, elapsed_s, looking.stderr)
    looking.end(keeper, lost_worst_first(keeper.kept), who[0].label)


def limits_of(game: Game, first_ms: int | None, turn_ms: int | None, *, no_limit: bool) -> TimeLimits:
    if not no_limit:
        return game.limits.but(first_ms, turn_ms)
    if first_ms is not None or turn_ms is not None:
        raise UsageFault("--no-limit takes all limits away: leave it out, or leave --first-limit and --turn-limit out")
    return game.limits.but(NO_LIMIT_MS, NO_LIMIT_MS)


def usual_rules(context: Context, game: Game, who: Sequence[Entrant]) -> Home:
    highest = game.leagues[-1]
    home = next((entrant.home for entrant in who if entrant.home is not None), highest)
    if home.rules_level != highest.rules_level:
        context.say(f"by the rules of {home.title}; --league chooses others")
    return home


def seeds_and_matches(
    matches: int | None, seed: int | None, seeds: str | None, battle_matches: int
) -> tuple[Sequence[int], int]:
    if seeds is None:
        first, number = seed_or_drawn(seed), matches or 1
        return [following_seed(first, step) for step in range(ceil(number / battle_matches))], number
    if seed is not None or matches is not None:
        raise UsageFault("--seeds says which matches are played: leave --seed and --matches out")
    chosen = read_seeds(seeds)
    return chosen, battle_matches * len(chosen)
