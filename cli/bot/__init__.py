"""`ladder bot`: the bots there are, their versions, and how each of them does.

commands       the commands
new            `ladder new`
leaving        `ladder bot retire`, `rename`, `disqualify`, `reinstate`
sources        `ladder bot source` and `ladder bot diff`
detail_text    one bot in detail
tables         bots and their versions as tables
versus         `ladder bot versus`: each opponent, by seat
"""
