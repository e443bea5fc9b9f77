"""What people look at in a browser: pages, and the same data as JSON; only `cli` imports it.

app             the application: its routes, and what goes around all of them
site            what every handler works with: connections, games, the key
server          the process behind the pages: its priority, its log, its database and its end
entrance        where it listens, a free port or a socket; the key that lets readers in: file, cookie, bearer token
conditional     what makes answers small: ETag and 304, gzip
problems        an error as a page, or as problem+json
rendering       strangers' words, times and numbers as pages show them; a page as one file, without script and links
addresses       the addresses of all pages
viewer_context  the viewer's place in a page
identity        who asks, and how often one may: by a session's cookie or a token, and from which address
forms           what a form sends, and whether it comes from our own page
account         making one, and one's own; logging in and out; letting programs in; all routes of a served ladder
writing         what changes something, by a program or a form
pages           the pages, one module for each kind
api             the routes of `/api/v1`, one module for each kind
watcher         what changes on a ladder, and the pages that listen for it

Beside them: `templates`, the pages' HTML; `static`, the style sheet and our scripts; `docs`, which leads to the
documents.
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.web import account as account
    from ladder.web import pages as pages
    from ladder.web import rendering as rendering
else:
    __getattr__ = lazily(__name__)
