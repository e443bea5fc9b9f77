"""`ladder doctor`: what this machine can do, and the one command that would change what it cannot.

command    looks at everything, prints it
finding    the result of one look
machine    cores, load, clock rate, quotas, the disk
sandbox    the tiers of the sandbox, and what the one in use guarantees
clock      whether the fair clock works here
languages  the languages that bots can be written in here, tried by building and running a tiny bot in each
"""
