"""All turns of a match as text: what was said, then what it took, and below it what was written to stderr."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rich.cells import cell_len, chop_cells
from rich.text import Text

from cli.terminal.words import indent
from engine.text import listed, one_line
from ladder.views.turns.rows import RefereeTurn, TurnRow

TIMES = ("charged", "wall", "cpu", "wait", "late")
"""In this order; where there is little room the last ones go."""
NUMBERS = "turn seat  own  "
SENT, SUMMARY, TOOLTIP = "       <  ", "       =  ", "       !  "
MARKS = "< what the seat was sent before it answered; = what came of the turn; ! a word about a seat"
GAP = 2
NARROWEST_LINE = 24
"""Rather than fold the lines that were said into less, a time goes."""
LONGEST_LINE = 60
"""Where nothing is folded, the times directly follow a line that is longer than this."""
LEGEND = (
    "turn: of the match; own: of the seat; times in ms\n"
    "wait: of all threads together, and also what a wait that ended in the turn had lasted before it"
)
"""Linux adds a wait to its account when it ends, so that of a turn may be more than the turn's wall time."""


@dataclass(frozen=True)
class TurnsTable:
    """The turns of a match. `width`: of the terminal, in which long lines are folded; None: nothing is folded."""

    turns: Sequence[TurnRow]
    width: int | None

    @property
    def text(self) -> Text:
        """Write all of it."""
        missing = [name for name in TIMES if name not in self.shown]
        hint = [f"no room for {listed(missing)}: use a wider terminal or --json"] if missing else []
        marks = [MARKS] if any(turn.referee for turn in self.turns) else []
        return Text("\n".join([LEGEND, *marks, *hint, self.heading, *self.rows]))

    @cached_property
    def times(self) -> dict[str, list[str]]:
        """What each turn took, column by column."""
        spent = [turn.spent for turn in self.turns]
        in_us = {
            "charged": [one.charged_us for one in spent],
            "wall": [one.wall_us for one in spent],
            "cpu": [one.cpu_us for one in spent],
            "wait": [one.wait_us for one in spent],
            "late": [one.late_us for one in spent],
        }
        return {name: [f"{time_us / 1000:.2f}" for time_us in in_us[name]] for name in TIMES}

    @cached_property
    def widths(self) -> dict[str, int]:
        """How wide each column of times is."""
        return {name: max(map(len, (name, *cells))) + GAP for name, cells in self.times.items()}

    @cached_property
    def shown(self) -> Sequence[str]:
        """Which times have room beside the lines that were said. The first one never goes."""
        counts = range(len(TIMES), 1, -1)
        return next((TIMES[:count] for count in counts if self.room_beside(TIMES[:count]) >= NARROWEST_LINE), TIMES[:1])

    def room_beside(self, names: Sequence[str]) -> int:
        """Return how much room lines have beside these times."""
        if self.width is None:
            return LONGEST_LINE
        return max(1, self.width - len(NUMBERS) - sum(self.widths[name] for name in names))

    @cached_property
    def lines(self) -> list[str]:
        """What was said, as a terminal shows it."""
        return ["(nothing)" if turn.line is None else one_line(turn.line) for turn in self.turns]

    @cached_property
    def room(self) -> int:
        """How wide the column of the lines that were said is."""
        return min(self.room_beside(self.shown), max(map(cell_len, ("line", *self.lines))))

    @property
    def heading(self) -> str:
        """Write the heads of the columns."""
        return f"{NUMBERS}{'line':{self.room}}" + "".join(name.rjust(self.widths[name]) for name in self.shown)

    @property
    def rows(self) -> Iterator[str]:
        """Write each turn, which can take several lines."""
        for index, (turn, line) in enumerate(zip(self.turns, self.lines, strict=True)):
            first, *others = [line] if self.width is None else chop_cells(line, self.room) or [""]
            times = "".join(self.times[name][index].rjust(self.widths[name]) for name in self.shown)
            blanks = " " * (self.room - cell_len(first))
            yield f"{turn.turn:4} {turn.seat:4} {turn.own_turn:4}  {first}{blanks}{times}"
            yield from (" " * len(NUMBERS) + other for other in others)
            if turn.referee is not None:
                yield from self.referee_lines(turn.referee)
            if turn.stderr:
                yield indent(turn.stderr)

    def referee_lines(self, said: RefereeTurn) -> Iterator[str]:
        """Write what a referee program sent the seat, and what it said of the turn for people."""
        words = [(SENT, line) for line in said.sent] + [(SUMMARY, line) for line in said.summary]
        words += [(TOOLTIP, f"seat {tooltip.seat}: {tooltip.text}") for tooltip in said.tooltips]
        for mark, text in words:
            line = one_line(text)
            pieces = [line] if self.width is None else chop_cells(line, max(1, self.width - len(SENT))) or [""]
            yield mark + pieces[0]
            yield from (" " * len(mark) + piece for piece in pieces[1:])
