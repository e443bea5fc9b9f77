"""Where games come from: the shipped folders, and folders and packages of people's own.

catalogue    which games there are: makes the `Games` that is handed in everywhere
game_folder  from a folder with a `game.toml` to a `Game`
golden       recorded matches, in files
java_random  the random numbers of the official referees

Each other folder here is a game that ships with Ladder.
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from engine.games import catalogue as catalogue
else:
    __getattr__ = lazily(__name__)
