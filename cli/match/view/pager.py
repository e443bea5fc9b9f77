"""What a seat wrote to stderr, in the person's own pager."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from subprocess import run
from typing import TYPE_CHECKING

from engine.text import harmless

if TYPE_CHECKING:
    from cli.match.view.place import Place
    from cli.match.view.scene import Scene

USUAL = "less"


def page(scene: Scene, place: Place) -> Place:
    """Open all that the seat whose turn it is wrote to stderr, at that turn where the pager can; say if it cannot."""
    seat = scene.turns[max(0, place.turn - 1)].seat
    lines = list(stderr_with_turns(scene, seat))
    if not lines:
        return replace(place, note=f"seat {seat} wrote nothing to stderr")
    command = pager_command(os.environ.get("PAGER", ""), first_line(lines, place.turn))
    try:
        with interrupts_left_to_the_pager():
            run(command, input="".join(f"{harmless(line)}\n" for _, line in lines), encoding="utf-8", check=False)
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


def stderr_with_turns(scene: Scene, seat: int) -> Iterator[tuple[int, str]]:
    """Yield all lines that a seat wrote to stderr, each with the number of its turn; a line above names each turn."""
    for turn in scene.turns:
        if turn.seat == seat and turn.stderr:
            yield turn.number, f"── seat {seat}, its turn {turn.own_number} (match turn {turn.number})"
            for line in turn.stderr.rstrip("\n").split("\n"):
                yield turn.number, line


def first_line(lines: list[tuple[int, str]], turn: int) -> int:
    """Return the number of the first line of a turn, or of the next one that has lines; 1 where there is none."""
    return next((number for number, (of, _) in enumerate(lines, 1) if of >= turn), 1)


def pager_command(pager: str, line: int) -> list[str]:
    """Return the words that start a pager; `less` begins at a line."""
    try:
        words = shlex.split(pager) or [USUAL]
    except ValueError:  # a quotation mark that is not closed
        words = [pager]
    return [*words, f"+{line}"] if Path(words[0]).name == USUAL else words
