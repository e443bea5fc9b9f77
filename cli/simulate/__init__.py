"""`ladder simulate`: how far a ladder's ranking is from the truth, on bots of known strength.

command  the command
running  the ladders: run, several at once, and shown
"""
