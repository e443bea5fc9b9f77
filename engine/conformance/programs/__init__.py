"""The check of a game whose referee is a program: what can be found out about it by letting it lead matches.

check     all of it: what repeats a match, which numbers of players work, how it counts time, what puts a seat out
ways      the ways in which a referee is tried: by seeds of some width, or without any
whole     that of a command which plays whole matches: each seed some times
speaking  whether it speaks the protocol of its game, seen by its first question
matches   matches that are played for a check, and played again with the same answers
finding   what was found, in words and as keys of `game.toml`
"""
