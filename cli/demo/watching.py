"""Waiting until a round of the demo is played: a live line for each event, with matches done and their pace."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as ProgressBar

from cli.context import Context
from cli.web.finding import for_people, pages_of
from engine.errors import ArenaError
from engine.text import listed
from ladder.choices import MoveKind
from ladder.views.progress import Progress, builds, progress
from ladder.views.summary import ARRIVAL, Event, events

LOOK_EVERY_S = 0.25
LONGEST_ROUND_S = 600
PLAIN_EVERY_S = 5.0
"""Where there is no terminal, a line says at least this often how far it is."""
HEAD = "  time  matches  per s"


class Story:
    """What is shown of the rounds, one after the other."""

    def __init__(self, context: Context) -> None:
        """Begin. Times and pace are counted from now."""
        self.context = context
        self.began = time.monotonic()
        self.shown = 0
        self.plain_at = self.began + PLAIN_EVERY_S
        self.is_address_known = False

    def say_where_pages_are(self) -> None:
        """Print the address of the pages, once: as soon as they are there, if need be in the middle of a round."""
        pages = None if self.is_address_known else pages_of(self.context)
        if pages is not None:
            self.context.say(f"watch it in a browser: {for_people(self.context, pages)}")
            self.is_address_known = True

    def wait_until_quiet(self) -> None:
        """Show how far the ladder is until nothing is left to do.

        Raises ArenaError if that takes unreasonably long.
        """
        columns = (
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}"),
        )
        err = self.context.err
        with ProgressBar(
            *columns,
            console=err,
            transient=True,
            disable=not err.is_terminal,
            redirect_stdout=False,  # results go to stdout, also where only progress is on a terminal
            redirect_stderr=False,
        ) as bar:
            task = bar.add_task("starting", total=None, pace="")
            deadline = time.monotonic() + LONGEST_ROUND_S
            while time.monotonic() < deadline:
                if self.look(bar, task).is_quiet:
                    return
                time.sleep(LOOK_EVERY_S)
        raise ArenaError(f"the demo was not over after {LONGEST_ROUND_S} s: see {self.context.home.logs}")

    def look(self, bar: ProgressBar, task: TaskID) -> Progress:
        """Read how far the ladder is, show it and what has happened since the last look, and return it."""
        self.say_where_pages_are()
        with self.context.database() as connection:
            now, happened, built = progress(connection), events(connection), builds(connection)
        figures = self.figures(now.matches.finished)
        for event in happened[self.shown :]:
            self.show(bar, f"{figures}  {event_text(event)}")
        if bar.disable and len(happened) == self.shown and time.monotonic() >= self.plain_at:
            self.context.say(f"{figures}  {doing_text(now, built)}")
            self.plain_at = time.monotonic() + PLAIN_EVERY_S
        elif len(happened) > self.shown:
            self.plain_at = time.monotonic() + PLAIN_EVERY_S
        self.shown = len(happened)
        bar.update(
            task,
            description=doing_text(now, built),
            total=now.expected,
            completed=now.matches.finished,
            pace=f"{self.pace(now.matches.finished):.1f} per s",
        )
        return now

    def figures(self, finished: int) -> str:
        """Write time, matches and pace in columns below HEAD."""
        return f"{time.monotonic() - self.began:4.0f} s {finished:8} {self.pace(finished):6.1f}"

    def pace(self, finished: int) -> float:
        """Return how many matches were played per second so far."""
        return finished / max(time.monotonic() - self.began, 1.0)

    def show(self, bar: ProgressBar, line: str) -> None:
        """Print a line of the story: above the bar where both are on a terminal."""
        if self.context.out.is_terminal and not bar.disable:
            bar.console.print(line, soft_wrap=True)
        else:
            self.context.show(line)


def doing_text(now: Progress, built: Sequence[str]) -> str:
    """Say what the workers do. `built`: the names of versions that they build now."""
    if not now.building:
        return "playing"
    waiting = now.building - len(built)
    if not built:
        return f"{waiting} to be built"
    return f"building {listed(built)}{f', then {waiting} more' if waiting else ''}"


def event_text(event: Event) -> str:
    """Say what happened to a version."""
    if event.kind == ARRIVAL:
        return f"{event.version} {'begins' if event.version.endswith('@v1') else 'takes over'} in {event.league}"
    if event.kind != MoveKind.PROMOTION:
        return f"{event.version} back to {event.league}"
    verb = "beat" if event.won > event.lost else "passed"
    drawn = f", {event.drawn} drawn" if event.drawn else ""
    return f"{event.version} up to {event.league}: {verb} {event.boss} {event.won}:{event.lost}{drawn}"
