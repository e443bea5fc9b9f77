"""Players, their bots, and the versions of these.

versions  what was submitted, in which state it is, what was built from it
bots      players and bots
sources   what is needed to play a version elsewhere than on the ladder
"""
