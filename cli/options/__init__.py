"""Options and arguments that several commands share.

here          what may be left out in a bot's folder
names         known names: games, leagues, languages, sandboxes; a shell completes them
numbers       bounds of numbers, and moments
matches       matches, of the ladder or played here
files         files
pages         matches as HTML files
"""
