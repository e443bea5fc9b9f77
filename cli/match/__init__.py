"""`ladder match`: what was played, how it went, and asking for more.

commands       the commands
listing        `list`: the latest matches, or those that somebody looks for
showing        `show`: one match, and those that were played here
comparing      `compare`: where two matches part
looking        `input` and `compare`: what a seat was sent, and where two matches part
view           `view`: a match turn by turn, in the terminal
rematch        a stored match played again
request        battles that somebody asks for
"""
