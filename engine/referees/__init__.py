"""Referee programs: games whose referee is a program of its own, in any language, instead of rules in Python.

program    what is known of a referee program: its protocol, command, files, and what its check found
"""
