"""What only pages show, made of several views at once.

live_boards  a league's board with the change of a day, searched by name
"""
