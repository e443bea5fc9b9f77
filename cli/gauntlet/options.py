"""The options of `ladder gauntlet run`, in part those of `auto`, and those that say who acts."""

from __future__ import annotations

from typing import Annotated

from cli.answer import option
from cli.options.names import league_option, player_option
from cli.options.numbers import finite, jobs_option, real_option, seed_option
from engine.conversation import MOST_PLAYERS
from engine.errors import UsageFault
from ladder.gauntlets.plan import BOUNDS, CONTEXT, LEAST_MINUTES, MOST_MINUTES, PAIRS, PAIRS_OF_A_TEST
from ladder.statistics.sprt_settings import ELO_MODEL, ERROR_RATE, SprtSettings

USUAL_BOUNDS = ",".join(f"{bound:g}" for bound in BOUNDS)

AgainstOption = Annotated[
    list[str] | None,
    option(
        "--against",
        "Opponents, several times or with commas: kraken@v7, kraken, prior:5, boss, board:top10. "
        "[default: predecessor, the version that it would replace]",
    ),
]
ContextOption = Annotated[
    list[str] | None,
    option(
        "--context",
        "Opponents that are met for information and do not decide, on every fifth seed; or none. "
        f"[default: {','.join(CONTEXT)}; none with --against]",
    ),
]
PairsOption = Annotated[
    int | None,
    option(
        "--pairs",
        f"At most this many per opponent; without --sprt as many. [default: {PAIRS_OF_A_TEST}, or {PAIRS} of variants]",
        min=1,
        max=1_000_000,
    ),
]
PlayersOption = Annotated[
    int | None,
    option(
        "--players",
        "Of each match, in a game that can have several numbers. [default: the most that it can have]",
        min=2,
        max=MOST_PLAYERS,
    ),
]
SprtOption = Annotated[
    str | None,
    option(
        "--sprt",
        "Stop as soon as it is clear whether the difference is ELO0 or ELO1, as in -30,30 or 0,10. "
        f"[default: {USUAL_BOUNDS}; none with --pairs, --seeds or --vary]",
    ),
]
MinutesOption = Annotated[
    float | None,
    real_option(
        "--minutes",
        LEAST_MINUTES,
        MOST_MINUTES,
        "In place of --sprt: the narrowest symmetric bounds by which an equally good version takes so long.",
    ),
]
ModelOption = Annotated[str, option("--model", "The Elo of --sprt: logistic or normalized.")]
AlphaOption = Annotated[float, option("--alpha", "The chance to pass what is only ELO0 better.", callback=finite)]
BetaOption = Annotated[float, option("--beta", "The chance to fail what is ELO1 better.", callback=finite)]

BaselineOption = Annotated[
    str | None, option("--baseline", "A version that plays the same opponents on the same seeds.")
]
SeedOption = Annotated[int | None, seed_option("From which the pairs' seeds come. [default: random]")]
SeedsOption = Annotated[str | None, option("--seeds", "The pairs' seeds: 1..200, 1,2,3, or a file.")]
LeagueOption = Annotated[str | None, league_option("Whose rules, boss and board. [default: where the bot plays]")]
LocalOption = Annotated[bool, option("--local", "Play here and now, without workers; opponents can be files too.")]
TrustedOption = Annotated[
    bool, option("--trusted", "With --local, in games whose own command starts the bots: that you trust all that play.")
]
JobsOption = Annotated[int, jobs_option("With --local: matches at once")]
BotOption = Annotated[
    str | None,
    option(
        "--bot -b", "With --local: the bot whose next version the file is. [default: its folder's, or the file's name]"
    ),
]

ParamOption = Annotated[
    list[str] | None,
    option(
        "--param",
        "A parameter of the candidate, besides its version's own, as in DEPTH=6. Can be given again.",
        metavar="NAME=VALUE",
    ),
]
VaryOption = Annotated[
    list[str] | None,
    option(
        "--vary",
        "Compare these variants of the candidate with each other on the same seeds, as in DEPTH=4,6,8; "
        "those of a file here and now.",
        metavar="NAME=VALUES",
    ),
]


CasesOption = Annotated[
    bool, option("--cases", "With --local: ask the candidate in the folder's cases first, and play only if they hold.")
]
WorseOnlyOption = Annotated[
    bool, option("--worse-only", "Print only where the candidate lost and the version before did not.")
]
PlayerOption = Annotated[str | None, player_option("Who began it.")]
OperatorOption = Annotated[
    bool, option("--operator", "Act as an operator, also on what others began; the record names you.")
]


def words_in(against: list[str] | None) -> tuple[str, ...]:
    return tuple(word.strip() for part in against or () for word in part.split(","))


def context_in(context: list[str] | None) -> tuple[str, ...] | None:
    return () if context == ["none"] else None if context is None else words_in(context)


def test_of(sprt: str | None, alpha: float, beta: float, model: str) -> SprtSettings | None:
    """Read the bounds of --sprt, as in -20,20. What only a test has asks for one, too. Raises UsageFault."""
    if sprt is None and (alpha, beta, model) == (ERROR_RATE, ERROR_RATE, ELO_MODEL):
        return None
    try:
        elo0, elo1 = (float(part) for part in (sprt or USUAL_BOUNDS).split(","))
    except ValueError as error:
        words = f"the lower and the upper bound, as in {USUAL_BOUNDS}"
        raise UsageFault(f"--sprt {sprt} should be two numbers: {words}") from error
    return SprtSettings(elo0, elo1, alpha, beta, model)
