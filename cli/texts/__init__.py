"""What commands print, as tables and sentences.

How this works. Tables need Rich and rows the database, which take longer to import than most commands run. So a module
of this package is imported when it is first asked for: commands import the package, `from cli import texts`, and call
`texts.boards.board_table`.

boards        boards, and the cells that all tables of rated versions share
bots          bots, their versions, and what gauntlets say of those
matches       matches in lists and in detail, and battles that were asked for
ratings       computed boards; why a version ranks where it does
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.texts import boards, bots, matches, ratings
else:
    __getattr__ = lazily(__name__)

__all__ = ["boards", "bots", "matches", "ratings"]
