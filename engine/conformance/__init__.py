"""The kit that every game passes, the shipped ones and those kept elsewhere: what a game promises, tried out.

kit        all checks by name; writes golden records of any game
programs   the check of games whose referee is a program: what repeats a match, which numbers of players work
simulator  somebody's own simulation of a game beside its referee
"""
