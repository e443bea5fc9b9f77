"""A new bot: a game's starter in a language, in a folder with all that its author needs from day to day.

starters  the starters that a game brings
folder    writes the folder: source, `ladder.toml`, README
"""
