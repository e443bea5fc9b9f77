"""What commands print, as tables and sentences.

How this works. Tables need Rich and rows the database, which take longer to import than most commands run. So a module
of this package is imported when it is first asked for: commands import the package, `from cli import texts`, and call
`texts.boards.board_table`.

accounts   players with accounts, their sessions, tokens and quotas, and what was done
boards     boards, and the cells that all tables of rated versions share
bots       bots and their versions
contests   how a contest goes
leagues    leagues, a table for each game
matches    matches in lists
match_detail  one match in detail
ratings    computed boards; why a version ranks where it does
requests   battles that somebody asks for
seasons    seasons and their final boards
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.texts import accounts, boards, bots, contests, leagues, match_detail, matches, ratings, requests, seasons
else:
    __getattr__ = lazily(__name__)

__all__ = [
    "accounts",
    "boards",
    "bots",
    "contests",
    "leagues",
    "match_detail",
    "matches",
    "ratings",
    "requests",
    "seasons",
]
