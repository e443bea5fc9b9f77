"""The kit that every game passes, the shipped ones and those kept elsewhere: what a game promises, tried out.

kit           all checks by name
rules         what holds for a referee, whatever is answered: no process is started
pictures      what shows its matches to people follows them, where a game brings such
programs      the check of games whose referee is a program
recording     writes golden records of any game
"""
