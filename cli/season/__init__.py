"""`ladder season` and `ladder contest`: close a game's season, look at the boards of closed ones.

commands  `ladder season`
closing   what `ladder season close` asks, waits for and shows
contest   `ladder contest`: a class or a contest in one command
results   what a contest leaves, as files
"""
