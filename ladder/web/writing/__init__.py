"""What every request goes through that changes something by a program. Imported where the ladder is served.

write_request    by whom, how long, under which key; done once, and the first answer given again; JSON without doubts
contract_routes  how a write gets its route; those that the contract gives an address; all actions for our own commands
body_routes      those whose bodies need a class of their own: what players do; a player's own tokens; operators
browser          the forms by which browsers write
desk             the forms of operators, on one page
"""
