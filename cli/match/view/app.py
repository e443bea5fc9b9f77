"""The viewer in the terminal: keys in, screens out, by Textual.

How this works. What a screen shows is worked out by `picture`, what a key means by `drawn_match`; both are pure. The
only widget draws the lines of a screen, each piece made harmless, so that nothing that a bot wrote steers the terminal.
An error is taken along to the program's one place for errors, which prints it as a sentence.
"""

import asyncio
import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from subprocess import run
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key, Resize
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from cli.match.view.drawn_match import Scene, ViewerPlace, pressed, typed, where_lost
from cli.match.view.picture import screen
from engine.text import harmless, one_line


def page(scene: Scene, place: ViewerPlace) -> ViewerPlace:
    """Open all that the seat whose turn it is wrote to stderr, at that turn where the pager can; say if it cannot."""
    seat = scene.turns[max(0, place.turn - 1)].seat
    lines: list[str] = []
    first = None
    for turn in scene.turns:
        if turn.seat == seat and turn.stderr:
            if first is None and turn.number >= place.turn:
                first = len(lines) + 1
            lines.append(f"── seat {seat}, its turn {turn.own_number} (match turn {turn.number})")
            lines += turn.stderr.rstrip("\n").split("\n")
    if not lines:
        return replace(place, note=f"seat {seat} wrote nothing to stderr")
    command = pager_command(os.environ.get("PAGER", ""), first or 1)
    try:
        with interrupts_left_to_the_pager():
            run(command, input="".join(f"{harmless(line)}\n" for line in lines), encoding="utf-8", check=False)
    except OSError as error:
        return replace(place, note=f"cannot run {command[0]}: {error.strerror}; name your pager in PAGER")
    return replace(place, note="")


@contextmanager
def interrupts_left_to_the_pager() -> Iterator[None]:
    """Do nothing at Ctrl-C in this block: it is for the program that has the terminal, which hears it too."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def pager_command(pager: str, line: int) -> list[str]:
    """Return the words that start a pager; `less` begins at a line."""
    try:
        words = shlex.split(pager) or ["less"]
    except ValueError:  # a quotation mark that is not closed
        words = [pager]
    return [*words, f"+{line}"] if Path(words[0]).name == "less" else words


class Pane(Widget):
    """Lines that fill the screen."""

    DEFAULT_CSS = "Pane { width: 100%; height: 100%; }"

    def __init__(self) -> None:
        super().__init__()
        self.strips: list[Strip] = []

    def show(self, strips: list[Strip]) -> None:
        before, self.strips = self.strips, strips
        changed = [y for y, (old, new) in enumerate(zip_longest(before, strips)) if old != new]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def render_line(self, y: int) -> Strip:
        return self.strips[y] if y < len(self.strips) else Strip.blank(self.size.width)


class Viewer(App[BaseException]):
    """Shows a match turn by turn. What it returns is the error or the Ctrl-C that ended it; None for `q`."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "interrupt", priority=True)]

    def __init__(self, scene: Scene, place: ViewerPlace) -> None:
        super().__init__(ansi_color=True)
        self.scene, self.place = scene, place
        self.pane = Pane()

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_mount(self) -> None:
        """End in good order when the terminal is closed."""
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self.exit, SystemExit(128 + number))

    def action_interrupt(self) -> None:
        self.exit(KeyboardInterrupt())

    def on_resize(self, event: Resize) -> None:
        self.draw(event.size.width, event.size.height)

    def on_key(self, event: Key) -> None:
        if self.place.typed is not None:
            self.place = typed(self.scene, self.place, event.key, event.character)
        elif event.key == "q":
            self.exit()
        elif event.key == "e":
            with self.suspend():
                self.place = page(self.scene, self.place)
        else:
            self.place = pressed(self.scene, self.place, event.key)
        self.draw(self.size.width, self.size.height)

    def draw(self, width: int, height: int) -> None:
        try:
            lines = screen(self.scene, self.place, width, height, is_coloured=not self.no_color)
            strips = (
                [piece._replace(text=one_line(piece.text)) for piece in line.render(self.console, end="")]
                for line in lines
            )
            self.pane.show([Strip(pieces, width) for pieces in strips])
        except Exception as error:  # noqa: BLE001 - Textual would print it with a traceback
            self.exit(error)


def run_viewer(scene: Scene, *, is_lost: bool) -> None:
    """Show a match until somebody has seen enough; a loss from where it was lost. Raises KeyboardInterrupt."""
    ended_by = Viewer(scene, where_lost(scene) if is_lost else ViewerPlace()).run(mouse=False)
    if ended_by is not None:
        raise ended_by
