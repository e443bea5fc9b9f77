"""Matches in lists, and battles that were asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable, table_of
from cli.terminal.words import moment_text
from engine.conversation import FOR_TWO, Verdict, ending_words
from engine.text import counted, listed, ordinal
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.views.matches import ListedMatch

if TYPE_CHECKING:
    from ladder.matchmaking.requests import BattleRequest, RequestSide

HOW_TO_LOOK = "look at one with `ladder match view MATCH`; `ladder match show MATCH` has all of it in words"
"""Is said below a list of matches."""

RESULT_STYLES = {"win": "green", "loss": "red", "draw": "yellow"}
OWN_RESULT_STYLES = {"won": "green", "lost": "red", "drawn": "yellow"}


def matches_table(matches: Sequence[ListedMatch], *, of_one: bool = False) -> FittingTable:
    """Draw a list of matches, each seat in a column. `of_one`: they are of one bot, so one shows its results."""
    have_places = any(row.match.players > FOR_TWO[0] for row in matches)

    def score(seat: SeatRow) -> str:
        return "-" if seat.result is None else seat.score_words

    def place(seat: SeatRow) -> str:
        return "-" if seat.place is None else str(seat.place)

    places: Columns[ListedMatch] = [Column("places", lambda row: in_seats(row, place), leaves=4)]
    result: Columns[ListedMatch] = [Column("result", lambda row: own_result_text(row.own_result))]
    columns: Columns[ListedMatch] = [
        Column("match", lambda row: row.match.id),
        Column("league", lambda row: row.match.league, NAME, leaves=1),
        *(seat_column(seat) for seat in range(max((row.match.players for row in matches), default=2))),
        Column("score", lambda row: in_seats(row, score)),
        *(places if have_places else ()),
        Column("end", lambda row: "void" if row.match.state == "void" else reason_text(row.match, row.seats), NAME),
        *(result if of_one else ()),
        Column("turns", lambda row: row.match.turns_words, leaves=2),
        Column("seed", lambda row: row.match.seed_words, leaves=3),
        Column("rated", lambda row: "yes" if row.match.rates and row.match.state != "void" else "no"),
    ]
    return table_of(columns, matches)


def seat_column(number: int) -> Column[ListedMatch]:
    return Column(
        f"seat {number}", lambda row: next((seat_text(seat) for seat in row.seats if seat.seat == number), None), NAME
    )


def in_seats(row: ListedMatch, text: Callable[[SeatRow], str]) -> str:
    by_seat = {seat.seat: text(seat) for seat in row.seats}
    return ":".join(by_seat.get(number, "?") for number in range(row.match.players))


def own_result_text(result: str | None) -> Text:
    return Text(result or "", style=OWN_RESULT_STYLES.get(result or "", ""))


def reason_text(match: MatchRow, seats: Iterable[SeatRow]) -> str:
    """Say how a finished match ended, or why one is void, in the words of who made it so."""
    is_over = match.state == "finished"
    return ending_words(match.reason, [seat.verdict for seat in seats]) if is_over else match.reason


def seat_text(seat: SeatRow) -> Text:
    words = seat.name if seat.verdict in {"ok", None} else f"{seat.name} ({Verdict(seat.verdict).words})"
    return Text(words, style=RESULT_STYLES.get(seat.result or "", ""))


def asked_text(request: BattleRequest) -> str:
    return (
        f"request {request.id}: {counted(request.battles, 'battle')} of {players_text(request)} in {request.league}; "
        f"unrated; `ladder match list --request {request.id}` shows what was played, "
        f"`ladder match cancel {request.id}` takes it back"
    )


def players_text(request: BattleRequest) -> str:
    return f"{request.first} against {listed(request.versions[1:])}"


def played_text(request: BattleRequest) -> str:
    results = "; ".join(side_text(side) for side in request.sides)
    if request.is_of_two:
        results = f"{request.wins} won, {request.draws} drawn, {request.losses} lost"
    text = f"request {request.id}: {players_text(request)} in {request.finished} matches: {results}"
    if request.void:
        text += f"; {request.void} void"
    if request.lapsed:
        text += f"; {lapsed_text(request)}"
    return text


def side_text(side: RequestSide) -> str:
    if side.points is None:
        return f"{side.version} without a match"
    places = ", ".join(f"{ordinal(place)} {times}" for place, times in enumerate(side.places, 1) if times)
    return f"{side.version} {side.points:.1%} of the points, {places}".replace("%", " %")


def lapsed_text(request: BattleRequest) -> str:
    return f"{lacking_text(request)}: {request.lapsed}"


def lacking_text(request: BattleRequest) -> str:
    if request.battles == 1:
        return "its battle was not made"
    lacking = request.battles - request.made
    return f"{lacking} of its {request.battles} battles {'was' if lacking == 1 else 'were'} not made"


def requests_table(requests: Sequence[BattleRequest]) -> FittingTable:
    """Draw a list of requests. Of more than two versions those after the first stand in one column."""
    second = "second" if all(request.is_of_two for request in requests) else "others"
    columns: Columns[BattleRequest] = [
        Column("request", lambda row: row.id),
        Column("game", lambda row: row.game, WORDS, leaves=3),
        Column("league", lambda row: row.league, NAME, leaves=2),
        Column("first", lambda row: row.first, NAME),
        Column(second, lambda row: ", ".join(row.versions[1:]), NAME),
        Column("made", lambda row: f"{row.made}/{row.battles}"),
        Column("by", by_text, NAME),
        Column("asked", lambda row: moment_text(row.created_at), WORDS, leaves=1),
        Column("state", state_text, NAME),
    ]
    return table_of(columns, requests)


def by_text(request: BattleRequest) -> str:
    return request.asked_by if request.season is None else f"series of season {request.season}"


def state_text(request: BattleRequest) -> str:
    if request.lapsed:
        return request.lapsed
    if request.left:
        return "open"
    return "played" if request.is_over else "being played"


def origin_text(match: MatchRow, request: BattleRequest | None) -> str:
    """Say for whom a match was made if not for the ladder itself, and whether it rates; '' for any other match."""
    rates = "it is rated" if match.rates else "it is unrated"
    if match.gauntlet_id is not None:
        return f"made for gauntlet {match.gauntlet_id}: {rates}"
    if request is None:
        return "" if match.rates else "it no longer counts, as a bot that played it is disqualified"
    cut = f"; {lapsed_text(request)}" if request.lapsed else ""
    return f"made for request {request.id} ({by_text(request)}): {rates}{cut}"
