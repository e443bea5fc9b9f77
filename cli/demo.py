"""`ladder demo`: the whole thing once, from nothing to leaderboards, in a home of its own.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from cli.context import Context, this
from cli.options.numbers import MOST_OWN_BATTLES
from cli.options.people import operator_named
from engine.errors import ArenaError, MissingTool, Refused, Unavailable
from ladder.access import Actor
from ladder.errors import DatabaseDown

if TYPE_CHECKING:
    from rich.progress import Progress as ProgressBar

    from engine.game import Game
    from ladder.views.progress import Progress
    from ladder.views.summary import Rise, Summary

GAME = "ocean-of-code"
BATTLES = 10
"""Battles in each league: few, so that the demo is over in a minute."""
ROUNDS = (
    (("minnow", "drifter_v1.py"), ("barracuda", "gunner_v1.py"), ("orca", "tracker_v1.py")),
    (("minnow", "drifter.py"), ("barracuda", "gunner.py"), ("orca", "tracker.py"), ("kraken", "kraken.cpp")),
)
"""Who submits what, in two rounds: first versions, then better ones and a newcomer in C++."""
PLAYERS = {"minnow": "mia", "barracuda": "ben", "orca": "olga", "kraken": "kim"}
LOOK_EVERY_S = 0.25
LONGEST_ROUND_S = 600


def demo(
    typer_context: typer.Context,
    battles: Annotated[
        int, typer.Option("--battles", min=1, max=MOST_OWN_BATTLES, help="Battles in each league.")
    ] = BATTLES,
) -> None:
    """Show the whole thing once, in a minute.

    Services, submissions, sandboxed matches, leagues, leaderboards. It works in a home of its own, made anew each
    time, beside LADDER_HOME. Only bots that ship with Ladder play, so where no sandbox works it runs without one, and
    says so.

    Example: ladder demo --battles 10
    """
    from ladder.actions import installation

    context = demo_context(this(typer_context))
    game = context.games.find(GAME)
    signal.signal(signal.SIGTERM, end_in_order)
    sandbox, environment = sandbox_of_workers(context)
    try:
        start_services(context, environment)
        context.say(f"sandbox: {sandbox}")
        context.act(installation.set_battles, operator_named(None), GAME, battles)
        for number, submissions in enumerate(ROUNDS, 1):
            play_round(context, game, number, submissions)
        report(context)
    except DatabaseDown as error:
        raise Unavailable(f"the demo's services have ended; {context.home.logs} says more") from error
    finally:
        stop_services(context)


def end_in_order(number: int, _: object) -> NoReturn:
    """End as a program does that a signal ends, but stop the services first."""
    raise SystemExit(128 + number)


def demo_context(context: Context) -> Context:
    """Return a context for the demo's own home and embedded services."""
    from workers.embedded.home import LadderHome

    own = Context(context.settings.embedded())
    own.home = LadderHome.at(context.home.folder.with_name(context.home.folder.name + "-demo"))
    return own


def start_services(context: Context, environment: Mapping[str, str]) -> None:
    """Start embedded services with an empty database. `environment`: further variables for the workers."""
    from cli.services import PREPARE
    from workers.commands import cores, embedded_children
    from workers.embedded import control

    control.destroy(context.home)
    with context.err.status("starting") as status:
        control.up(context.home, embedded_children(cores(), environment), status.update, prepare=PREPARE)
    context.say("PostgreSQL, Redis, workers and scheduler run; the leagues have their bosses")


def stop_services(context: Context) -> None:
    """Stop the services, however often somebody presses Ctrl-C meanwhile: nothing may be left running."""
    from engine import interrupts
    from workers.embedded import control

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with interrupts.interrupts_ignored(), context.err.status("stopping the services; this takes some seconds"):
        control.down(context.home)


def sandbox_of_workers(context: Context) -> tuple[str, dict[str, str]]:
    """Return the name of the workers' sandbox, and the variables that they need for it.

    Where the sandbox does not keep what is demanded the person is told, and workers that run only house bots make do
    with what there is. Raises MissingTool where there is nothing at all.
    """
    from rich.text import Text

    from engine.sandbox.bare import NAME as NONE
    from workers.sandbox_policy import house_bots_alone, sandbox_for_house_bots, serving_sandbox

    try:
        return serving_sandbox().name, {}
    except (MissingTool, Refused) as fault:
        sandbox = sandbox_for_house_bots()
        which = "with no sandbox at all" if sandbox.name == NONE else f"in the sandbox {sandbox.name!r} all the same"
        context.say(
            Text.assemble(("warning:", "yellow"), f" {fault}"),
            f"only bots that ship with Ladder play in the demo, so it runs them {which}; `ladder up` would not",
        )
        return f"{sandbox.name}, which will do for house bots alone", house_bots_alone(sandbox)


def play_round(context: Context, game: Game, number: int, submissions: tuple[tuple[str, str], ...]) -> None:
    """Submit some versions and wait until everybody has had their battles, with progress on a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as ProgressBar

    submitted = [submit_house_bot(context, game, bot, file) for bot, file in submissions if usable(file)]
    context.say(f"round {number}: submitted {', '.join(submitted)}")
    columns = (TextColumn("  {task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[pace]}"))
    quiet = not context.err.is_terminal
    with ProgressBar(*columns, console=context.err, transient=True, disable=quiet) as bar:
        wait_until_quiet(context, bar)


def usable(file: str) -> bool:
    """Say whether this machine can build that bot: the one in C++ needs a compiler."""
    return not file.endswith(".cpp") or shutil.which("g++") is not None


def submit_house_bot(context: Context, game: Game, bot: str, file: str) -> str:
    """Submit one of the bots that ship with the game and return the version's name."""
    from engine.toolchains.build import language_of
    from ladder.actions import bots
    from ladder.flows.submission import Submission

    path: Path = game.bots_folder / file
    submission = Submission(game.name, bot, path.read_text("utf-8"), language_of(path).name)
    return context.act(bots.submit, Actor(PLAYERS[bot]), context.queue, submission).version


def wait_until_quiet(context: Context, bar: ProgressBar) -> None:
    """Show how far the ladder is until nothing is left to do. Raises ArenaError if that takes unreasonably long."""
    from ladder.views.progress import progress

    task = bar.add_task("starting", total=None, pace="")
    deadline = time.monotonic() + LONGEST_ROUND_S
    while time.monotonic() < deadline:
        with context.database() as connection:
            now = progress(connection)
        if now.is_quiet:
            return
        show_progress(bar, task, now)
        time.sleep(LOOK_EVERY_S)
    raise ArenaError(f"the demo was not over after {LONGEST_ROUND_S} s: see {context.home.logs}")


def show_progress(bar: ProgressBar, task: int, now: Progress) -> None:
    """Bring the bar up to date."""
    words = f"building {now.building}" if now.building else "playing"
    running = f"{now.matches.running} at once"
    bar.update(task, description=words, total=now.expected, completed=now.matches.finished, pace=running)  # type: ignore[arg-type]


def report(context: Context) -> None:
    """Print the boards, what happened, and what to do next. Raises ArenaError where not all was played."""
    from cli.board import pages_of
    from cli.render import board_table
    from ladder.views.summary import rises, summary

    for page in pages_of(context, GAME):
        context.show(board_table(page.league, page.rows))
    with context.database() as connection:
        sums = summary(connection)
        risen = rises(connection)
    context.show("\nwhat happened", *(f"  {line}" for line in telling_lines(sums, risen)))
    require_all_played(context, sums)
    context.show("\nwhat next", next_steps(context))


def require_all_played(context: Context, sums: Summary) -> None:
    """Raise ArenaError where a bot that ships with Ladder was not accepted, or not every match was played once."""
    if sums.rejected:
        raise ArenaError(f"the demo did not go as it should: a bot was rejected, {sums.rejected[0]}")
    if not sums.is_complete:
        raise ArenaError(f"the demo did not go as it should: not all matches were played once; see {context.home.logs}")


def telling_lines(sums: Summary, risen: list[Rise]) -> list[str]:
    """Return the five most telling lines about what happened."""
    farthest = f"; farthest {risen[0].version}, {risen[0].from_league} to {risen[0].to_league}" if risen else ""
    return [
        f"matches: {sums.asked} asked for, {sums.finished} played and recorded, {sums.void} void",
        f"pace: {sums.matches_per_s:.1f} matches/s over {sums.playing_s:.0f} s, {sums.turns:,} turns",
        f"time-outs: {sums.timeouts}; other faults: {sums.faults}; slowest good answer {sums.slowest_us / 1000:.1f} ms",
        f"promotions: {sum(rise.promotions for rise in risen)}{farthest}",
        f"exactly once: {sums.ledger_lines} ledger lines for {sums.finished} matches; begun again: {sums.repeated}",
    ]


def next_steps(context: Context) -> str:
    """Return commands to type now, with what each is for."""
    ladder = own_command()
    steps = {
        f"{ladder} up": "start your own ladder",
        f"{ladder} submit my_bot.py --game {GAME} --watch": "put a bot on it",
        f"{ladder} board": "see the ranking",
        f"{ladder} play {GAME} a.py b.cpp --matches 20": "compare two files, no services",
        f"LADDER_HOME={quote(str(context.home.folder))} {ladder} up": "look at this demo again",
    }
    width = max(map(len, steps))
    return "\n".join(f"  {command:{width}}  {purpose}" for command, purpose in steps.items())


def own_command() -> str:
    """Return what to type for this very program, wherever the person's shell is: `make -C` runs us elsewhere."""
    found = shutil.which("ladder")
    if found is not None and os.path.realpath(found) == os.path.realpath(sys.argv[0]):
        return "ladder"
    return quote(str(Path(sys.argv[0]).absolute()))
