"""Who plays whom.

matchmaker   from leagues' boards and a source of chance to battles; how many may wait, whose turn it is: pure
information  what a match is expected to teach
demand       what the matchmaker has to know; what could be played now, and how many workers that is worth
requests     battles that somebody asks for: who may, how they become matches; their rows
odd_pairs    two whose results against each other are not what their ratings say
simulation   the whole ladder on made-up bots of known strength
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.matchmaking import information as information
    from ladder.matchmaking import requests as requests
    from ladder.matchmaking import simulation as simulation
else:
    __getattr__ = lazily(__name__)
