"""Options and arguments that several commands share.

here          what may be left out in a bot's folder
names         known names: games, leagues, languages, sandboxes; a shell completes them
numbers       bounds of numbers, and moments
matches       matches, of the ladder or played here
people        whose a bot is, and who does something
files         files
seeds         one seed, a list, or a file of them
"""
