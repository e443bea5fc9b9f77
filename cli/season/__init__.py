"""`ladder season`: close a game's season, look at the boards of closed ones.

commands  the commands
closing   what `close` asks, waits for and shows
texts     how seasons look
"""
