"""Matches that were played here, as people read them: one in detail, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from cli.match.detail_text import loss_text, parts_text, time_parts
from cli.match.match_text import limits_played, whole_seat_text
from cli.match.tables import OWN_RESULT_STYLES, RESULT_STYLES
from cli.terminal.table import FittingTable
from cli.terminal.words import quoted, sandbox_text
from engine.conversation import Verdict
from engine.endings import ending_words, last_turn_words
from engine.text import counted

if TYPE_CHECKING:
    from ladder.views.turns.local import ListedLocal, LocalInDetail


def local_text(found: LocalInDetail, width: int | None, *, turns: bool) -> Text:
    """Write all that people are shown of a match; with `turns` also every line that was said.

    `width`: of the terminal; None: of anything else.
    """
    parts = [quoted(local_match_text(found))]
    if found.loss is not None:
        parts.append(quoted(loss_text(found.loss, found.row.id)))
    return parts_text([*parts, *time_parts(found, width, turns=turns)])


def local_match_text(found: LocalInDetail) -> Text:
    """Write all of one match but its turns."""
    row, seats = found.row, [one.seat for one in found.seats]
    ended = ending_words(row.reason, [seat.verdict for seat in seats])
    text = Text(f"{row.id}: {row.game}, {row.league}, seed {row.seed}, {row.state} ({ended})")
    turns = "" if found.caution else f"{counted(row.turns, 'turn')}, "
    text.append(f"\n{turns}played here {row.finished_at.astimezone():%Y-%m-%d %H:%M:%S}")
    if row.host_faults:
        text.append(f", played again, void {counted(row.host_faults, 'time')} because the host was too busy")
    rule = found.caution or f"time by the {row.clock} clock, policy {row.time_policy}{limits_played(row)}"
    text.append(f"\n{sandbox_text(row.sandbox)}; {rule}\n")
    for seat in seats:
        text.append(f"\nseat {seat.seat}: ")
        text.append(whole_seat_text(seat, len(seats), last_turn_words([turn.seat for turn in found.said], seat.seat)))
    return text


def local_table(matches: Sequence[ListedLocal]) -> FittingTable:
    """Draw a list of matches, with a column for each seat that any of them has."""
    seats = [f"seat {seat}" for seat in range(max((len(listed.players) for listed in matches), default=2))]
    rows: list[tuple[str | Text, ...]] = [
        (
            listed.row.id,
            listed.place,
            listed.row.game,
            *(player_text(listed, seat) for seat in range(len(seats))),
            ":".join(map(str, listed.scores)),
            ending_words(listed.row.reason, listed.verdicts),
            Text(listed.own_result or "", style=OWN_RESULT_STYLES.get(listed.own_result or "", "")),
            str(listed.row.turns or ""),
            str(listed.row.seed),
            f"{listed.row.finished_at.astimezone():%m-%d %H:%M}",
        )
        for listed in matches
    ]
    return FittingTable(
        ("match", "now", "game", *seats, "score", "end", "result", "turns", "seed", "played"),
        rows,
        names=("game", *seats, "end"),
        leaving=("game", "turns", "played", "end"),
        words=("match", "now"),
        legend="now: its name for as long as no other match is played; result: of the bot that was named first",
    )


def player_text(listed: ListedLocal, seat: int) -> Text:
    """Show who sat there in the colour of its result, with its verdict if it is not ok; "" for no such seat."""
    if seat >= len(listed.players):
        return Text()
    verdict = Verdict(listed.verdicts[seat])
    words = "" if verdict is Verdict.OK else f" ({verdict.words})"
    return quoted(Text(f"{listed.players[seat]}{words}", style=RESULT_STYLES.get(listed.results[seat], "")))
