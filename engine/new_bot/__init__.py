"""A new bot: a game's starter in a language, in a folder with all that its author needs from day to day.

folder    writes the folder: source, `ladder.toml`, README
"""
