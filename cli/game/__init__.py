"""`ladder game`: the games, their rules, maps and golden records; games of one's own.

commands      list and map; puts the others beside them
rules         show: a league's rules
starter       a game's starter in a language
referee       add, update and remove: games of the ladder whose referee is a program
referee_text  what is known of such a game, as lines
locking       lock and unlock: games that take no new versions for a while
checking      checks of such games
own           new and check: games of one's own
record        writes golden records of any game
verify        plays golden records against the referees
foreign       ... and files that other programs wrote of matches
"""
