"""`ladder demo`: the whole thing once, from nothing to leaderboards, in a home of its own.

command   the command
running   services up, the rounds, the report, services down
entries   which versions are submitted in which round
watching  waiting until a round is played: a live line for each event, with matches and pace
ending    what is printed at the end: boards, figures, one match, commands to type next
drawing   one match drawn: its map, and beside it the last turns
"""
