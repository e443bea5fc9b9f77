"""The ladder that a command speaks to: the same two verbs, however it is reached.

interface  what commands ask of a ladder: reading a view, doing a thing
direct     a ladder whose database this machine reaches
remote     a ladder behind a server
server     which of the two a command means
"""
