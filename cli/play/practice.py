"""Practice with a bot: `ladder case`, `ladder dev` and `ladder match rematch`.

`case` asks it, in seconds, in positions in which it must not answer as it did when it lost; `dev` watches its file, and
at each save builds it, asks it in its cases and plays some seeds; `rematch` lets it enter a match that is finished.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import cli
from cli import play
from cli.answer import Answer, Done, Found, Rows, argument, option
from cli.context import Context
from cli.options.files import file_option, force_option
from cli.options.folder_defaults import game_here, required_source
from cli.options.matches import MatchArgument, watched
from cli.options.names import SandboxOption, bosses, game_option, league_option
from cli.options.numbers import MOST_TURNS, jobs_option, read_seeds
from engine.errors import UsageFault
from engine.text import counted
from engine.toolchains.source import CASES
from ladder.matches.local_matches import LocalName

FolderOption = Annotated[
    Path | None, option("--cases", f"The folder of the cases. [default: {CASES} in the bot's folder, or here]")
]


def add_case(
    context: Context,
    match: MatchArgument,
    turn: Annotated[int, option("--turn", "The turn of the match.", min=1, max=MOST_TURNS)],
    expect: Annotated[
        list[str] | None,
        option(
            "--expect",
            "Words with which an order of the answer has to begin, or a /pattern/; 'not ' before it: must not. "
            "[default: another answer]",
        ),
    ] = None,
    judge: Annotated[str | None, option("--judge", "A command that judges the answer, in place of --expect.")] = None,
    note: Annotated[str, option("--note", "What it is about.")] = "",
    folder: FolderOption = None,
    force: Annotated[bool, force_option("a case that exists", "write over it")] = False,
) -> Done:
    """Keep a position of a match, so that no later version answers there as this one did.

    The file has all that the seat was sent up to that turn, so it can be kept with the bot's source. Turns are counted
    as `ladder match show --turns` counts them; whose turn it is, is asked. A judge is started for each answer in the
    folder of the cases, reads JSON from standard input (sent, said, answer), and ends with 0 where the answer holds, or
    with 1.

    Example: ladder case add 173 --turn 41 --expect "not SURFACE"
    Example: ladder case add official:12 --turn 41 --expect "/TORPEDO [0-4] /" --expect "not MOVE N"
    Example: ladder case add play:1 --turn 17 --judge ./judge.py
    """
    watched_match = watched(context, match)
    context.games.find(watched_match.game).require_lines("a case")
    into = cli.cases.cases_folder(folder)
    return cli.cases.keep(watched_match, turn, into, expect or (), judge, note, over=force)


def list_cases(folder: FolderOption = None) -> Rows:
    """List the cases that are kept.

    Example: ladder case list
    """
    return cli.cases.list_in(cli.cases.cases_folder(folder))


def run_cases(
    context: Context,
    bot: Annotated[
        str | None,
        argument("A source, folder or program, or a version as in kraken@v8. [default: the folder's source]"),
    ] = None,
    folder: FolderOption = None,
    jobs: Annotated[int, jobs_option("Cases at once")] = 0,
    sandbox: SandboxOption = None,
) -> Found:
    """Ask a bot in all positions that are kept, in the sandbox and with the time that it had.

    It is sent what its seat was sent in the match; what it answers on the way does not count. Exit status 1 where an
    answer is not as it has to be. No services have to run.

    Example: ladder case run
    Example: ladder case run kraken.py --json
    """
    source = required_source(bot)
    game, cases = cli.cases.cases_to_ask(cli.cases.cases_folder(folder))
    (entrant,) = play.series.entrants(context, context.games.find(game), [source])
    return cli.cases.ask_in_cases(context, cases, entrant.program(sandbox), jobs, sandbox)


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
    ] = "1..3",
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
    source = required_source(bot)
    if not Path(source).exists():
        raise UsageFault(f"there is no file {source}")
    name = game or game_here()
    if name is None:
        raise UsageFault("name the game with --game; a `ladder.toml` in the bot's folder names it for good")
    numbers = read_seeds(seeds)
    if len(numbers) > MOST_SEEDS:
        raise UsageFault(f"--seeds names {counted(len(numbers), 'seed')}; each save plays at most {MOST_SEEDS}")
    rules = context.games.find(name)
    rules.require_lines("`ladder dev`")
    words = [word.strip() for word in (against or next(iter(rules.bosses))).split(",") if word.strip()]
    opponents = play.series.entrants(context, rules, words)
    homes = [opponent.home for opponent in opponents if opponent.home is not None]
    home = rules.league(league) if league is not None else homes[0] if homes else rules.leagues[-1]
    cases = cli.cases.cases_folder(folder)
    shop = play.workshop.Workshop(
        context=context,
        game=rules,
        bot=source,
        opponents=opponents,
        rules=home,
        seeds=numbers,
        cases=cases,
        jobs=jobs,
        tier=sandbox,
    )
    return play.workshop.watch(shop, once=once)


def rematch(
    context: Context,
    match: MatchArgument,
    file: Annotated[
        Path | None,
        file_option("--with", "A file or folder that takes the place of the version whose bot it is named like."),
    ] = None,
    seat: Annotated[
        int | None, option("--seat", "Whose place it takes, where the name does not say.", min=0, max=7)
    ] = None,
    from_turn: Annotated[
        int | None, option("--from-turn", "Let the file play on from this turn of the match.", min=1, max=MOST_TURNS)
    ] = None,
    then: Annotated[
        str | None,
        option(
            "--then",
            "With --from-turn: who plays on where an opponent's recorded answers end or are refused: a boss, "
            "version or file. [default: the version that played]",
            autocompletion=bosses,
        ),
    ] = None,
    recorded: Annotated[
        bool, option("--recorded", "Play what was said then to the referee program, and compare.")
    ] = False,
    sandbox: SandboxOption = None,
) -> Annotated[Answer, "Print both matches as JSON."]:
    """Play a finished match again here, with your file in place of a version.

    On the same seed and rules, in the same seats, with the same limits and rule for time; all other limits are those
    that the league has now. Nothing is stored. Without --with the same two versions play again. No services have to
    run.

    Of a match that `ladder play` played here, or of the official site, there are no opponents, only their answers. So
    the file is asked what its seat was asked for as long as it says the same, and it is said on which turn it does not.

    --from-turn lets it play on from there, in any of these matches: before that turn the recorded answers count, and
    the opponents go on with theirs while the referee takes them. The match is kept as play:1.

    --recorded plays no bot: a fresh referee program is given the answers of the match, and it is said whether it asks
    the same and gives the same scores, or what the first difference is; exit status 1 then. A game whose matches
    cannot be repeated is refused with 3.

    Example: ladder match rematch 17 --with ./kraken.py
    Example: ladder match rematch official:12 --with ./kraken.py
    Example: ladder match rematch official:12 --with ./kraken.py --from-turn 41 --then boss-gold
    Example: ladder match rematch 17 --recorded
    """
    if recorded:
        if from_turn is not None or then is not None:
            raise UsageFault("--recorded plays what was said then: leave --from-turn and --then out")
        if isinstance(match.words, LocalName):
            raise UsageFault("--recorded is for matches of the ladder, by their number")
        if file is not None or seat is not None:
            raise UsageFault("--recorded plays what was said then: leave --with and --seat out")
        return play.entry.play_recorded(context, match.words, sandbox)
    if then is not None and from_turn is None:
        raise UsageFault("--then says who plays on, so it goes with --from-turn")
    if isinstance(match.words, LocalName) or from_turn is not None:
        return play.entry.enter(context, match, file, seat, from_turn, then, sandbox)
    return play.entry.play_again(context, match, file, seat, sandbox)
