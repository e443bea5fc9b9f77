"""`ladder rating`: does the ledger hold, and how would boards look otherwise?

commands      the commands
boards        showing computed boards, for whichever command computes them
part_boards   boards as they would be on a part of the matches, worked out and shown
texts         boards on a part of the matches; why a version ranks where it does
settled_text  boards by a fit of all matches
"""
