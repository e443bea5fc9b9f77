"""What every request goes through that changes something by a program. Imported where the ladder is served.

gate        by whom, how long, under which key; done once, and the first answer given again
bodies      JSON without doubts: what it may hold, and a sentence for what it may not
describing  how the description tells what a writing route takes and answers
own_bots    submitting a version, putting another one on the board; who sees sources
battles     asking for battles, and taking that back
gauntlets   beginning, stopping and resuming one, and having some played by themselves
own_tokens  one's own tokens
operating   what operators do with matches, gauntlets, leagues and seasons
sharing     links with which others see a match
players     what operators do with accounts, and what was done
acts        what our own commands ask for: every action by one route
uploads     what a form sends that has a file
submit_page  the page on which a version is submitted
buttons     the forms on pages of versions and gauntlets
routes      all routes of these
"""
