"""What commands print, as tables and sentences. They need Rich and the database, so they are imported when asked for.

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
