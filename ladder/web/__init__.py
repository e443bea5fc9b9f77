"""What people look at in a browser: pages, and the same data as JSON; only `cli` imports it.

app        the application: its routes, and what goes around all of them
site       what every handler works with: connections, games, the key
process    the process behind the pages
key        the key that lets readers in: its file in the home, the cookie, the bearer token
conditional  what makes answers small: ETag and 304, gzip
problems   an error as a page, or as problem+json
shown      strangers' words, times and numbers as pages show them
addresses   the addresses of all pages
stage        the viewer's place in a page
files      a page as one file, without script and links
bot_plots  a rating and a version's times as plots
documents  the guide and the documents beside it, from Markdown
accounts   logging in, accounts and tokens, where the ladder is served to others
writing    what every request goes through that changes something by a program
pages      the pages, one module for each kind
api        the routes of `/api/v1`, one module for each kind
live       pages that follow changes: their listeners, and the watcher

Beside them: `templates`, the pages' HTML; `static`, the style sheet and our scripts; `docs`, which leads to the
documents.
"""
