"""`ladder match`: what was played, how it went, and asking for more.

commands       the commands
listing        `list`: the latest matches, or those that somebody looks for
detail_text    one match in detail
match_text     a match and its seats as text
tables         matches as a table
showing        `show`: one match
local_list     `list --local`: the last matches of `ladder play`
local_texts    such matches, in detail and as a table
watching       a match turn by turn, by any of its names
looking        `input` and `compare`: what a seat was sent, and where two matches part
comparing      ... which is printed, or written as a page
view           `view`: a match turn by turn, in the terminal
rematch        a stored match played again
recorded       ... what was said in it, put to a fresh referee program
request        battles that somebody asks for
"""
