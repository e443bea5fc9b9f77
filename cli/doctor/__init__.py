"""`ladder doctor`: what this machine can do, and the one command that would change what it cannot.

command  looks at everything, prints it
machine  what a finding is; cores, load, clock rate, quotas, the disk
sandbox  the tiers of the sandbox, what the one in use guarantees, the languages of which a tiny bot runs in it
clock    whether the fair clock works here
"""
