"""What a served ladder has besides its pages: who asks, logging in, accounts. Imported where the ladder is served.

identity  who asks: by a session's cookie or a token, and from which address; what is refused
limits    how often a player, an address or a name may ask; how many passwords wait to be checked
forms     what a form sends, and whether it comes from our own page
account   making one; one's own tokens, sessions and password; logging in and out; letting programs in
routes    all routes of these, and those that write
"""
