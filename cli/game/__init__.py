"""`ladder game`: the games, their rules, maps and golden records; games of one's own.

commands  list, show, map, starter, lock and unlock; `ladder new`, a folder with a starter
referee   add, update, remove, new and check: games whose referee is a program, and games of one's own
records   record and verify: golden records, and files that other programs wrote of matches
simcheck  simcheck: somebody's own simulation beside the referee
"""
