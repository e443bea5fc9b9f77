"""`ladder dev`: a bot's file is watched, and at each save it is built, asked in its cases, and plays some seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cli import play
from cli.context import Context
from cli.options.here import game_here, required_source
from cli.options.names import SandboxOption, game_option, league_option
from cli.options.numbers import jobs_option, read_seeds
from cli.program.parameters import argument, option
from engine.errors import UsageFault
from engine.text import counted

USUAL_SEEDS = "1..3"
MOST_SEEDS = 100


def dev(
    context: Context,
    bot: Annotated[str | None, argument("A source or a folder. [default: the folder's source]")] = None,
    against: Annotated[
        str | None, option("--against", "Bosses, versions or files, with commas. [default: the lowest boss]")
    ] = None,
    game: Annotated[str | None, game_option("Which game.")] = None,
    league: Annotated[
        str | None, league_option("Whose rules. [default: those of the first opponent's league, else the highest]")
    ] = None,
    seeds: Annotated[
        str, option("--seeds", "Each is played with both seat orders: 1..5, or a list as in 1,2,3.")
    ] = USUAL_SEEDS,
    folder: Annotated[
        Path | None, option("--cases", "The folder of the cases that it is asked in. [default: the bot's]")
    ] = None,
    jobs: Annotated[int, jobs_option()] = 0,
    once: Annotated[bool, option("--once", "Do it once and end, with 1 if it does not build or hold.")] = False,
    sandbox: SandboxOption = None,
) -> int:
    """Watch a bot's file: at each save build it, ask it in its cases, and play some seeds. Ctrl-C ends it.

    One screen has the results against each opponent, what they were at the last save, the longest turn, the matches
    that were lost with the command that opens each, and what the bot wrote to stderr in the worst of them. A save while
    matches are played begins anew. The matches are kept as those of `ladder play` are.

    Example: ladder dev kraken.py --against boss-gold,kraken@v7

    Example: ladder dev --seeds 1..10
    """
    own = required_source(bot)
    name = game or game_here()
    if name is None:
        raise UsageFault("name the game with --game; a `ladder.toml` in the bot's folder names it for good")
    chosen = read_seeds(seeds)
    if len(chosen) > MOST_SEEDS:
        raise UsageFault(f"--seeds names {counted(len(chosen), 'seed')}; each save plays at most {MOST_SEEDS}")
    shop = play.workshop.shop_for(context, own, name, against, league, chosen, folder, jobs, sandbox)
    return play.workshop.watch(shop, once=once)
