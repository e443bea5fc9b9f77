"""Matches between bots that run.

match  one match: boxes for its bots, and for a referee program, on a core of their own
"""
