"""Options and arguments that several commands share.

folder_defaults  what may be left out in a bot's folder
names            known names: games, leagues, languages, sandboxes, which a shell completes; and people
numbers          bounds of numbers, seeds and moments
matches          matches, of the ladder or played here
files            files
"""
