"""Leagues and their settings.

settings    what can be set for a league: names, bounds, meanings
leagues     their rows
sides       which versions of a board meet
battles     bounds that follow from a league's number of battles
file        a game's leagues as a TOML file
conditions  from a league's row to what the engine needs to play in it
"""
