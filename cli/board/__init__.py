"""`ladder board`.

commands  the command: boards of leagues, once or watched, whole or of a part of the matches
freezing  boards that all but operators see as they were at a moment
"""
