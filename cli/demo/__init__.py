"""`ladder demo`: the whole thing once, from nothing to leaderboards, in a home of its own.

command   the command
running   services up, the rounds, the report, services down
"""
