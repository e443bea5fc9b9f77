"""`ladder gauntlet stats`: what results of pairs say, without services.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from cli.context import this
from cli.gauntlet.stats_texts import statistics_text
from cli.options.numbers import pair_counts
from ladder.statistics.defaults import ELO_MODEL, ERROR_RATE
from ladder.statistics.sprt_settings import SprtSettings


def show_statistics(
    typer_context: typer.Context,
    counts: Annotated[
        list[int],
        typer.Argument(
            metavar="COUNT",
            callback=pair_counts,
            help="Five counts of pairs, from two losses to two wins; or three: losses, draws, wins; or of games of "
            "three, four .. players 13, 25 .. counts of seeds with every seat once, by points.",
            show_default=False,
        ),
    ],
    elo0: Annotated[
        float | None, typer.Option("--elo0", help="What H0 says the difference is.", show_default="0")
    ] = None,
    elo1: Annotated[float | None, typer.Option("--elo1", help="What H1 says it is.", show_default="10")] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="The chance to pass where H0 is true.")] = ERROR_RATE,
    beta: Annotated[float, typer.Option("--beta", help="The chance to fail where H1 is true.")] = ERROR_RATE,
    model: Annotated[str, typer.Option("--model", help="The Elo of the bounds: logistic or normalized.")] = ELO_MODEL,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Print what results of pairs say: log-likelihood ratio, Elo with its interval, likelihood of superiority.

    Needs no services. The estimate is in logistic Elo, and that of a gauntlet of fixed length; with --elo0 or --elo1
    it is the one after a sequential test that stopped there. --json has both.

    Example: ladder gauntlet stats 3 25 60 40 9 --elo0 0 --elo1 10
    """
    from ladder.views.pair_statistics import pair_statistics

    context = this(typer_context)
    settings = SprtSettings(0.0 if elo0 is None else elo0, 10.0 if elo1 is None else elo1, alpha, beta, model)
    found = pair_statistics(counts, settings)
    stopped = elo0 is not None or elo1 is not None
    context.show_json(found) if as_json else context.show(statistics_text(found, stopped=stopped))
