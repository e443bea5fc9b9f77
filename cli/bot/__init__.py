"""`ladder bot`: the bots there are, their versions, and how each of them does.

commands     the commands
order_text   the sentence about a version that may be stronger than the boss it ranks below
"""
