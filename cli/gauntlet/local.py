"""`ladder gauntlet run --local`: see ladder.gauntlets.local."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from rich.live import Live

from cli import cases
from cli.answer import Answer
from cli.context import Context
from cli.exit_status import ExitStatus
from cli.gauntlet.lineup import LocalPlay, find_alone, find_lineup
from cli.gauntlet.printing import compared, picture, result_of
from cli.options.numbers import checked_seed
from cli.terminal.steps import bar
from engine.conversation import seat_orders
from engine.errors import HostBusy
from engine.interrupts import interrupts_delayed
from engine.match import MatchResult, MatchSpec
from engine.series import Played, PlaySettings, Unplayed
from engine.text import counted
from engine.toolchains.params import with_params
from engine.toolchains.program import Program
from ladder.choices import GauntletState
from ladder.gauntlets.gauntlets import columns_of_test
from ladder.gauntlets.lineup import GauntletRequest, Lineup
from ladder.gauntlets.local import Rules, Run, each_pair, gauntlet_of, half_points, timed_pair
from ladder.gauntlets.order import number_of_pairs, number_of_players, require_alone, require_comparable, test_within
from ladder.gauntlets.rendering import outlook
from ladder.gauntlets.variants import Comparison, RoundRobin, Tally, conclusion, names_of, tally_of
from ladder.ids import VersionId

DRAW_EVERY_S = 0.2


def run_local(context: Context, request: GauntletRequest, here: LocalPlay) -> Answer:
    """Play a gauntlet here until it is answered or interrupted. Raises HostBusy where nothing could be played."""
    pairs = number_of_pairs(request.pairs, request.seeds, request.question)
    seed = checked_seed(request.seed)
    found = find_lineup(context, request, here)
    rules = here.trusting(found.rules)
    with context.err.status("building"):
        programs = {one.id: found.entrants[one.id].program(here.tier) for one in found.lineup.participants}
    settings = here.begin(context, rules)
    if here.cases:
        _, kept = cases.cases_to_ask(cases.cases_folder(None))
        asked = cases.ask_in_cases(context, kept, programs[found.lineup.candidate.id], here.jobs, here.tier)
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
    report = replace(run.report(state), words=words_by_name(request, found.lineup), options=options_of(here, rules))
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
    """Play until the question is answered or Ctrl-C; return the state then. `spec`: of all matches but for the seed."""
    drawn = 0.0
    try:
        with (
            Live(console=context.err, auto_refresh=False, transient=True) as live,
            closing(each_pair(run.gauntlet.plan, spec, programs, settings)) as played,
        ):
            for slot, matches in played:
                with interrupts_delayed():  # the first verdict imports what the answer takes, too: not by half
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
        program = found.without_params.program(here.tier)
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
    """Play all pairs, or until Ctrl-C; return the state it then is in. Raises HostBusy where none could be played."""
    void: list[str] = []
    state = GauntletState.FINISHED
    try:
        with bar(context.err) as progress, closing(each_pair(plan, spec, programs, settings)) as played:
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
