"""`ladder contest`: a class or a contest in one command.

commands  open, status and results
shown     what status shows
results   the files that results writes
"""
