"""`ladder gauntlet`: is this version better than the ones before it?

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.exit_status import ExitStatus
from cli.gauntlet.options import (
    AgainstOption,
    AlphaOption,
    BaselineOption,
    BetaOption,
    BotOption,
    ContextOption,
    JobsOption,
    LeagueOption,
    LocalOption,
    ModelOption,
    PairsOption,
    ParamOption,
    PlayersOption,
    SeedOption,
    SeedsOption,
    SprtOption,
    TrustedOption,
    VaryOption,
    WorseOnlyOption,
    context_in,
    test_of,
    words_in,
)
from cli.options.files import GameFolderOption, file_option, force_option
from cli.options.here import bot_of, candidate_here, is_typed, named_version
from cli.options.names import SandboxOption, bot_option, game_option, operator_if, operator_named
from cli.options.numbers import MOST_ROWS, checked_seed, id_argument, read_seeds
from engine.errors import UsageFault
from engine.interrupts import interrupts_delayed
from engine.referees.edition import load_any_folder
from engine.text import listed
from engine.toolchains.given_bot import means_file
from engine.toolchains.params import read_params
from ladder import actions, views
from ladder.ids import GauntletId
from ladder.statistics.defaults import ELO_MODEL, ERROR_RATE

if TYPE_CHECKING:
    from ladder.access import Actor
    from ladder.actions.gauntlets import Begun
    from ladder.gauntlets.order import GauntletRequest
    from ladder.gauntlets.rendering.comparisons import ComparisonReport
    from ladder.gauntlets.report import Report


WATCH_EVERY_S = 0.5


def follow(context: Context, gauntlet_id: GauntletId, *, as_json: bool, worse_only: bool = False) -> int:
    """Show how a gauntlet goes on until it has ended, then its result as `print_result` does, which is returned."""
    from rich.live import Live

    from cli.gauntlet.printing import picture, print_result

    quiet = as_json or not context.err.is_terminal
    with Live(console=context.err, auto_refresh=False, transient=True) as live:
        while (report := read_report(context, gauntlet_id)).gauntlet.state == "running":
            if not quiet:
                live.update(picture(report), refresh=True)
            time.sleep(WATCH_EVERY_S)
    return print_result(context, report, as_json=as_json, worse_only=worse_only)


def read_report(context: Context, gauntlet_id: GauntletId) -> Report | ComparisonReport:
    """Read a gauntlet. Raises UnknownName."""
    return context.read(views.gauntlets.read_report, gauntlet_id)


PlayerOption = Annotated[
    str | None, typer.Option("--player", "-p", help="Who began it. [default: LADDER_PLAYER or your login name]")
]
OperatorOption = Annotated[
    bool, typer.Option("--operator", help="Act as an operator, also on what others began; the record names you.")
]


def run_gauntlet(
    typer_context: typer.Context,
    candidate: Annotated[
        str | None,
        typer.Argument(
            help="The version in question, as in kraken@v8; with --local a file. [default: the folder's bot or source]",
            callback=named_version,
        ),
    ] = None,
    against: AgainstOption = None,
    for_information: ContextOption = None,
    baseline: BaselineOption = None,
    pairs: PairsOption = None,
    players: PlayersOption = None,
    sprt: SprtOption = None,
    model: ModelOption = ELO_MODEL,
    alpha: AlphaOption = ERROR_RATE,
    beta: BetaOption = ERROR_RATE,
    seed: SeedOption = None,
    seeds: SeedsOption = None,
    league: LeagueOption = None,
    game: Annotated[str | None, game_option("The game, if several have such a bot.")] = None,
    local: LocalOption = False,
    game_folder: GameFolderOption = None,
    trusted: TrustedOption = False,
    jobs: JobsOption = 0,
    sandbox: SandboxOption = None,
    bot: BotOption = None,
    param: ParamOption = None,
    vary: VaryOption = None,
    worse_only: WorseOnlyOption = False,
    detach: Annotated[bool, typer.Option("--detach", "-d", help="Do not wait for the verdict.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Say whether a version is better than the one it would replace, or than others, by playing against them.

    The version that it would replace decides; the opponents of --context are shown beside it for information. Each pair
    is one seed in both seat orders. It stops as soon as it is clear whether the candidate is 20 Elo better or worse, or
    what --sprt names; with --pairs alone all of them are played, and the verdict needs 95 % confidence. Where --against
    names earlier versions of its bot, the last of them decides, else all that it names together. Exit status: 0 passed,
    1 failed, 6 undecided. Ctrl-C ends the waiting, not the gauntlet; with --local both. With --vary there is no
    verdict, but a table of the variants, and the exit status is 0; those of a file are played here.

    Example: ladder gauntlet run kraken@v8

    Example: ladder gauntlet run kraken@v8 --against kraken@v7 --sprt -30,30

    Example: ladder gauntlet run ./kraken.py --against kraken@v7 --local --worse-only

    Example: ladder gauntlet run kraken@v8 --vary DEPTH=4,6,8
    """
    from cli.gauntlet.lineup import LocalPlay
    from cli.gauntlet.local import run_local
    from cli.gauntlet.vary import run_varied
    from ladder.gauntlets.order import GauntletRequest
    from ladder.gauntlets.variants import chosen_variants

    context = this(typer_context)
    given = read_seeds(seeds) if seeds is not None else None
    actor = operator_named(None)
    params = read_params(param or ())
    request = GauntletRequest(
        candidate_here(local=local or bool(vary)) if candidate is None else candidate,
        actor.player,
        words_in(against),
        baseline,
        pairs,
        test_of(sprt, alpha, beta, model),
        checked_seed(seed),
        given,
        league,
        game,
        context=context_in(for_information),
        variants=chosen_variants(vary or (), params),
        players=players,
    )
    is_here = local or (bool(vary) and means_file(request.candidate))
    if game_folder is not None:
        request = replace(request, game=known_folder(context, game_folder, game, is_here=is_here))
    elif game is not None:
        context.games.find(game) if is_here else context.game_named(game)
    if trusted and not is_here:
        raise UsageFault("--trusted goes with --local: on a ladder the league's setting trusted = true says it")
    if is_here and detach:
        raise UsageFault("--local plays here and now, so there is nothing that --detach could leave behind")
    if worse_only and (vary or detach):
        raise UsageFault("--worse-only prints where a gauntlet was lost: leave --vary and --detach out")
    if is_here:
        own_bot = bot_of(request.candidate) if bot is None else bot
        here = LocalPlay(jobs, sandbox, as_json, own_bot, params, worse_only, game_folder, trusted)
        return run_varied(context, request, here) if vary else run_local(context, request, here)
    return run_on_ladder(context, actor, request, detach=detach, as_json=as_json, worse_only=worse_only)


def known_folder(context: Context, folder: Path, game: str | None, *, is_here: bool) -> str:
    """Let this command know the game in a folder, and return its name. Raises UsageFault, GameFault."""
    if not is_here:
        raise UsageFault("--game-folder goes with --local: the ladder's workers play the games that the ladder has")
    here = load_any_folder(folder)
    if game not in {None, here.name}:
        raise UsageFault(f"--game says {game}, and the game in {folder} is {here.name}: leave one of them out")
    context.know_game(here)
    return here.name


def run_on_ladder(
    context: Context, actor: Actor, request: GauntletRequest, *, detach: bool, as_json: bool, worse_only: bool
) -> int:
    """Begin a gauntlet that workers play, and follow it unless `detach`. Returns the exit status."""
    with ExitStack() as ctrl_c_waits:
        asking = AskingTheScheduler(context, ctrl_c_waits)
        begun = context.act(actions.gauntlets.begin, actor, asking, request)
        with announced_at_interrupt(context, begun.gauntlet):
            ctrl_c_waits.close()
            if begun.outlook and not as_json:
                context.say(begun.outlook)
            if detach:
                return print_begun(context, begun, as_json=as_json)
            return follow(context, begun.gauntlet, as_json=as_json, worse_only=worse_only)


@dataclass(frozen=True, slots=True)
class AskingTheScheduler:
    """The queue, by which the scheduler is asked to look at once: joined only when a gauntlet has begun.

    Ctrl-C waits from then on, as much is imported here, also for what comes next.
    """

    context: Context
    ctrl_c_waits: ExitStack

    def enqueue_schedule(self) -> None:
        """See `ladder.queue.Scheduling`."""
        self.ctrl_c_waits.enter_context(interrupts_delayed())
        import_module("rich.live")
        import_module("cli.gauntlet.tables")
        self.context.queue.enqueue_schedule()


@contextmanager
def announced_at_interrupt(context: Context, gauntlet_id: GauntletId) -> Iterator[None]:
    """Say at Ctrl-C that the gauntlet, which has begun, goes on."""
    try:
        yield
    except KeyboardInterrupt:
        context.say(
            f"gauntlet {gauntlet_id} goes on without you: `ladder gauntlet show {gauntlet_id} --watch` follows it, "
            f"`ladder gauntlet stop {gauntlet_id}` ends it"
        )
        raise


def print_begun(context: Context, begun: Begun, *, as_json: bool) -> int:
    """Say that a gauntlet has begun."""
    watched = f"`ladder gauntlet show {begun.gauntlet} --watch` follows it"
    if as_json:
        context.show_json(begun)
    elif begun.variants:
        best = f"which of {listed(begun.variants)} is the best {begun.candidate}?"
        context.show(f"gauntlet {begun.gauntlet} has begun: {best} {watched}")
    else:
        beside = [name for name in begun.opponents if name not in begun.deciding]
        also = f" It also meets {listed(beside)} for information." if beside else ""
        context.show(
            f"gauntlet {begun.gauntlet} has begun: is {begun.candidate} better than {listed(begun.deciding)}?{also} "
            f"{watched}"
        )
    return ExitStatus.OK


def show_gauntlet(
    typer_context: typer.Context,
    gauntlet: Annotated[GauntletId, id_argument("gauntlet")],
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Follow it to its end; the exit status is the verdict's.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    junit: Annotated[Path | None, file_option("--junit", "Write it as JUnit XML, for CI systems.")] = None,
    html: Annotated[
        Path | None,
        file_option("--html", "Write it as a page, FILE.html, or into a folder with a page for each lost pair too."),
    ] = None,
    force: Annotated[bool, force_option("--html")] = False,
    worse_only: WorseOnlyOption = False,
) -> int:
    """Show a gauntlet: each opponent, the verdict, the pairs that were lost.

    With --worse-only: all pairs that it lost to the version that decides; with a baseline, all matches that it lost and
    the baseline, in the same seat on the same seed, did not; each with the commands to see it and to play it again.

    The pages need no network. In a lost pair's both matches are side by side, to be played, paused and stepped through.

    Example: ladder gauntlet show 12 --junit gauntlet.xml

    Example: ladder gauntlet show 12 --html gauntlet-12
    """
    from cli.gauntlet.files import check_html, with_verdict, write_html, write_junit
    from cli.gauntlet.printing import print_result

    context = this(typer_context)
    if html is not None:
        check_html(html, over=force)
    status: int = ExitStatus.OK
    report = read_report(context, gauntlet)
    if worse_only or junit is not None or html is not None:
        with_verdict(report)
    if watch:
        with announced_at_interrupt(context, gauntlet):
            status = follow(context, gauntlet, as_json=as_json, worse_only=worse_only)
        report = read_report(context, gauntlet)
    else:
        print_result(context, report, as_json=as_json, worse_only=worse_only)
    if junit is not None:
        write_junit(with_verdict(report), junit)
    if html is not None:
        write_html(context, with_verdict(report), html, over=force)
    return status


def list_gauntlets(
    typer_context: typer.Context,
    bot: Annotated[str | None, bot_option("Only gauntlets of this bot's versions.")] = None,
    game: Annotated[str | None, game_option("The bot's game, if several have that name.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST_ROWS, help="How many, the latest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """List the latest gauntlets.

    Example: ladder gauntlet list --bot kraken
    """
    from cli.gauntlet.tables import gauntlets_table

    context = this(typer_context)
    if is_typed(typer_context, "game") and bot is None:
        raise UsageFault("--game says which game the bot of --bot plays: say --bot too")
    found = context.read(views.gauntlets.latest, limit, bot, game)
    if as_json:
        context.show_json(found)
    elif found:
        context.show(gauntlets_table(found))
    else:
        context.say("there is no gauntlet yet: begin one with `ladder gauntlet run`")


def stop_gauntlet(
    typer_context: typer.Context,
    gauntlet: Annotated[GauntletId, id_argument("gauntlet")],
    player: PlayerOption = None,
    operator: OperatorOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Stop a gauntlet that runs. What it has played stays, and it can be resumed.

    Somebody else's is refused with exit status 3, unless with --operator, which `ladder deeds` shows.

    Example: ladder gauntlet stop 12
    """
    context = this(typer_context)
    done = context.act(actions.gauntlets.stop, operator_if(operator, player), gauntlet)
    if as_json:
        context.show_json(done)
    else:
        context.show(f"gauntlet {gauntlet} is stopped; `ladder gauntlet resume {gauntlet}` lets it go on")


def resume_gauntlet(
    typer_context: typer.Context,
    gauntlet: Annotated[GauntletId, id_argument("gauntlet")],
    player: PlayerOption = None,
    operator: OperatorOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Let a stopped gauntlet go on from where it was.

    Somebody else's is refused with exit status 3, unless with --operator, which `ladder deeds` shows.

    Example: ladder gauntlet resume 12
    """
    context = this(typer_context)
    done = context.act(actions.gauntlets.resume, operator_if(operator, player), gauntlet)
    if as_json:
        context.show_json(done)
    else:
        context.show(f"gauntlet {gauntlet} goes on; `ladder gauntlet show {gauntlet} --watch` follows it")
