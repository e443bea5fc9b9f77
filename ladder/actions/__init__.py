"""What people do: one function for each thing, for any interface.

Each takes an `Actor` and what it needs of pool and queue, checks `ladder.access`, does its work in one transaction,
writes down what concerns others, asks the queue when that is committed, and returns what came of it.

bots          submitting a version, putting one on the board, sending a bot back a league; names; leaving the boards
battles       asking for battles, and taking that back
gauntlets     beginning, stopping, resuming and purging one; having some played by themselves
matches       taking one back
seasons       closing one
games         adding, changing and removing games whose referee is a program
leagues       changing their settings
ratings       rating leagues again
transfer      making a new ladder of an export
imports       moving leagues of other programs in
installation  setting up the database, with the games' leagues and bosses
"""
