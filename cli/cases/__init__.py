"""The cases in a bot's folder: positions in which it must not answer as it did when it lost. Imported when asked for.

keeping  keeping a position of a match, and listing those that are kept
asking   asking a bot in all of them
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from cli.cases import asking, keeping
else:
    __getattr__ = lazily(__name__)

__all__ = ["asking", "keeping"]
