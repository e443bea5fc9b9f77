"""What every request goes through that changes something by a program. Imported where the ladder is served.

gate        by whom, how long, under which key; done once, and the first answer given again
bodies      JSON without doubts: what it may hold, and a sentence for what it may not
contract_routes  the public routes of the actions that the contract gives an address
own_bots    submitting a version; who sees sources
gauntlets   asking for battles and gauntlets, and having gauntlets played by themselves
operating   what operators do with games, leagues and seasons
players     a player's own tokens; what operators do with accounts, and what was done
acts        what our own commands ask for: every action by one route
browser     the forms by which browsers write
desk        the forms of operators, on one page
clarifications  those of announcements and questions
"""
