"""Matches, from the row that waits to the record of what was played.

matches      made in pairs, claimed by one worker at a time, recorded once
record       what is kept of a match so that it can be played again
match_rows   matches as they are shown
failures     attempts that failed, and whether that speaks against the match
host_faults  in whose turns the host was too busy, and whose own doing that must be
"""
