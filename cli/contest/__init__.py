"""`ladder contest`: a class or a contest in one command.

commands  open, status and results
links     the file with the links of the players
shown     what status and results show and write
"""
