"""Keeping a position of a match as a case, and listing the cases that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cli.answer import Answer, listing
from cli.cases.asking import ENDING, cases_in, said_text
from cli.options.files import write_file
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of
from engine.errors import UsageFault, plain_words
from engine.records.case_file import Case, Question, require_expectation

if TYPE_CHECKING:
    from ladder.views.turns.watched import WatchedMatch


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case that is kept, without what the bot is sent. `file`: where."""

    file: str
    game: str
    match: str
    seat: int
    turn: int
    said: str | None
    expected: str
    note: str


COLUMNS: Columns[CaseRow] = (
    Column("file", lambda one: one.file, NAME),
    Column("match", lambda one: one.match, WORDS, leaves=2),
    Column("seat", lambda one: one.seat, leaves=1),
    Column("turn", lambda one: one.turn),
    Column("it said", lambda one: said_text(one.said), WORDS),
    Column("expected", lambda one: one.expected, WORDS),
    Column("note", lambda one: one.note, WORDS, leaves=3),
)


def keep(
    match: WatchedMatch,
    turn: int,
    into: Path,
    expect: Sequence[str],
    judge: str | None,
    note: str,
    *,
    over: bool,
) -> Answer:
    """Write a case into a folder. Raises UsageFault for a turn or an expectation that is none, Refused."""
    if expect and judge is not None:
        raise UsageFault("a case is judged by --expect or by --judge: leave one of them out")
    for one in expect:
        try:
            require_expectation(one)
        except ValueError as error:
            raise UsageFault(str(error)) from error
    position = match.turn(turn)
    match.input_of(position.seat, turn)
    asked = [one for one in match.replay.turns[:turn] if one.seat == position.seat]
    name = str(match.id)
    case = Case(
        game=match.game,
        match=name,
        seat=position.seat,
        turn=turn,
        said=position.line,
        expect=tuple(expect),
        judge=judge,
        note=note,
        questions=tuple(
            Question(sent=one.input or (), limit_ms=one.limit_ms or 0, lines=(one.line or "").count("\n") + 1)
            for one in asked
        ),
    )
    try:
        into.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageFault(f"cannot make {into}: {plain_words(error)}") from error
    file = into / f"{name.replace(':', '-')}-turn-{turn}{ENDING}"
    write_file(file, f"{case.model_dump_json(indent=1)}\n".encode(), over=over)
    said = f"seat {case.seat} said {said_text(case.said)}; expected: {case.expectation}"
    words = f"{file}: {match.name}, turn {turn}, {said}"
    return Answer(row_of(file, case), [words, "`ladder case run` tries it"])


def kept(folder: Path) -> Answer:
    rows = [row_of(one.file, one.case) for one in cases_in(folder)]
    return listing(rows, lambda: table_of(COLUMNS, rows), "there is no case here yet; `ladder case add` keeps one")


def row_of(file: Path, case: Case) -> CaseRow:
    return CaseRow(file.name, case.game, case.match, case.seat, case.turn, case.said, case.expectation, case.note)
