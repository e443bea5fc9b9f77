"""Matches in lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.text import Text

from cli.terminal.table import NAME, Column, Columns, FittingTable, table_of
from engine.conversation import FOR_TWO, Verdict
from engine.endings import ending_words
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.views.matches import ListedMatch

HOW_TO_LOOK = "look at one with `ladder match view MATCH`; `ladder match show MATCH` has all of it in words"
"""Is said below a list of matches."""

RESULT_STYLES = {"win": "green", "loss": "red", "draw": "yellow"}
OWN_RESULT_STYLES = {"won": "green", "lost": "red", "drawn": "yellow"}


def matches_table(matches: Sequence[ListedMatch], *, of_one: bool = False) -> FittingTable:
    """Draw a list of matches, with a column for each seat that any of them has, and places where more than two play.

    Of a seat that is missing in the database nothing is shown. `of_one`: they are of one bot, so a column shows its
    results.
    """
    have_places = any(one.match.players > FOR_TWO[0] for one in matches)
    places: Columns[ListedMatch] = [Column("places", lambda one: in_seats(one, place_text), leaves=4)]
    result: Columns[ListedMatch] = [Column("result", lambda one: own_result_text(one.own_result))]
    columns: Columns[ListedMatch] = [
        Column("match", lambda one: one.match.id),
        Column("league", lambda one: one.match.league, NAME, leaves=1),
        *(seat_column(seat) for seat in range(max((one.match.players for one in matches), default=2))),
        Column("score", lambda one: in_seats(one, score_text)),
        *(places if have_places else ()),
        Column("end", lambda one: "void" if one.match.state == "void" else reason_text(one.match, one.seats), NAME),
        *(result if of_one else ()),
        Column("turns", lambda one: one.match.turns_words, leaves=2),
        Column("seed", lambda one: one.match.seed_words, leaves=3),
        Column("rated", lambda one: "yes" if one.match.rates and one.match.state != "void" else "no"),
    ]
    return table_of(columns, matches)


def seat_column(number: int) -> Column[ListedMatch]:
    return Column(
        f"seat {number}", lambda one: next((seat_text(seat) for seat in one.seats if seat.seat == number), None), NAME
    )


def in_seats(one: ListedMatch, text: Callable[[SeatRow], str]) -> str:
    by_seat = {seat.seat: text(seat) for seat in one.seats}
    return ":".join(by_seat.get(number, "?") for number in range(one.match.players))


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
