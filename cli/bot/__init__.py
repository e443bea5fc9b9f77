"""`ladder bot`: the bots there are, their versions, and how each of them does.

commands       the commands
new            `ladder new`
leaving        `ladder bot retire`, `rename`, `disqualify`, `reinstate`
sources        `ladder bot source` and `ladder bot diff`
versus         `ladder bot versus`: each opponent, by seat
"""
