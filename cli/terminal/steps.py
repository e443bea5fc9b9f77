"""The progress of long work, on a terminal alone; and pictures that are drawn anew in their place."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeAlias

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Stepping: TypeAlias = AbstractContextManager[Callable[[], None]]
"""Shows how many steps are done; gives what is to be called after each."""
STEPS_AT_ONCE = 500
"""The bar moves after this many steps."""


def bar(console: Console) -> Progress:
    """Return a bar that says of `track` how much is done, and how long the rest takes."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def stepping(console: Console, what: str, count: Callable[[], int]) -> Iterator[Callable[[], None]]:
    """Show how many steps are done; gives what is to be called after each. `count`: how many there are in all."""
    if not console.is_terminal:
        yield lambda: None
        return
    steps = itertools.count(1)

    def on_step() -> None:
        if (done := next(steps)) % STEPS_AT_ONCE == 0:
            progress.update(task, completed=done)

    with Progress(console=console, transient=True) as progress:
        task = progress.add_task(what, total=count())
        yield on_step


@contextmanager
def canvas(console: Console, *, screen: bool = False, transient: bool = True) -> Iterator[Callable[..., None]]:
    """Give what draws these parts in place of those before. `screen`: on all of it; `transient`: the last ones go."""

    def draw(*parts: RenderableType) -> None:
        live.update(Group(*parts), refresh=True)

    with Live(console=console, auto_refresh=False, screen=screen, transient=transient) as live:
        yield draw
