"""A match turn by turn.

rows     the turns of a match, one row for each
played   matches that this machine has just played
replays  a stored match as it can be looked at again, and two of them beside each other
"""
