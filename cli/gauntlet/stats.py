"""`ladder gauntlet stats`: what results of pairs say, without services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cli.answer import Answer, argument, option
from cli.options.numbers import pair_counts
from ladder import views
from ladder.choices import GauntletVerdict
from ladder.statistics.elo import PENTANOMIAL, TRINOMIAL
from ladder.statistics.sprt_settings import ELO_MODEL, ERROR_RATE, SprtSettings

if TYPE_CHECKING:
    from ladder.views.pair_statistics import PairStatistics


MEANINGS: dict[GauntletVerdict, str] = {
    GauntletVerdict.PASSED: "passed, elo1 is the better explanation",
    GauntletVerdict.FAILED: "failed, elo0 is the better explanation",
    GauntletVerdict.UNDECIDED: "undecided, play on",
}

UNITS = {TRINOMIAL: "matches", PENTANOMIAL: "pairs"}
"""What is counted, by the number of outcomes; of more players it is seeds with every seat once."""


def statistics_text(found: PairStatistics, *, stopped: bool) -> str:
    """Say it in a few lines. `stopped`: the estimate is that after a sequential test, else that of a fixed length."""
    lower, upper = found.bounds
    elo, (low, high), los = found.elo, found.ci, found.los
    if stopped:
        elo, (low, high), los = found.sprt.elo, found.sprt.ci, found.sprt.LOS
    test = f"{found.elo0:g} to {found.elo1:g} Elo ({found.elo_model})"
    lines = (
        counts_text(found),
        f"Elo               {elo:+z.1f}, {low:+z.1f} to {high:+z.1f} (95 %), LOS {los:.1%}",
        f"SPRT              {test}: LLR {found.llr:z.2f} in {lower:.2f} to {upper:.2f}: {MEANINGS[found.state]}",
    )
    return "\n".join(lines)


def counts_text(found: PairStatistics) -> str:
    counts, ratio = found.results, found.pair_ratio
    middle = len(counts) // 2
    unit = UNITS.get(len(counts), "seeds")
    won = f", {ratio:.2f} won for each lost" if ratio is not None else ""
    return (
        f"{unit:18}{sum(counts)}: {sum(counts[middle + 1 :])} won, {counts[middle]} even, {sum(counts[:middle])} lost; "
        f"{found.draw_ratio:.1%} even{won}"
    )


def show_statistics(
    counts: Annotated[
        list[int],
        argument(
            "Five counts of pairs, from two losses to two wins; or three: losses, draws, wins; or of games of "
            "three, four .. players 13, 25 .. counts of seeds with every seat once, by points.",
            metavar="COUNT",
            callback=pair_counts,
        ),
    ],
    elo0: Annotated[float | None, option("--elo0", "What H0 says the difference is.", show_default="0")] = None,
    elo1: Annotated[float | None, option("--elo1", "What H1 says it is.", show_default="10")] = None,
    alpha: Annotated[float, option("--alpha", "The chance to pass where H0 is true.")] = ERROR_RATE,
    beta: Annotated[float, option("--beta", "The chance to fail where H1 is true.")] = ERROR_RATE,
    model: Annotated[str, option("--model", "The Elo of the bounds: logistic or normalized.")] = ELO_MODEL,
) -> Annotated[Answer, "Print everything as JSON."]:
    """Print what results of pairs say: log-likelihood ratio, Elo with its interval, likelihood of superiority.

    Needs no services. The estimate is in logistic Elo, and that of a gauntlet of fixed length; with --elo0 or --elo1
    it is the one after a sequential test that stopped there. --json has both.

    Example: ladder gauntlet stats 3 25 60 40 9 --elo0 0 --elo1 10
    """
    settings = SprtSettings(0.0 if elo0 is None else elo0, 10.0 if elo1 is None else elo1, alpha, beta, model)
    found = views.pair_statistics.pair_statistics(counts, settings)
    stopped = elo0 is not None or elo1 is not None
    return Answer(found, statistics_text(found, stopped=stopped))
