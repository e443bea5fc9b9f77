"""Ocean of Code: two submarines hunt each other on a 15 by 15 map, hearing only each other's orders."""

from pathlib import Path

from engine.game import load_game
from engine.games.ocean_of_code.board import map_facts, map_rows
from engine.games.ocean_of_code.referee import referee

OCEAN_OF_CODE = load_game(Path(__file__).parent, referee, map_facts, map_rows)
