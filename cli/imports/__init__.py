"""`ladder import`: from an export of a ladder, or from a league of another program.

commands  `ladder import` and what it imports
"""
