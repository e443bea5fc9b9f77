"""`ladder match`: what was played, how it went, and asking for more.

commands       the commands
listing        `list`: the latest matches, or those that somebody looks for
detail_text    one match in detail
match_text     a match and its seats as text
tables         matches as a table
local_texts    such matches, in detail and as a table
looking        `input` and `compare`: what a seat was sent, and where two matches part
view           `view`: a match turn by turn, in the terminal
rematch        a stored match played again
request        battles that somebody asks for
"""
