"""One match as text: where and how it was played, and how each seat fared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from cli.match.tables import reason_text, seat_text
from cli.terminal.words import indent, milliseconds, sandbox_text
from engine.conversation import Verdict
from engine.endings import last_turn_words
from engine.text import counted
from ladder.matches.match_rows import MatchRow, SeatRow

if TYPE_CHECKING:
    from ladder.views.turns.local import LocalRow


def match_text(match: MatchRow, seats: Sequence[SeatRow], origin: str = "", said: Sequence[int] = ()) -> Text:
    """Write all of one match but its turns. `origin`: what it was made for, if that is to be said.

    `said`: the seats of its turns.
    """
    text = Text(f"match {match.id}: {match.game}, {match.league}, seed {match.seed_words}, {match.state}")
    if match.reason:
        text.append(f" ({reason_text(match, seats)})")
    if origin:
        text.append(f"\n{origin}")
    if match.void_at is not None:
        text.append(f"\ntaken back by {match.void_by}, {match.void_at.astimezone():%Y-%m-%d %H:%M}")
    text.append(f"\n{match.origin_words}\n" if match.imported_from else how_text(match))
    for number in range(match.players):
        text.append(f"\nseat {number}: ")
        seat = next((seat for seat in seats if seat.seat == number), None)
        text.append(whole_seat_text(seat, match.players, last_turn_words(said, number)))
    return text


def how_text(match: MatchRow) -> str:
    """Say in how many turns a match was played, and under which conditions."""
    turns = "" if match.starts_bots else f"{counted(match.turns or 0, 'turn')}, "
    text = f"\n{turns}pair {match.pair_id}, attempt {match.attempt}{host_text(match)}\n"
    if match.sandbox or match.state == "finished":
        rule = match.caution or f"time by the {match.rule_words}{limits_played(match)}"
        text += f"{sandbox_text(match.sandbox)}; {rule}\n"
    return text


def whole_seat_text(seat: SeatRow | None, players: int, last_turn: str) -> Text:
    """Write all of one seat; None where the database has no row of it. `last_turn`: in words."""
    if seat is None:
        return Text("its row is missing in the database\n")
    text = seat_text(seat).copy()
    return text if seat.result is None else text.append(ending_text(seat, players, last_turn))


def host_text(match: MatchRow) -> str:
    """Say how often the host was too busy to play the match."""
    return f", {match.host_faults} of them void because the host was too busy" if match.host_faults else ""


def limits_played(match: MatchRow | LocalRow) -> str:
    """Say which limits of time a match was played with; nothing where it was not played."""
    if match.first_limit_ms is None:
        return ""
    return f", {match.first_limit_ms} ms for the first answer and {match.turn_limit_ms} ms for each later one"


def ending_text(seat: SeatRow, players: int, last_turn: str) -> Text:
    """Write how a seat ended; of more than two by its place. `players`, `last_turn`: see `whole_seat_text`."""
    verdict = Verdict(seat.verdict or Verdict.OK)
    score = "" if seat.score is None else f", score {seat.score}"
    result = seat.result if players == 2 else f"place {seat.place} of {players}"
    text = Text(f"  {result}{score}, verdict {verdict.words}")
    if verdict is not Verdict.OK and last_turn:
        text.append(f" on its {last_turn}")
    if seat.message:
        text.append(f": {seat.message}")
    text.append("\n")
    if seat.median_us is not None:
        text.append(
            f"  answers: median {milliseconds(seat.median_us)}, slowest {milliseconds(seat.slowest_us)}; "
            f"charged at most {milliseconds(seat.charged_us)}; {counted(seat.overruns, 'overrun')}\n"
        )
    if seat.early_lines:
        text.append(f"  {counted(seat.early_lines, 'turn')} answered with lines said before they were asked for\n")
    if seat.metrics:
        text.append(f"  {metrics_text(seat.metrics)}\n")
    if seat.stderr_dropped_bytes:
        text.append(f"  {seat.stderr_dropped_bytes:,} bytes of stderr were too many and are not kept\n")
    if seat.stderr:
        text.append("  stderr:\n" + indent(seat.stderr) + "\n")
    return text


def metrics_text(metrics: Mapping[str, str]) -> str:
    """Write the metrics that a bot reported."""
    return "metrics: " + ", ".join(f"{key} = {value}" for key, value in metrics.items())
