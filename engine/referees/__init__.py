"""Referee programs: games whose referee is a program of its own, in any language, instead of rules in Python.

program       what is known of a referee program: its protocol, command, files, and what its check found
game_file     from the `game.toml` of such a game to a `Game`, and the text of a new one
edition       a game's files with the hash of all of them; laid out in the workspace, where boxes see them
gathering     from a command to an edition: the files that it names, and a `game.toml`
toml_text     TOML written anew, or with some values changed and all comments kept
java          referees in jars: the class that speaks the protocol, and how it is started
jvm           referees in Java start sooner: archives of classes, one JVM for many matches
setup         what decides a match besides referee and bots
sdk           the protocol of CodinGame's SDK
blocks        bytes to blocks and back, for that protocol
brutaltester  the protocol of cg-brutaltester
answers       what both share: answers on their way to the referee, numbers that it says
whole         kind `command`: one command plays the whole match, and starts the bots itself
leading       a match that is led by a referee program: process, protocol and notes together
process       a referee program that runs, in a box and within its limits
evidence      what is kept of one that failed
notes         what a referee said besides how the match ended
"""
