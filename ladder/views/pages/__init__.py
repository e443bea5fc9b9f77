"""What only pages show, made of several views at once.

front            the whole ladder at a glance: leaders, what runs, latest promotions
one_game         a game: leagues with settings, seasons, latest matches
contest          a class or a contest: its players, what they submitted, where they stand
contest_results  what a contest leaves: final boards, and each player with all results
final_boards     a closed season's boards, in parts
live_boards      a league's board with the change of a day, searched by name
one_bot          a bot: versions, rating, opponents, what moved it
one_match        one match beside its turns
operations       what waits, what the workers do and what went wrong, in a bounded number of rows
one_player       a player: all versions of all bots, latest matches
one_version      a version: seats, times, faults, metrics
"""
