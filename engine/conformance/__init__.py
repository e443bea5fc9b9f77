"""The kit that every game passes, the shipped ones and those kept elsewhere: what a game promises, tried out.

kit           all checks by name
finding       what a check has found
capabilities  what a game has in files of its own, or says that it lacks
rules         what holds for a referee, whatever is answered: no process is started
statements    the rules of every level can be read, and a translation says what the English ones say
live          the game's own bots play here, in the sandbox
secrets       that no player is shown what it must not see
pictures      what shows its matches to people follows them, where a game brings such
programs      the check of games whose referee is a program
recording     writes golden records of any game
"""
