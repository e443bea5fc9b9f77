"""The options of `ladder play`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from cli.options.names import league_option
from cli.options.numbers import LARGEST_LIMIT_MS, MOST_MATCHES, jobs_option, seed_option
from engine.bot.clock import Clock, Policy


class StderrOf(StrEnum):
    """Whose debug output is printed: of the bot that is named first, of the other, or of both."""

    A = "a"
    B = "b"
    BOTH = "both"


SeedOption = Annotated[
    int | None,
    seed_option("The first pair's seed, a signed 64-bit number. [default: six digits, drawn]"),
]
SeedsOption = Annotated[
    str | None,
    typer.Option(
        "--seeds", help="Play these seeds, each with both seat orders: 1..200, a list as in 1,2,3, or a file of them."
    ),
]
LeagueOption = Annotated[
    str | None,
    league_option("Whose rules. [default: those of the first boss's or version's league, else of the highest]"),
]
MatchesOption = Annotated[
    int | None,
    typer.Option(
        "--matches",
        "-n",
        min=1,
        max=MOST_MATCHES,
        help="How many; each seed is played with both seat orders. [default: 1]",
    ),
]
SwapOption = Annotated[bool, typer.Option("--swap", help="Let the second bot be player 0 first.")]
JobsOption = Annotated[int, jobs_option()]
FirstLimitOption = Annotated[
    int | None,
    typer.Option(
        "--first-limit",
        min=1,
        max=LARGEST_LIMIT_MS,
        metavar="MS",
        help="Milliseconds for a bot's first answer. [default: the game's]",
    ),
]
TurnLimitOption = Annotated[
    int | None,
    typer.Option(
        "--turn-limit",
        min=1,
        max=LARGEST_LIMIT_MS,
        metavar="MS",
        help="Milliseconds for each later answer. [default: the game's]",
    ),
]
NoLimitOption = Annotated[
    bool, typer.Option("--no-limit", help="No time limits, for a debugger: such results compare with no others.")
]
ClockOption = Annotated[
    Clock, typer.Option("--clock", help="What counts. fair: not the waiting for a busy host; wall: all time.")
]
PolicyOption = Annotated[
    Policy, typer.Option("--policy", help="What an overrun means. strict: a loss; codingame: grace, three strikes.")
]
EarlyLineOption = Annotated[
    bool, typer.Option("--early-line-loses", help="A line that comes before it is asked for loses the match.")
]
StderrOption = Annotated[
    StderrOf | None,
    typer.Option("--stderr", help="Print what the bots wrote to stderr: a, the first one; b, the second one; both."),
]
TrustedOption = Annotated[
    bool,
    typer.Option(
        "--trusted", help="For games whose own command starts the bots, all in one box: that you trust these bots."
    ),
]
WorseOnlyOption = Annotated[
    bool,
    typer.Option("--worse-only", help="Print only where the first bot, the new one, loses and the old one does not."),
]
AgainstOption = Annotated[
    str | None,
    typer.Option("--against", help="With --worse-only: a third bot, which both play on the same seeds and seats."),
]
ParamAOption = Annotated[
    list[str] | None,
    typer.Option(
        "--param-a",
        metavar="NAME=VALUE",
        help="A parameter of the first bot, as in DEPTH=6: a variable of its environment. Can be given again.",
    ),
]
ParamBOption = Annotated[
    list[str] | None, typer.Option("--param-b", metavar="NAME=VALUE", help="Likewise of the second bot.")
]
LogOption = Annotated[
    Path | None,
    typer.Option(
        "--log",
        metavar="FOLDER",
        help="Write input, output and stderr of every match and seat into this new folder.",
    ),
]
ForceOption = Annotated[
    bool,
    typer.Option(
        "--force",
        help="With --log: into a folder with files too. With --html: over a file. Both replace what is there.",
    ),
]
HtmlOption = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Write the match as a page that needs no network; of several the one that the first bot lost worst, or "
        "else the last one.",
    ),
]
KeepWorstOption = Annotated[
    int | None,
    typer.Option(
        "--keep-worst",
        metavar="N",
        min=1,
        max=MOST_MATCHES,
        help="Keep what the first bot was sent in the N matches that it lost worst, in the new folder `worst`.",
    ),
]
ViewOption = Annotated[
    bool, typer.Option("--view", help="Then open the match that the first bot lost worst, or else the last one.")
]
