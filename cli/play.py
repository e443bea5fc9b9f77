"""`ladder play`: matches between source files on this machine, with no services at all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from cli.context import Context, this
from cli.options.files import file_argument
from cli.options.here import contest_here
from cli.options.names import first_game_argument, league_option
from cli.options.numbers import MOST_JOBS, MOST_MATCHES, seed_number
from cli.options.sandbox import SandboxOption
from cli.options.seeds import checked_seed, following_seed
from cli.terminal.quoting import quoted
from engine.bot.clock import Clock, Policy, TimeRule
from engine.errors import HostBusy
from engine.series import MOST_TRIES, Played, PlaySettings, Task, Unplayed, build_file, in_order, jobs_or_all_cores
from engine.text import counted, one_line

if TYPE_CHECKING:
    from engine.bot.clock import TimeRule
    from engine.match import MatchResult, MatchSpec
    from engine.toolchains.build import Program
    from ladder.views.played import PlayedMatch, UnplayedMatch

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seating:
    """One match of a series. `swapped`: the second bot sits in seat 0."""

    spec: MatchSpec
    swapped: bool


def play(
    typer_context: typer.Context,
    game: Annotated[str | None, first_game_argument()] = None,
    first: Annotated[Path | None, file_argument("A bot's source. [default: the folder's]")] = None,
    second: Annotated[Path | None, file_argument("Another bot's source.")] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            "-s",
            callback=seed_number,
            help="The first pair's seed, a signed 64-bit number. [default: random]",
        ),
    ] = None,
    league: Annotated[str | None, league_option("Whose rules. [default: the highest league's]")] = None,
    matches: Annotated[
        int,
        typer.Option(
            "--matches", "-n", min=1, max=MOST_MATCHES, help="How many; each seed is played with both seat orders."
        ),
    ] = 1,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, max=MOST_JOBS, help="Matches at once; 0 is one per core.")
    ] = 0,
    clock: Annotated[
        Clock, typer.Option("--clock", help="What counts. fair: not the waiting for a busy host; wall: all time.")
    ] = Clock.FAIR,
    policy: Annotated[
        Policy, typer.Option("--policy", help="What an overrun means. strict: a loss; codingame: grace, three strikes.")
    ] = Policy.STRICT,
    sandbox: SandboxOption = None,
    early_line_loses: Annotated[
        bool, typer.Option("--early-line-loses", help="A line that comes before it is asked for loses the match.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Play two source files against each other here.

    In the sandbox, with the official time limits, and with no services at all. A match for which this machine is too
    busy to be fair is played again, at most twice more, which is said. If it is still void, so much is said of it, the
    others are played all the same, and the exit status is 1. In a bot's folder the game may be left out, and the first
    source too: the bot itself plays then.

    Example: ladder play ocean-of-code a.py b.cpp --seed 42 --league bronze --matches 20

    Example: ladder play ../wahoo/wahoo.py
    """
    from engine.bot.conditions import Conditions
    from engine.match import MatchSpec

    context = this(typer_context)
    found, first, second = contest_here(context.games, (game, first, second))
    level = (found.leagues[-1] if league is None else found.league(league)).rules_level
    series = seatings(MatchSpec(found, level, checked_seed(seed), found.limits.first_ms, found.limits.turn_ms), matches)
    conditions = Conditions(time=TimeRule(policy, clock), early_line_loses=early_line_loses)
    ground = PlaySettings(conditions, jobs_or_all_cores(jobs), sandbox)
    most = context.settings.source_chars
    programs = (build_file(first, most, sandbox), build_file(second, most, sandbox))
    began = time.monotonic()
    came = play_series(context, series, programs, ground)
    elapsed_s = time.monotonic() - began
    names = names_of(first, second)
    if as_json:
        rule = conditions.time
        context.show_json([view_of(seating, played, names, rule) for seating, played in zip(series, came, strict=True)])
    else:
        show_series(context, series, came, names, elapsed_s)
    complain([played.result for played in came])


def seatings(first: MatchSpec, matches: int) -> list[Seating]:
    """Return the matches of a series: each seed is played with both seat orders, then comes the next one."""
    specs = (replace(first, seed=following_seed(first.seed, number // 2)) for number in range(matches))
    return [Seating(spec, swapped=number % 2 == 1) for number, spec in enumerate(specs)]


def names_of(first: Path, second: Path) -> tuple[str, str]:
    """Return what two files are called: their names, or where these are the same what was given; in one line."""
    names = (first.name, second.name) if first.name != second.name else (str(first), str(second))
    return one_line(names[0]), one_line(names[1])


def complain(results: Sequence[MatchResult | Unplayed]) -> None:
    """Raise HostBusy if there is a match that could not be played."""
    unplayed = [result for result in results if isinstance(result, Unplayed)]
    if unplayed:
        raise HostBusy(f"{len(unplayed)} of {len(results)} matches void after {MOST_TRIES} tries: {unplayed[-1].why}")


def play_series(
    context: Context, series: list[Seating], programs: tuple[Program, Program], ground: PlaySettings
) -> list[Played]:
    """Play all matches, several at once, and return what came of them in order. Shows progress on a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = ("playing", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=context.err, transient=True, disable=not context.err.is_terminal) as progress:
        return list(progress.track(each_played(series, programs, ground), total=len(series)))


def each_played(series: list[Seating], programs: tuple[Program, Program], ground: PlaySettings) -> Iterator[Played]:
    """Play the matches, in this process or in several, and give what came of them in order."""
    tasks = [Task(seating.spec, in_seats(seating, programs)) for seating in series]
    here = replace(ground, jobs=min(ground.jobs, len(tasks)))
    return in_order(tasks, here)


def in_seats(seating: Seating, bots: tuple[T, T]) -> tuple[T, T]:
    """Return what belongs to the first and second bot in the order of the seats they take in this match."""
    first, second = bots
    return (second, first) if seating.swapped else (first, second)


def points(seating: Seating, result: MatchResult) -> float:
    """Return what the first bot got: 1 for a win, 0.5 for a draw."""
    winner = result.outcome.winner
    if winner is None:
        return 0.5
    return float((winner == 1) == seating.swapped)


def view_of(seating: Seating, played: Played, names: tuple[str, str], rule: TimeRule) -> PlayedMatch | UnplayedMatch:
    """Return what came of one match, for scripts. `rule`: for time, by which it was judged."""
    from ladder.views.played import UnplayedMatch

    result = played.result
    if isinstance(result, Unplayed):
        bots = in_seats(seating, names)
        return UnplayedMatch(bots, rule.policy, rule.clock, played.starved, seating.spec, result.why)
    return played_match(seating, result, played.starved, names, rule)


def played_match(
    seating: Seating, result: MatchResult, host_faults: int, names: tuple[str, str], rule: TimeRule
) -> PlayedMatch:
    """Return a match that was played, for scripts. `host_faults`, `rule`: see `PlayedMatch`."""
    from engine.rejudge import limits_of
    from ladder.views.played import PlayedMatch
    from ladder.views.turns import turn_rows

    turns = turn_rows(result.turns, limits_of(result), rule)
    first = points(seating, result)
    return PlayedMatch(in_seats(seating, names), rule.policy, rule.clock, host_faults, first, result, turns)


def show_series(
    context: Context,
    series: list[Seating],
    came: list[Played],
    names: tuple[str, str],
    elapsed_s: float,
) -> None:
    """Print each match in a line, and the sum of those that were played."""
    results = [(seating, played.result) for seating, played in zip(series, came, strict=True)]
    for (seating, result), again in zip(results, map(again_text, came), strict=True):
        seats = in_seats(seating, names)
        if isinstance(result, Unplayed):
            context.show(quoted(f"seed {seating.spec.seed}  {seats[0]} - {seats[1]}  void: {result.why}"))
            continue
        context.show(quoted(match_line(result, seats) + again))
        if len(series) == 1:
            context.show(quoted(stderr_of(result, seats)))
    played = [(seating, result) for seating, result in results if not isinstance(result, Unplayed)]
    if played:
        void = len(results) - len(played)
        context.show(quoted(sum_line(played, names, elapsed_s) + (f", {void} void" if void else "")))
        say_if_uncontained(context, played[0][1])


def sum_line(played: list[tuple[Seating, MatchResult]], names: tuple[str, str], elapsed_s: float) -> str:
    """Say in one line how a series went for the first bot."""
    scored = [points(seating, result) for seating, result in played]
    wins, draws = scored.count(1.0), scored.count(0.5)
    return (
        f"{names[0]} against {names[1]}: {wins} won, {draws} drawn, {len(scored) - wins - draws} lost "
        f"({100 * sum(scored) / len(scored):.1f} % of the points), {len(scored) / elapsed_s:.1f} matches/s"
    )


def say_if_uncontained(context: Context, result: MatchResult) -> None:
    """Say so if the bots ran free."""
    from cli.render import sandbox_text
    from engine.sandbox.bare import NAME as NONE

    if result.sandbox == NONE:
        context.show(sandbox_text(result.sandbox))


def match_line(result: MatchResult, seats: tuple[str, str]) -> str:
    """Say in one line how a match went."""
    from cli.render import in_words

    outcome = result.outcome
    words = "draw" if outcome.winner is None else f"{seats[outcome.winner]} wins"
    faults = [
        f"{seats[seat]}: {verdict.words}" for seat, verdict in enumerate(outcome.verdicts) if verdict.verdict != "ok"
    ]
    score = f"{outcome.scores[0]}:{outcome.scores[1]}"
    how = f"{words} ({in_words(outcome.reason)}, {counted(len(result.turns), 'turn')})"
    line = f"seed {result.spec.seed}  {seats[0]} - {seats[1]}  {score}  {how}"
    return "  ".join([line, *faults])


def again_text(played: Played) -> str:
    """Say that a match was void before it was played as it is told; "" if it was not."""
    if not played.starved:
        return ""
    times = "once" if played.starved == 1 else f"{played.starved} times"
    return f"  (played again, void {times} because the host was too busy)"


def stderr_of(result: MatchResult, seats: tuple[str, str]) -> str:
    """Return what the bots wrote to stderr, under their names."""
    from cli.render import indent

    return "\n".join(f"{seats[seat]} on stderr:\n{indent(text)}" for seat, text in enumerate(result.stderr) if text)
