"""The rounds of the demo: services up, submissions, the report, services down."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import NoReturn

from rich.text import Text

from cli.context import Context
from cli.demo.ending import report
from cli.demo.entries import GAME, PREPARE, ROUNDS, SEED, Entry, entries_here
from cli.demo.watching import HEAD, Story
from cli.options.people import operator_named
from cli.web.finding import pages_that_start
from engine import interrupts
from engine.boxes.tiers import NONE
from engine.errors import MissingTool, Refused, Unavailable
from engine.game import Game
from engine.toolchains.build import language_of
from ladder.access import Actor
from ladder.actions import bots, installation
from ladder.errors import DatabaseDown
from ladder.flows.submission import Submission
from workers.beside import worker_that_starts
from workers.commands import SEEDS_FROM, cores, embedded_children
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.sandbox_policy import house_bots_alone, sandbox_for_house_bots, serving_sandbox


def run_demo(home: Context, battles: int) -> None:
    """Run the whole demo in a home beside this one. `battles`: in each league."""
    context = demo_context(home)
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
                if number == 1:
                    pages_that_start(context)
                    story.say_where_pages_are()
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
    own = Context(context.settings.embedded())
    own.home = LadderHome.at(context.home.folder.with_name(context.home.folder.name + "-demo"))
    return own


def start_services(context: Context, environment: Mapping[str, str]) -> None:
    """Start embedded services with an empty database. `environment`: further variables for the workers."""
    control.destroy(context.home)
    with context.err.status("starting") as status:
        control.up(
            context.home,
            embedded_children(cores(), {**environment, SEEDS_FROM: SEED}, web=True),
            status.update,
            prepare=PREPARE,
        )
        status.update("waiting for the workers")
        ending = worker_that_starts(context.home)
    if ending is not None:
        raise ending.error("the demo cannot play, as its worker has ended")
    context.say("PostgreSQL, Redis, workers and scheduler run; the leagues have their bosses")


def stop_services(context: Context) -> None:
    """Stop the services, however often somebody presses Ctrl-C meanwhile: nothing may be left running."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with interrupts.interrupts_ignored(), context.err.status("stopping the services; this takes some seconds"):
        control.down(context.home)


def sandbox_of_workers(context: Context) -> tuple[str, dict[str, str]]:
    """Return the name of the workers' sandbox, and the variables that they need for it.

    Where the sandbox does not give what is demanded a message says so, and workers that run only house bots make do
    with what there is. Raises MissingTool where there is nothing at all.
    """
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
    file = game.bots_folder / entry.file
    submission = Submission(game.name, entry.bot, file.read_text("utf-8"), language_of(file).name)
    return context.act(bots.submit, Actor(entry.player), context.queue, submission).version
