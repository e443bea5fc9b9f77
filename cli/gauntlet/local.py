"""`ladder gauntlet run --local`: see ladder.gauntlets.local."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.live import Live

from cli.context import Context
from cli.exit_status import ExitStatus
from cli.gauntlet.lineup import LocalPlay, find_lineup
from cli.gauntlet.printing import picture, print_result
from cli.options.numbers import checked_seed
from engine.errors import HostBusy
from engine.match import MatchSpec
from engine.series import PlaySettings
from ladder.gauntlets.local import Rules, Run, each_pair, gauntlet_of
from ladder.gauntlets.order import number_of_pairs
from ladder.gauntlets.rendering.table import outlook
from ladder.ids import VersionId

if TYPE_CHECKING:
    from engine.toolchains.program import Program
    from ladder.gauntlets.lineup import Lineup
    from ladder.gauntlets.order import GauntletRequest

DRAW_EVERY_S = 0.2


def run_local(context: Context, request: GauntletRequest, here: LocalPlay) -> int:
    """Play a gauntlet here until its question is answered, print the result and return the exit status.

    Interrupted, it prints what was found by then. Raises UsageFault, UnknownName, Refused, BuildRefused, MissingTool,
    SandboxFault, Unavailable; and HostBusy where not one pair could be played.
    """
    pairs = number_of_pairs(request.pairs, request.seeds, request.question)
    seed = checked_seed(request.seed)
    found = find_lineup(context, request, here)
    rules = here.trusting(found.rules)
    run = Run(gauntlet_of(request, rules, found.lineup, pairs, seed), found.prior)
    with context.err.status("building"):
        programs = {one.id: found.program(one, here.tier) for one in found.lineup.participants}
    settings = here.begin(context, rules)
    if not here.as_json and (words := outlook(run.gauntlet.test, pairs, run.gauntlet.players)):
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
    status = print_result(context, report, as_json=here.as_json, worse_only=here.worse_only)
    return status if state == "finished" else ExitStatus.INTERRUPTED


def words_by_name(request: GauntletRequest, lineup: Lineup) -> dict[str, str]:
    """Return by which words `ladder play` knows who takes part, where those are not their names."""
    files = {Path(word).name: word for word in request.against if Path(word).exists()}
    return {**files, lineup.candidate.name: request.candidate}


def options_of(here: LocalPlay, rules: Rules) -> list[str]:
    """Return the options by which `ladder play` gives the first bot parameters, and finds and plays the game."""
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
