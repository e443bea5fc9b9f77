"""`ladder contest`: a class or a contest in one command.

commands  open, status and results
links     the file with the links of the players
shown     what status shows
results   the files that results writes
"""
