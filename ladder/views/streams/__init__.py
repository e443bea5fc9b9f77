"""What programs read as it comes.

all_matches  all matches of a game that a filter picks, the first ones first
reach        how far somebody has read them, so that the next reading misses none
news         what is new of a bot or a league
"""
