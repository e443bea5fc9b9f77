"""`ladder tune run | show | list | stop | resume`."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from cli import gauntlet, terminal
from cli import tune as tuning
from cli.answer import Answer, Done, ExitStatus, Found, Rows, argument, listing, option
from cli.context import Context
from cli.gauntlet import run as gauntlet_run
from cli.gauntlet.commands import ActorOptions
from cli.options.files import file_option
from cli.options.folder_defaults import candidate_here, named_version
from cli.options.names import game_option, operator_named
from cli.options.numbers import LimitOption, seed_or_drawn
from engine.errors import UsageFault
from engine.text import listed, one_line
from engine.toolchains.given_bot import means_file
from ladder import actions, views
from ladder.choices import GauntletState
from ladder.ids import LARGEST_ID, GauntletId
from ladder.tuning.parameters import LocalRequest, TuneRequest, read_parameters
from ladder.tuning.plan import FEWEST_PAIRS, MOST_PAIRS, PAIRS, PAIRS_PER_PARAMETER
from ladder.tuning.report import CONFIRMING


def run_tune(
    context: Context,
    candidate: Annotated[
        str | None,
        argument(
            "The version to be tuned, as in kraken@v8, or a file, which is played here. "
            "[default: the folder's bot or source]",
            callback=named_version,
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        option(
            "--param",
            "A parameter and its range: SURE=1..20 (whole numbers), K=0.5..4.0, C=0.01..10:log (by factors), "
            "MODE=a,b,c (in an order in which neighbours are alike). Can be given again.",
            metavar="NAME=RANGE",
        ),
    ] = None,
    start: Annotated[
        list[str] | None,
        option(
            "--start",
            "Where a parameter begins. [default: the version's own value, else the middle of the range]",
            metavar="NAME=VALUE",
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        option(
            "--against",
            "Opponents that both ends of each pair meet, several times or with commas: boss, kraken@v7. "
            "[default: none, both ends meet each other]",
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        option(
            "--pairs",
            "In all; a fifth of them compares the result with the start. "
            f"[default: {PAIRS} and {PAIRS_PER_PARAMETER} for each parameter]",
            min=FEWEST_PAIRS,
            max=MOST_PAIRS,
        ),
    ] = None,
    seed: gauntlet_run.SeedOption = None,
    league: gauntlet_run.LeagueOption = None,
    game: Annotated[str | None, game_option("The game, if several have such a bot.")] = None,
    local: Annotated[bool, option("--local", "Play here and now, without workers; a file always is.")] = False,
    state: Annotated[
        Path | None, file_option("--state", "With --local: the file that keeps what is found. [default: BOT.tune.json]")
    ] = None,
    *,
    here: gauntlet_run.LocalOptions,
    detach: Annotated[bool, option("--detach -d", "Do not wait for the result.")] = False,
    as_json: Annotated[bool, option("--json", "Print the result as JSON.")] = False,
) -> Annotated[Answer, "Print the result as JSON."]:
    """Find the values of a bot's parameters with which it plays best.

    A parameter is a variable of the bot's environment. Each pair plays two sets of values that lie on either side of
    the present ones, on one seed, and moves all values toward the better side. At the end the result meets the start on
    fresh seeds, so "no better than the start" is a result, too. The first pair of each parameter plays both ends of its
    range, and shows whether the bot reads it. Ctrl-C ends the waiting, not the tune; with --local both, and says what
    was found by then: `ladder tune resume` goes on.

    Example: ladder tune run kraken.cpp --param SURE=1..20 --param K=0.5..4.0 --game ocean-of-code
    Example: ladder tune run kraken@v8 --param DEPTH=4..12 --against boss,kraken@v7 --pairs 2000
    """
    read_parameters(param or ())
    named = candidate_here(local=True) if candidate is None else candidate
    asked: dict[str, Any] = {
        "candidate": named,
        "ranges": tuple(param or ()),
        "start": tuple(start or ()),
        "against": gauntlet_run.words_in(against),
        "pairs": pairs,
        "seed": seed_or_drawn(seed),
        "league": league,
        "game": game,
    }
    if local or means_file(named):
        if detach:
            raise UsageFault("what is played here and now has nothing that --detach could leave behind")
        stem = Path(one_line(named)).stem if means_file(named) else named.replace("@", "-")
        folder = None if here.game_folder is None else str(here.game_folder)
        request = LocalRequest(
            **asked, bot=here.bot, game_folder=folder, trusted=here.trusted, sandbox=here.sandbox, jobs=here.jobs
        )
        return tuning.local.run_local(context, request, state or Path(f"{stem}.tune.json"), as_json=as_json)
    gauntlet_run.refuse_local_only(state=state, **here.values)
    with ExitStack() as ctrl_c_waits:
        asking = gauntlet_run.AskingTheScheduler(context, ctrl_c_waits)
        begun = context.act(actions.tunes.begin, operator_named(None), asking, TuneRequest(**asked))
        with gauntlet.output.announced_at_end(context, begun.tune, "tune"):
            ctrl_c_waits.close()
            if detach:
                return Answer(begun, begun_text(begun))
            if not as_json:
                context.say(begun_text(begun))
            return tuning.output.answer_of(tuning.output.follow(context, begun.tune, as_json=as_json))


def begun_text(begun: actions.tunes.BegunTune) -> str:
    start = ", ".join(f"{name}={value}" for name, value in begun.start.items())
    opponents = listed(begun.opponents) or "itself"
    return (
        f"tune {begun.tune} has begun: {begun.candidate} against {opponents} from {start}, {begun.pairs} pairs; "
        f"`ladder tune show {begun.tune} --watch` follows it"
    )


TuneArgument = Annotated[str, argument("The tune's number, or the file of one that was played here.", metavar="TUNE")]


def numbered(tune: str) -> GauntletId | None:
    if not (tune.isascii() and tune.isdecimal()):
        return None
    if not 1 <= int(tune) <= LARGEST_ID:
        raise UsageFault(f"there is no tune {tune}: numbers begin at 1")
    return GauntletId(int(tune))


def show_tune(
    context: Context,
    tune: TuneArgument,
    watch: Annotated[bool, option("--watch -w", "Follow it to its end.")] = False,
    as_json: Annotated[bool, option("--json", "Print everything as JSON.")] = False,
) -> Found:
    """Show a tune: each value with its uncertainty, the gain to be expected, what else was found.

    Example: ladder tune show 12
    Example: ladder tune show kraken.tune.json
    """
    number = numbered(tune)
    if number is None:
        return tuning.local.show_local(Path(tune))
    report = context.read(views.tunes.read_report, number)
    if watch and report.tune.state in {GauntletState.RUNNING, CONFIRMING}:
        with gauntlet.output.announced_at_end(context, number, "tune"):
            return tuning.output.answer_of(tuning.output.follow(context, number, as_json=as_json))
    return replace(tuning.output.answer_of(report), status=ExitStatus.OK)


def list_tunes(context: Context, limit: LimitOption = 20) -> Rows:
    """List the latest tunes that workers play.

    Example: ladder tune list
    """
    rows = context.read(views.tunes.latest, limit)
    nothing = "there is no tune yet: begin one with `ladder tune run`"
    return listing(rows, lambda: terminal.table.FittingTable(tuning.output.TUNES, rows), nothing)


def stop_tune(context: Context, tune: TuneArgument, by: ActorOptions) -> Done:
    """Stop a tune that runs. What it has found stays, and it can be resumed.

    Somebody else's is refused with exit status 3, unless with --operator, which `ladder deeds` shows.

    Example: ladder tune stop 12
    """
    number = numbered(tune)
    if number is None:
        raise UsageFault(f"{tune} is not a number of a tune: one that is played here ends by Ctrl-C")
    stopped = context.act(actions.tunes.stop, by.actor, number)
    return Answer(stopped, f"tune {number} is stopped; `ladder tune resume {number}` lets it go on")


def resume_tune(
    context: Context,
    tune: TuneArgument,
    by: ActorOptions,
    as_json: Annotated[bool, option("--json", "Print the result as JSON.")] = False,
) -> Done:
    """Let a tune go on from where it was: a stopped one by the ladder's workers, that of a file here.

    Somebody else's is refused with exit status 3, unless with --operator, which `ladder deeds` shows.

    Example: ladder tune resume 12
    Example: ladder tune resume kraken.tune.json
    """
    number = numbered(tune)
    if number is None:
        return tuning.local.resume_local(context, Path(tune), as_json=as_json)
    resumed = context.act(actions.tunes.resume, by.actor, number)
    return Answer(resumed, f"tune {number} goes on; `ladder tune show {number} --watch` follows it")
