"""Matches, from the row that waits to the record of what was played.

matches      made in pairs; taken back
claims       played by one worker at a time, given back where that worker cannot
recovery     claimed and not finished: put back, or put aside with the evidence
backlog      those that wait, and should be heard of again
record       what is kept of a match so that it can be played again
match_rows   matches as they are shown
failures     attempts that failed, and whether that speaks against the match
host_faults  in whose turns the host was too busy, and whose own doing that must be
"""
