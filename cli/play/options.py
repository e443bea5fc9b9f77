"""The options of `ladder play`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from cli.options.names import league_option
from cli.options.numbers import LARGEST_LIMIT_MS, MOST_MATCHES, jobs_option, seed_option
from cli.program.parameters import option
from engine.bot.clock import Clock, Policy


class StderrOf(StrEnum):
    """Whose debug output is printed: of the bot that is named first, of the other, or of both."""

    A = "a"
    B = "b"
    BOTH = "both"


SeedOption = Annotated[
    int | None, seed_option("The first pair's seed, a signed 64-bit number. [default: six digits, drawn]")
]
SeedsOption = Annotated[
    str | None,
    option("--seeds", "Play these seeds, each with both seat orders: 1..200, a list as in 1,2,3, or a file of them."),
]
LeagueOption = Annotated[
    str | None,
    league_option("Whose rules. [default: those of the first boss's or version's league, else of the highest]"),
]
MatchesOption = Annotated[
    int | None,
    option(
        "--matches -n", "How many; each seed is played with both seat orders. [default: 1]", min=1, max=MOST_MATCHES
    ),
]
SwapOption = Annotated[bool, option("--swap", "Let the second bot be player 0 first.")]
JobsOption = Annotated[int, jobs_option()]
FirstLimitOption = Annotated[
    int | None,
    option(
        "--first-limit",
        "Milliseconds for a bot's first answer. [default: the game's]",
        min=1,
        max=LARGEST_LIMIT_MS,
        metavar="MS",
    ),
]
TurnLimitOption = Annotated[
    int | None,
    option(
        "--turn-limit",
        "Milliseconds for each later answer. [default: the game's]",
        min=1,
        max=LARGEST_LIMIT_MS,
        metavar="MS",
    ),
]
NoLimitOption = Annotated[
    bool, option("--no-limit", "No time limits, for a debugger: such results compare with no others.")
]
ClockOption = Annotated[Clock, option("--clock", "What counts. fair: not the waiting for a busy host; wall: all time.")]
PolicyOption = Annotated[
    Policy, option("--policy", "What an overrun means. strict: a loss; codingame: grace, three strikes.")
]
EarlyLineOption = Annotated[
    bool, option("--early-line-loses", "A line that comes before it is asked for loses the match.")
]
StderrOption = Annotated[
    StderrOf | None,
    option("--stderr", "Print what the bots wrote to stderr: a, the first one; b, the second one; both."),
]
TrustedOption = Annotated[
    bool, option("--trusted", "For games whose own command starts the bots, all in one box: that you trust these bots.")
]
WorseOnlyOption = Annotated[
    bool, option("--worse-only", "Print only where the first bot, the new one, loses and the old one does not.")
]
AgainstOption = Annotated[
    str | None, option("--against", "With --worse-only: a third bot, which both play on the same seeds and seats.")
]
ParamAOption = Annotated[
    list[str] | None,
    option(
        "--param-a",
        "A parameter of the first bot, as in DEPTH=6: a variable of its environment. Can be given again.",
        metavar="NAME=VALUE",
    ),
]
ParamBOption = Annotated[list[str] | None, option("--param-b", "Likewise of the second bot.", metavar="NAME=VALUE")]
LogOption = Annotated[
    Path | None,
    option("--log", "Write input, output and stderr of every match and seat into this new folder.", metavar="FOLDER"),
]
ForceOption = Annotated[
    bool,
    option(
        "--force", "With --log: into a folder with files too. With --html: over a file. Both replace what is there."
    ),
]
HtmlOption = Annotated[
    Path | None,
    option(
        "--html",
        "Write the match as a page that needs no network; of several the one that the first bot lost worst, or "
        "else the last one.",
        metavar="FILE",
    ),
]
KeepWorstOption = Annotated[
    int | None,
    option(
        "--keep-worst",
        "Keep what the first bot was sent in the N matches that it lost worst, in the new folder `worst`.",
        metavar="N",
        min=1,
        max=MOST_MATCHES,
    ),
]
ViewOption = Annotated[
    bool, option("--view", "Then open the match that the first bot lost worst, or else the last one.")
]
