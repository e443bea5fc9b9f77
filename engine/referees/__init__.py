"""Referee programs: games whose referee is a program of its own, in any language, instead of rules in Python.

program        what is known of a referee program: its protocol, command, files, and what its check found
game_file      from the `game.toml` of such a game to a `Game`, and the text of a new or changed one
edition        from a command to a game's files, with the hash of all of them; laid out where boxes see them
java           referees in jars: the class that speaks the protocol, and how it is started
jvm            referees in Java start sooner: archives of classes, one JVM for many matches
sdk            the protocol of CodinGame's SDK
blocks         bytes to blocks and back, for that protocol
brutaltester   the protocol of cg-brutaltester
match_command  kind `command`: one command plays the whole match, and starts the bots itself
command_line   the words of such a command: what stands for the seed and the bots
session        a match that is led by a referee program: process, protocol and notes together
process        a referee program that runs, in a box and within its limits, and what is kept of one that failed
notes          what a referee is given for a match, and what it said besides how that ended
"""
