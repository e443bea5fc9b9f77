"""`ladder gauntlet run`: is this version better than the ones before it?"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.live import Live

from cli import cases
from cli.answer import Answer
from cli.context import Context, this
from cli.exit_status import ExitStatus
from cli.gauntlet import options
from cli.gauntlet.lineup import LocalPlay, find_alone, find_lineup
from cli.gauntlet.options import context_in, test_of, words_in
from cli.gauntlet.printing import announced_at_interrupt, compared, follow, picture, result_of
from cli.options.files import GameFolderOption
from cli.options.here import bot_of, candidate_here, named_version
from cli.options.names import SandboxOption, game_option, operator_named
from cli.options.numbers import checked_seed, read_seeds
from cli.terminal.steps import bar
from engine.conversation import seat_orders
from engine.errors import HostBusy, UsageFault
from engine.interrupts import interrupts_delayed
from engine.match import MatchResult, MatchSpec
from engine.referees.edition import load_any_folder
from engine.series import Played, PlaySettings, Unplayed
from engine.text import counted, listed
from engine.toolchains.given_bot import means_file
from engine.toolchains.params import read_params, with_params
from engine.toolchains.program import Program
from ladder import actions
from ladder.access import Actor
from ladder.choices import GauntletState
from ladder.gauntlets.gauntlets import columns_of_test
from ladder.gauntlets.lineup import Lineup
from ladder.gauntlets.local import Rules, Run, each_pair, gauntlet_of, half_points, timed_pair
from ladder.gauntlets.order import (
    GauntletRequest,
    number_of_pairs,
    number_of_players,
    require_alone,
    require_comparable,
    test_within,
)
from ladder.gauntlets.rendering.table import outlook
from ladder.gauntlets.variants import Comparison, RoundRobin, Tally, chosen_variants, conclusion, names_of, tally_of
from ladder.ids import VersionId
from ladder.statistics.defaults import ELO_MODEL, ERROR_RATE

if TYPE_CHECKING:
    from ladder.actions.gauntlets import Begun


DRAW_EVERY_S = 0.2


def run_local(context: Context, request: GauntletRequest, here: LocalPlay) -> Answer:
    """Play a gauntlet here until its question is answered; interrupted, it answers with what was found by then.

    Raises UsageFault, UnknownName, Refused, BuildRefused, MissingTool, SandboxFault, Unavailable; and HostBusy where
    not one pair could be played.
    """
    pairs = number_of_pairs(request.pairs, request.seeds, request.question)
    seed = checked_seed(request.seed)
    found = find_lineup(context, request, here)
    rules = here.trusting(found.rules)
    with context.err.status("building"):
        programs = {one.id: found.entrants[one.id].program(here.tier) for one in found.lineup.participants}
    settings = here.begin(context, rules)
    if here.cases:
        _, kept = cases.asking.cases_to_ask(cases.asking.cases_folder(None))
        asked = cases.asking.ask_in_cases(context, kept, programs[found.lineup.candidate.id], here.jobs, here.tier)
        if asked.status != ExitStatus.OK:
            return replace(asked, after=["so no match was played"])
    gauntlet, pair_s = gauntlet_of(request, rules, found.lineup, pairs, seed), None
    if request.minutes is not None:
        with context.err.status("playing a pair that does not count, to see how long one takes"):
            pair_s = timed_pair(gauntlet.plan, rules.spec(0), programs, settings)
        test = test_within(request, pair_s, gauntlet.players)
        gauntlet = replace(gauntlet, **columns_of_test(test))
    run = Run(gauntlet, found.prior)
    if not here.as_json and (words := outlook(run.gauntlet.test, pairs, run.gauntlet.players, pair_s)):
        context.say(words)
    state = play_through(context, run, rules.spec(0), programs, settings)
    if run.void:
        missing = "1 pair is" if len(run.void) == 1 else f"{len(run.void)} pairs are"
        context.say(f"{missing} missing: the host was too busy for them ({run.void[-1]})")
    if run.void and not run.pairs and state == "finished":
        raise HostBusy("not one pair could be played: this machine is too busy")
    report = replace(
        run.report(state),
        words=words_by_name(request, found.lineup),
        options=options_of(here, rules),
    )
    answer = result_of(report, worse_only=here.worse_only)
    return answer if state == "finished" else replace(answer, status=ExitStatus.INTERRUPTED)


def words_by_name(request: GauntletRequest, lineup: Lineup) -> dict[str, str]:
    """Return by which words `ladder play` knows who takes part, where those are not their names."""
    files = {Path(word).name: word for word in request.against if Path(word).exists()}
    return {**files, lineup.candidate.name: request.candidate}


def options_of(here: LocalPlay, rules: Rules) -> list[str]:
    params = [word for name, value in here.params.items() for word in ("--param-a", f"{name}={value}")]
    folder = [] if here.folder is None else ["--game-folder", str(here.folder)]
    return [*params, *folder, *(["--trusted"] if rules.game.starts_bots else [])]


def play_through(
    context: Context, run: Run, spec: MatchSpec, programs: Mapping[VersionId, Program], settings: PlaySettings
) -> str:
    """Play until the question is answered or Ctrl-C, with progress on a terminal; return the state it then is in.

    `spec`: of all matches, but for the seed.
    """
    drawn = 0.0
    try:
        with (
            Live(console=context.err, auto_refresh=False, transient=True) as live,
            closing(each_pair(run.gauntlet.plan, spec, programs, settings)) as played,
        ):
            for slot, matches in played:
                run.take(slot, matches)
                if run.is_answered:
                    break
                if context.err.is_terminal and time.monotonic() - drawn > DRAW_EVERY_S:
                    live.update(picture(run.report()), refresh=True)
                    drawn = time.monotonic()
    except KeyboardInterrupt:
        return "stopped"
    return "finished"


def run_varied(context: Context, request: GauntletRequest, here: LocalPlay) -> Answer:
    """Play variants of the candidate against each other here. Raises as `run_local` does."""
    require_alone(request)
    pairs, seed = number_of_pairs(request.pairs, request.seeds, None), checked_seed(request.seed)
    rules, found = find_alone(context, request, here)
    rules = here.trusting(rules)
    require_comparable(rules.game, request)
    with context.err.status("building"):
        program = found.program(here.tier)
    settings = here.begin(context, rules)
    own = [{**found.params, **variant} for variant in request.variants]
    programs = {VersionId(number): with_params(program, params) for number, params in enumerate(own)}
    players = number_of_players(request.players, rules.players, rules.game.name)
    plan = RoundRobin(len(own), pairs, seed, request.seeds, rules.game.seed_bits, players)
    tally = tally_of(players)
    state = play_all(context, plan, tally, rules.spec(0), programs, settings)
    names = names_of(request.variants)
    scores, rows = tally.scores(names, own), tally.compared(names)
    comparison = Comparison(rules.game.name, rules.league, found.name, seed, pairs, state, scores, rows)
    status = ExitStatus.OK if state == GauntletState.FINISHED else ExitStatus.INTERRUPTED
    return compared(comparison, comparison, conclusion(comparison), status)


def play_all(
    context: Context,
    plan: RoundRobin,
    tally: Tally,
    spec: MatchSpec,
    programs: Mapping[VersionId, Program],
    settings: PlaySettings,
) -> str:
    """Play all pairs, or until Ctrl-C, with progress on a terminal; return the state it then is in.

    Raises HostBusy where not one pair could be played.
    """
    void: list[str] = []
    state = GauntletState.FINISHED
    try:
        with (
            bar(context.err) as progress,
            closing(each_pair(plan, spec, programs, settings)) as played,
        ):
            for slot, matches in progress.track(played, total=plan.slots, description="playing"):
                taken, why = outcome_of(matches)
                void += [why] if why else []
                if not why:
                    tally.take(slot, taken)
    except KeyboardInterrupt:
        state = GauntletState.STOPPED
    if void and not tally.played and state == GauntletState.FINISHED:
        raise HostBusy("not one pair could be played: this machine is too busy")
    if void:
        context.say(f"{counted(len(void), 'pair')} missing: the host was too busy ({void[-1]})")
    return state


def outcome_of(matches: Sequence[Played]) -> tuple[int, str]:
    """Return what who had every seat once took from a pair, in half-points; or else why a match of it is void."""
    void = [match.result.why for match in matches if isinstance(match.result, Unplayed)]
    results = [match.result for match in matches if isinstance(match.result, MatchResult)]
    seats = [order.index(0) for order in seat_orders(len(matches))]
    return sum(map(half_points, results, seats)), "".join(void[:1])


def run_gauntlet(
    typer_context: typer.Context,
    candidate: Annotated[
        str | None,
        typer.Argument(
            help="The version in question, as in kraken@v8; with --local a file. [default: the folder's bot or source]",
            callback=named_version,
        ),
    ] = None,
    against: options.AgainstOption = None,
    for_information: options.ContextOption = None,
    baseline: options.BaselineOption = None,
    pairs: options.PairsOption = None,
    players: options.PlayersOption = None,
    sprt: options.SprtOption = None,
    minutes: options.MinutesOption = None,
    model: options.ModelOption = ELO_MODEL,
    alpha: options.AlphaOption = ERROR_RATE,
    beta: options.BetaOption = ERROR_RATE,
    seed: options.SeedOption = None,
    seeds: options.SeedsOption = None,
    league: options.LeagueOption = None,
    game: Annotated[str | None, game_option("The game, if several have such a bot.")] = None,
    local: options.LocalOption = False,
    game_folder: GameFolderOption = None,
    trusted: options.TrustedOption = False,
    jobs: options.JobsOption = 0,
    sandbox: SandboxOption = None,
    bot: options.BotOption = None,
    param: options.ParamOption = None,
    vary: options.VaryOption = None,
    worse_only: options.WorseOnlyOption = False,
    cases: options.CasesOption = False,
    detach: Annotated[bool, typer.Option("--detach", "-d", help="Do not wait for the verdict.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> Annotated[Answer, "Print the result as JSON."]:
    """Say whether a version is better than the one it would replace, or than others, by playing against them.

    The version that it would replace decides; the opponents of --context are shown beside it for information. Each pair
    is one seed in both seat orders. It stops as soon as it is clear whether the candidate is 20 Elo better or worse, or
    what --sprt or --minutes says; with --pairs alone all of them are played, and the verdict needs 95 % confidence.
    Where --against names earlier versions of its bot, the last of them decides, else all that it names together. Exit
    status: 0 passed, 1 failed, 6 undecided. Ctrl-C ends the waiting, not the gauntlet; with --local both. With --vary
    there is no verdict, but a table of the variants, and the exit status is 0; those of a file are played here.

    Example: ladder gauntlet run kraken@v8

    Example: ladder gauntlet run kraken@v8 --against kraken@v7 --sprt -30,30

    Example: ladder gauntlet run kraken@v8 --minutes 20

    Example: ladder gauntlet run ./kraken.py --against kraken@v7 --local --worse-only

    Example: ladder gauntlet run ./kraken.py --against kraken@v7 --local --cases

    Example: ladder gauntlet run kraken@v8 --vary DEPTH=4,6,8
    """
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
        minutes=minutes,
    )
    if minutes is not None and (sprt is not None or vary):
        raise UsageFault("--minutes chooses the bounds of the test: leave --sprt and --vary out")
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
    if cases and not is_here:
        raise UsageFault("--cases goes with --local: the cases are files of this machine")
    if is_here:
        own_bot = bot_of(request.candidate) if bot is None else bot
        here = LocalPlay(jobs, sandbox, as_json, own_bot, params, worse_only, game_folder, trusted, cases)
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
) -> Answer:
    """Begin a gauntlet that workers play, and follow it unless `detach`."""
    with ExitStack() as ctrl_c_waits:
        begun = context.act(actions.gauntlets.begin, actor, AskingTheScheduler(context, ctrl_c_waits), request)
        with announced_at_interrupt(context, begun.gauntlet):
            ctrl_c_waits.close()
            if begun.outlook and not as_json:
                context.say(begun.outlook)
            if detach:
                return Answer(begun, begun_text(begun))
            return result_of(follow(context, begun.gauntlet, as_json=as_json), worse_only=worse_only)


@dataclass(frozen=True, slots=True)
class AskingTheScheduler:
    """The queue, by which the scheduler is asked to look at once: joined only when a gauntlet has begun.

    Ctrl-C waits from then on, as much is imported here.
    """

    context: Context
    ctrl_c_waits: ExitStack

    def enqueue_schedule(self) -> None:
        """See `ladder.queue.Scheduling`."""
        self.ctrl_c_waits.enter_context(interrupts_delayed())
        self.context.queue.enqueue_schedule()


def begun_text(begun: Begun) -> str:
    if begun.variants:
        asked = f"which of {listed(begun.variants)} is the best {begun.candidate}?"
    else:
        beside = [name for name in begun.opponents if name not in begun.deciding]
        also = f" It also meets {listed(beside)} for information." if beside else ""
        asked = f"is {begun.candidate} better than {listed(begun.deciding)}?{also}"
    watched = f"`ladder gauntlet show {begun.gauntlet} --watch` follows it"
    return f"gauntlet {begun.gauntlet} has begun: {asked} {watched}"
