"""Games of the ladder: those whose referee is a program, as folders in the database.

games           which there are, their editions, the files of these, and which seeds they take
catalogue       how processes and commands that have a `Games` learn of them
referee_faults  after whose answers referees broke
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.games import catalogue as catalogue
    from ladder.games import games as games
    from ladder.games import referee_faults as referee_faults
else:
    __getattr__ = lazily(__name__)
