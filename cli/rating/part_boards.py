"""Boards as they would be on a part of the matches, for `ladder board` and `ladder rating recompute`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from cli.context import Context
from cli.rating.boards import show_rows
from cli.rating.texts import part_board_table
from cli.terminal.steps import stepping
from ladder.matches.filters import parse
from ladder.views.ratings import count_matches, filtered_boards

if TYPE_CHECKING:
    from ladder.database.connection import Connection
    from ladder.leagues.leagues import League


def show_boards(context: Context, game: str | None, league: str | None, where: str, *, as_json: bool) -> None:
    """Show boards as they would be on the matches that a filter picks."""
    boards = context.read(filtered_boards, game, league, parse(where), partial(counting, context, "rating"))
    nothing = "no finished match fits the filter that a version on a board now has played"
    show_rows(context, boards, part_board_table, nothing, as_json=as_json)


@contextmanager
def counting(
    context: Context, what: str, connection: Connection, leagues: Sequence[League]
) -> Iterator[Callable[[], None]]:
    """Show on a terminal how many of the leagues' matches are done; gives what is to be called after each."""
    with stepping(context.err, what, partial(count_matches, connection, leagues)) as on_match:
        yield on_match
