"""One match in detail, as people read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from cli.match.failure_texts import failures_text
from cli.match.loss_text import loss_text
from cli.match.match_text import match_text
from cli.match.request.texts import origin_text
from cli.match.turn_texts import overruns_text
from cli.match.turns_table import TurnsTable
from cli.terminal.quoting import quoted
from cli.terminal.words import milliseconds

if TYPE_CHECKING:
    from ladder.views.turns.local import LocalInDetail
    from ladder.views.turns.match import MatchInDetail, SeatInDetail


def detail_text(found: MatchInDetail, width: int | None, *, turns: bool) -> Text:
    """Write all that people are shown of a match; with `turns` also every line that was said.

    `width`: of the terminal; None: of anything else.
    """
    seats = [one.seat for one in found.seats]
    parts = [
        quoted(match_text(found.row, seats, origin_text(found.row, found.request), [turn.seat for turn in found.said]))
    ]
    if found.loss is not None:
        parts.append(quoted(loss_text(found.loss, found.row.id)))
    if found.failed_attempts:
        parts.append(quoted(failures_text(found.failed_attempts)))
    return parts_text([*parts, *time_parts(found, width, turns=turns)])


def time_parts(found: MatchInDetail | LocalInDetail, width: int | None, *, turns: bool) -> Iterator[Text]:
    """Write what the turns of a match took: overruns, allowances, and with `turns` all of them."""
    if overruns := overruns_text(found.said, found.rule):
        yield overruns
    if allowances := allowances_text(found.seats):
        yield allowances
    if turns and found.said:
        yield quoted(TurnsTable(found.said, width).text)


def parts_text(parts: Sequence[Text]) -> Text:
    """Put parts of a text below each other, one empty line between two, however many each ends with."""
    whole = [part[: len(part.plain.rstrip("\n"))] for part in parts]
    return Text("\n\n").join(whole)


def allowances_text(seats: Iterable[SeatInDetail]) -> Text:
    """Say of each seat that used its allowance for the runtime's work how much; empty where none did."""
    lines = [
        f"seat {one.seat.seat}: {milliseconds(one.runtime_us)} of the allowance for its runtime's own work were used\n"
        for one in seats
        if one.runtime_us
    ]
    return Text("".join(lines))
