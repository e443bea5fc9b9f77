"""The check of a game whose referee is a program: what can be found out about it by letting it lead matches.

check     all of it: what repeats a match, which numbers of players work, how it counts time, what puts a seat out
ways      by which protocol a referee asks, and the best of the ways in which it can be given seeds
whole     that of a command which plays whole matches: each seed some times
matches   matches that are played for a check, and played again with the same answers
finding   what was found, in words and as keys of `game.toml`
"""
