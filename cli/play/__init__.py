"""`ladder play`: matches on this machine, with no services at all.

command  the command and its options
options  its options
players  who plays: files, and the bosses that a game ships
series   the matches of a series: which are played, and playing them
keeping  what is kept of each match
log      input, output and stderr of every match as files
losses   the matches that were lost: named, kept, opened
worse    where a new bot loses and the old one does not
texts    how a match and a series look in a terminal
"""
