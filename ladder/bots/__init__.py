"""Players, their bots, and the versions of these.

versions  what was submitted, and in which state it is
builds    claimed by one worker at a time, settled once
players   players, and the name that none of them can have
bots      a player's bots, with names that they had before
sources   what is needed to play a version elsewhere than on the ladder
similar   bots of different players whose sources are alike
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.bots import players as players
    from ladder.bots import similar as similar
else:
    __getattr__ = lazily(__name__)
