"""`ladder rating`: does the ledger hold, and how would boards look otherwise?

commands      the commands
part_boards   boards as they would be on a part of the matches, worked out and shown
"""
