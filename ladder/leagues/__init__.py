"""Leagues and their settings.

settings  what can be set for a league: names, bounds, meanings
leagues   their rows
file      a game's leagues as a TOML file
"""
