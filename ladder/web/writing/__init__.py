"""What every request goes through that changes something by a program. Imported where the ladder is served.

gate        by whom, how long, under which key; done once, and the first answer given again
bodies      JSON without doubts: what it may hold, and a sentence for what it may not
contract_routes  the public routes of the actions that the contract gives an address
playing     submitting a version; who sees sources; battles and gauntlets
operating   a player's own tokens; what operators do with accounts, games, leagues and seasons
acts        what our own commands ask for: every action by one route
browser     the forms by which browsers write
desk        the forms of operators, on one page
"""
