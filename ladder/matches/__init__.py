"""Matches, from the row that waits to the record of what was played.

How this works. A match is `queued`, then `running` under an attempt number and a lease, then `finished` or `void`. The
claim is one statement; it takes a queued match and raises the attempt. A running match whose worker is dead or whose
lease is over is queued first. Recording names the attempt that it claimed, so a worker that comes back from the dead
changes nothing that another one has begun. The sweep does the rest: it frees the matches of dead workers, puts aside
those that failed too often (see `failures`) and says which to enqueue again. Each message is for one match, so fewer
messages than queued matches mean that some are lost. It is unknown which; but messages are read in their order, so
sooner or later the match that has waited longest is one of them. So the longest-waiting matches are enqueued again, as
many as messages are missing.

matches        made in pairs; taken back
claims         those that wait are enqueued, played by one worker at a time, given back where that worker cannot
record         what is kept of a match so that it can be played again
archive        matches as files, before they are let go
seat_results   how each seat fared, summed up; how much of what bots wrote to stderr is kept
local_matches  those that were played on this machine without a ladder, and the folder with the last of them
match_rows     matches as they are shown; lists of those that are over, the latest first
filters        a small language that picks matches
failures       attempts that failed: does that speak against the match, a bot or the host?
"""
