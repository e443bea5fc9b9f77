"""The progress of long work, on a terminal alone.

Imports inside functions: Rich takes as long to import as the rest of a short command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

STEPS_AT_ONCE = 500
"""The bar moves after this many steps."""


@contextmanager
def stepping(console: Console, what: str, count: Callable[[], int]) -> Iterator[Callable[[], None]]:
    """Show how many steps are done; gives what is to be called after each. `count`: how many there are in all."""
    if not console.is_terminal:
        yield lambda: None
        return
    from rich.progress import Progress

    done = 0

    def on_step() -> None:
        nonlocal done
        done += 1
        if done % STEPS_AT_ONCE == 0:
            bar.update(task, completed=done)

    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(what, total=count())
        yield on_step
