"""Opening a browser without showing the key to other accounts.

How this works. Every account can read the command lines of all programs, so an address with the key must not be in the
browser's. What the browser opens is a file that only this account can read, and that leads to the address.
"""

from __future__ import annotations

import os
import webbrowser
from html import escape

from cli.context import Context
from workers.embedded.services import plain_errors

PAGE = """\
<!DOCTYPE html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>Ladder</title>
<p><a href="{address}">Ladder</a>
"""


def open_browser(context: Context, address: str) -> None:
    """Open an address with a key in the person's browser, or say that there is none."""
    path = context.home.folder / "web.html"
    with plain_errors(context.home):
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(PAGE.format(address=escape(address)))
    if not webbrowser.open(path.as_uri()):
        context.say("no browser was found here: open that address in one")
