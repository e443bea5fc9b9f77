"""`ladder season`: close a game's season, look at the boards of closed ones.

commands  the commands
texts     how seasons look
"""
