"""`ladder rating`: does the ledger hold, and how would boards look otherwise?

commands      the commands
texts         boards on a part of the matches; why a version ranks where it does
settled_text  boards by a fit of all matches
"""
