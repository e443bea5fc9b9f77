"""What everything else has to know of boxes: `sandbox`, which makes them, takes long to import.

limits    what one program may use
tiers     the names of the ways to make a box
paths     where things are inside
bot_user  the accounts that bots run under
"""
