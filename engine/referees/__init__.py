"""Referee programs: games whose referee is a program of its own, in any language, instead of rules in Python.

program        what is known of a referee program: protocol, files, what its check found; how jars and commands start
edition        such a game: from its `game.toml` to a `Game`, from a command to its files, with the hash of all of them
jvm            referees in Java start sooner: archives of classes, one JVM for many matches
session        a match that is led by a referee program, by CodinGame's protocol or cg-brutaltester's
blocks         bytes to blocks and back, for CodinGame's protocol
match_command  kind `command`: one command plays the whole match, and starts the bots itself
process        a referee program that runs, in a box and within its limits, and what is kept of one that failed
notes          what a referee said in a match besides how that ended
"""
