"""`ladder import`: from an export of a ladder, or from a league of another program.

commands  `ladder import` and what it imports
texts     what came of it, as people read it
"""
