"""A Code of Ice and Fire: two armies in opposite corners of a 12 by 12 map, for land, gold and the other's corner."""

from pathlib import Path

from engine.game import load_game
from engine.games.ice_and_fire.referee import draw_map, map_facts, referee

ICE_AND_FIRE = load_game(Path(__file__).parent, referee, map_facts, draw_map)
