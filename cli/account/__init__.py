"""Players with accounts on a served ladder, their tokens, and what was done.

players   `ladder player`: who there is, letting people in, shutting accounts
quotas    `ladder player quota`: how much players may ask for
tokens    `ladder token`: making, listing and revoking them
shares    `ladder match share`, `shares`, `unshare`: links to matches
audit     `ladder audit`: what was done
login     `ladder login`, `ladder logout`, `ladder whoami`: which ladder commands mean
"""
