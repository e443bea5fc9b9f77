"""The games that ship with Ladder, for tests that need one."""

from engine.games.catalogue import shipped_games

GAMES = shipped_games()
