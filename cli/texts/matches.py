"""Matches in lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from cli.terminal.table import FittingTable
from engine.conversation import FOR_TWO, Verdict
from engine.endings import ending_words
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.views.matches import ListedMatch

if TYPE_CHECKING:
    pass

HOW_TO_LOOK = "look at one with `ladder match view MATCH`; `ladder match show MATCH` has all of it in words"
"""Is said below a list of matches."""

RESULT_STYLES = {"win": "green", "loss": "red", "draw": "yellow"}
OWN_RESULT_STYLES = {"won": "green", "lost": "red", "drawn": "yellow"}


def matches_table(matches: Sequence[ListedMatch], *, of_one: bool = False) -> FittingTable:
    """Draw a list of matches, with a column for each seat that any of them has, and places where more than two play.

    Of a seat that is missing in the database nothing is shown.

    `of_one`: they are of one bot, so a column shows its results.
    """
    result = ["result"] if of_one else []
    places = ["places"] if any(one.match.players > FOR_TWO[0] for one in matches) else []
    columns = [f"seat {seat}" for seat in range(max((one.match.players for one in matches), default=2))]
    rows: list[tuple[str | Text, ...]] = []
    for one in matches:
        match, by_seat = one.match, {seat.seat: seat for seat in one.seats}
        seated = [by_seat.get(number) for number in range(match.players)]
        rows.append(
            (
                str(match.id),
                match.league,
                *("" if seat is None else seat_text(seat) for seat in seated),
                *[""] * (len(columns) - match.players),
                ":".join("?" if seat is None else score_text(seat) for seat in seated),
                *(":".join("?" if seat is None else place_text(seat) for seat in seated) for _ in places),
                "void" if match.state == "void" else reason_text(match, one.seats),
                *([own_result_text(one.own_result)] if of_one else []),
                match.turns_words,
                match.seed_words,
                "yes" if match.rates and match.state != "void" else "no",
            )
        )
    return FittingTable(
        ("match", "league", *columns, "score", *places, "end", *result, "turns", "seed", "rated"),
        rows,
        names=("league", *columns, "end"),
        leaving=("league", "turns", "seed", *places),
    )


def own_result_text(result: str | None) -> Text:
    return Text(result or "", style=OWN_RESULT_STYLES.get(result or "", ""))


def score_text(seat: SeatRow) -> str:
    return "-" if seat.result is None else seat.score_words


def place_text(seat: SeatRow) -> str:
    return "-" if seat.place is None else str(seat.place)


def reason_text(match: MatchRow, seats: Iterable[SeatRow]) -> str:
    """Say how a finished match ended, or why one is void, in the words of who made it so."""
    is_over = match.state == "finished"
    return ending_words(match.reason, [seat.verdict for seat in seats]) if is_over else match.reason


def seat_text(seat: SeatRow) -> Text:
    words = seat.name if seat.verdict in {"ok", None} else f"{seat.name} ({Verdict(seat.verdict).words})"
    return Text(words, style=RESULT_STYLES.get(seat.result or "", ""))
