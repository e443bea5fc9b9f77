"""Leagues and their settings.

settings    what can be set for a league: names, bounds, meanings
leagues     their rows
sides       which versions of a board meet
file        a game's leagues as a TOML file
"""
