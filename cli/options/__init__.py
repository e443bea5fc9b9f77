"""Options and arguments that several commands share.

names    known names: games, leagues, languages, sandboxes; a shell completes them
numbers  bounds of numbers
files    files
seeds    one seed, a list, or a file of them
"""
