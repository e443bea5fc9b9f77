"""How much a player may ask for: pure rules, what was used, and what refuses more. Somebody alone has no quotas.

rules     what there are quotas for, how many by default, and when more is possible again
quotas    the table of quotas: everybody's and each player's own
used      what a player has used
refusing  refusing what goes beyond a quota
budgets   which gauntlets wait because of what their players have used up
reading   what commands and pages show of quotas
locks     games that take no new versions at present
"""
