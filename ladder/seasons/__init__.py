"""Seasons: closing them, their last series, their final boards.

seasons         their rows
ending          closing one: which one is on, who plays a series, what a final board says
clarifications  announcements, questions and their answers
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.seasons import clarifications as clarifications
    from ladder.seasons import ending as ending
else:
    __getattr__ = lazily(__name__)
