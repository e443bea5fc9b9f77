"""Options and arguments that several commands share.

here          what may be left out in a bot's folder
names         known names: games, leagues, languages, sandboxes; a shell completes them
ladder_games  the games of the ladder that is meant, for completion
numbers       bounds of numbers, and moments
matches       matches, of the ladder or played here
people        whose a bot is, and who does something
sandbox       the tier of the sandbox
files         files
game_folder   a game that is in a folder
pages         matches as HTML files
seeds         one seed, a list, or a file of them
"""
