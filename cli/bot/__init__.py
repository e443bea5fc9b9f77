"""`ladder bot`: the bots there are, their versions, and how each of them does.

commands       the commands
new            `ladder new`
leaving        `ladder bot retire`, `rename`, `disqualify`, `reinstate`
sources        `ladder bot source` and `ladder bot diff`
detail_text    one bot in detail
tables         bots and their versions as tables
rejected_text  the sentence about a version that was rejected
order_text     sentences about a version on a board: what is missing until it goes up, and its open order with the boss
versus         `ladder bot versus`: each opponent, by seat
"""
