"""The command `ladder demo`: services up, the rounds, the report, services down.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from cli.context import Context, this
from cli.demo.entries import GAME, ROUNDS, SEED, Entry, entries_here
from cli.options.numbers import MOST_OWN_BATTLES
from cli.options.people import operator_named
from engine import interrupts
from engine.errors import MissingTool, Refused, Unavailable
from ladder.access import Actor
from ladder.errors import DatabaseDown

if TYPE_CHECKING:
    from engine.game import Game

BATTLES = 8
"""Battles in each league: few, so that the demo is over in a minute."""


def demo(
    typer_context: typer.Context,
    battles: Annotated[
        int, typer.Option("--battles", min=1, max=MOST_OWN_BATTLES, help="Battles in each league.")
    ] = BATTLES,
) -> None:
    """Show the whole thing once, in a minute.

    Services, submissions, sandboxed matches, leagues, leaderboards. A line for each promotion says how it came about;
    at the end one match is drawn. It works in a home of its own, made anew each time, beside LADDER_HOME. Only bots
    that ship with Ladder play, so where no sandbox works it runs without one, and says so.

    Example: ladder demo --battles 10
    """
    from cli.demo.ending import report
    from cli.demo.watching import HEAD, Story
    from ladder.actions import installation

    context = demo_context(this(typer_context))
    game = context.games.find(GAME)
    signal.signal(signal.SIGTERM, end_in_order)
    sandbox, environment = sandbox_of_workers(context)
    try:
        start_services(context, environment)
        context.say(f"sandbox: {sandbox}")
        context.act(installation.set_battles, operator_named(None), GAME, battles)
        story = Story(context)
        for number, entries in enumerate(ROUNDS, 1):
            if names := [submit_entry(context, game, entry) for entry in entries_here(entries)]:
                context.show(f"round {number}: submitted {', '.join(names)}", *([HEAD] if number == 1 else []))
                story.wait_until_quiet()
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
    from workers.commands import SEEDS_FROM, cores, embedded_children
    from workers.embedded import control

    control.destroy(context.home)
    with context.err.status("starting") as status:
        control.up(
            context.home,
            embedded_children(cores(), {**environment, SEEDS_FROM: SEED}),
            status.update,
            prepare=PREPARE,
        )
    context.say("PostgreSQL, Redis, workers and scheduler run; the leagues have their bosses")


def stop_services(context: Context) -> None:
    """Stop the services, however often somebody presses Ctrl-C meanwhile: nothing may be left running."""
    from workers.embedded import control

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with interrupts.interrupts_ignored(), context.err.status("stopping the services; this takes some seconds"):
        control.down(context.home)


def sandbox_of_workers(context: Context) -> tuple[str, dict[str, str]]:
    """Return the name of the workers' sandbox, and the variables that they need for it.

    Where the sandbox does not give what is demanded a message says so, and workers that run only house bots make do
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


def submit_entry(context: Context, game: Game, entry: Entry) -> str:
    """Submit an entry and return the version's name."""
    from engine.toolchains.build import language_of
    from ladder.actions import bots
    from ladder.flows.submission import Submission

    file = game.bots_folder / entry.file
    submission = Submission(game.name, entry.bot, file.read_text("utf-8"), language_of(file).name)
    return context.act(bots.submit, Actor(entry.player), context.queue, submission).version
