"""`ladder match request`, `requests` and `cancel`: battles that somebody asks for.

commands  the commands
asking    what they do
texts     how such requests look
"""
