"""`ladder game`: the games, their rules, maps and golden records; games of one's own.

commands      list, show, map, starter, lock and unlock
referee       add, update and remove: games of the ladder whose referee is a program
checking      checks of such games
own           new and check: games of one's own
records       record and verify: golden records, and files that other programs wrote of matches
simcheck      simcheck: somebody's own simulation beside the referee
"""
