"""`ladder gauntlet run --vary`: variants of one bot against each other, played here or by the ladder's workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from cli.context import Context
from cli.exit_status import ExitStatus
from cli.gauntlet.lineup import LocalPlay, find_alone
from cli.options.numbers import checked_seed
from cli.terminal.table import FittingTable
from cli.terminal.words import quoted
from engine.conversation import seat_orders
from engine.errors import HostBusy
from engine.match import MatchResult
from engine.series import PlaySettings, Unplayed, built
from engine.text import counted
from engine.toolchains.languages import find_language
from engine.toolchains.params import with_params
from ladder.choices import GauntletState
from ladder.gauntlets.local import each_pair, half_points
from ladder.gauntlets.order import number_of_pairs, number_of_players, require_alone, require_comparable
from ladder.gauntlets.rendering.comparisons import COLUMNS, cells, progress_line, title
from ladder.gauntlets.variants import Comparison, RoundRobin, Tally, conclusion, names_of, tally_of
from ladder.ids import VersionId
from ladder.views.gauntlets import comparison_in_detail

if TYPE_CHECKING:
    from engine.match import MatchSpec
    from engine.series import Played
    from engine.toolchains.program import Program
    from ladder.gauntlets.order import GauntletRequest
    from ladder.gauntlets.rendering.comparisons import ComparisonReport


def run_varied(context: Context, request: GauntletRequest, here: LocalPlay) -> int:
    """Play variants of the candidate against each other here and print one table. Returns the exit status.

    Raises as `run_local` does.
    """
    require_alone(request)
    pairs, seed = number_of_pairs(request.pairs, request.seeds, None), checked_seed(request.seed)
    found = find_alone(context, request, here)
    rules = here.trusting(found.rules)
    require_comparable(rules.game, request)
    with context.err.status("building"):
        program = built(found.content, find_language(found.language), here.tier, found.name)
    settings = here.begin(context, rules)
    own = [{**found.params, **variant} for variant in request.variants]
    programs = {VersionId(number): with_params(program, params) for number, params in enumerate(own)}
    players = number_of_players(request.players, rules.players, rules.game.name)
    plan = RoundRobin(len(own), pairs, seed, request.seeds, rules.game.seed_bits, players)
    tally = tally_of(players)
    state = play_through(context, plan, tally, rules.spec(0), programs, settings)
    names = names_of(request.variants)
    scores, rows = tally.scores(names, own), tally.compared(names)
    comparison = Comparison(rules.game.name, rules.league, found.name, seed, pairs, state, scores, rows)
    print_comparison(context, comparison, as_json=here.as_json)
    return ExitStatus.OK if state == GauntletState.FINISHED else ExitStatus.INTERRUPTED


def play_through(
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
    columns = ("playing", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    state = GauntletState.FINISHED
    try:
        with (
            Progress(*columns, console=context.err, transient=True, disable=not context.err.is_terminal) as progress,
            closing(each_pair(plan, spec, programs, settings)) as played,
        ):
            for slot, matches in progress.track(played, total=plan.slots):
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


def print_comparison(context: Context, comparison: Comparison, *, as_json: bool) -> None:
    """Print what was found."""
    if as_json:
        context.show_json(comparison)
    else:
        context.show(compared_table(comparison), quoted(conclusion(comparison)))


def print_stored(context: Context, report: ComparisonReport, *, as_json: bool) -> int:
    """Print what the ladder's workers found, and how far they are while it runs. Returns the exit status."""
    if as_json:
        context.show_json(comparison_in_detail(report))
    else:
        found = report.comparison
        ending = progress_line(report) if found.state == GauntletState.RUNNING else conclusion(found)
        context.show(compared_table(found), quoted(ending))
    return ExitStatus.OK if report.gauntlet.state != GauntletState.STOPPED else ExitStatus.UNDECIDED


def compared_table(comparison: Comparison) -> FittingTable:
    """Draw how each two variants did against each other."""
    return FittingTable(
        heads=[head.replace(" ", "\n", 1) for head in COLUMNS],
        rows=[cells(row) for row in comparison.compared],
        names={"variant", "against"},
        leaving=("worst\nto best", "pairs"),
        title=title(comparison),
    )
