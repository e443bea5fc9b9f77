"""How a bot fared, however much it has played: each of these reads a bounded number of rows.

rating_history  how a rating has moved, and the moves between leagues
opponents       how a bot or version did lately against each opponent
head_to_head    two versions or bots against each other
timing          what a version's turns took
faults          the matches that a version lost by a fault of its own
metrics         the numbers that a version printed about itself
"""
