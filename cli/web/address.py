"""The pages of a running ladder: their address, for other commands and the browser, and what their process is given.

How this works. Every account can read the command lines of all programs, so an address with the key must not be in the
browser's. What the browser opens is a file that only this account can read, and that leads to the address.
"""

from __future__ import annotations

import os
import time
import webbrowser
from contextlib import suppress
from html import escape
from ipaddress import ip_address
from pathlib import Path

from cli.context import Context
from engine.immutable import immutable
from ladder.web.entrance import key_in, listen
from workers.commands import WEB
from workers.embedded import state_file
from workers.embedded.state_file import Pages, Running


@immutable
class Given:
    """What the process of the pages is told. `path`: of its socket in the file system, "" for a port.

    `certificate` and `tls_key`: the files for TLS, None without it. `opens`: whether a browser is to be opened;
    `supervised`: whether `ladder up` has started it.
    """

    path: str = ""
    certificate: str | None = None
    tls_key: str | None = None
    opens: bool = False
    supervised: bool = False


PAGE = """\
<!DOCTYPE html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>Ladder</title>
<p><a href="{address}">Ladder</a>
"""


def open_browser(context: Context, address: str) -> None:
    path = context.home.folder / "web.html"
    with context.home.plain_errors():
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(PAGE.format(address=escape(address)))
    if not webbrowser.open(path.as_uri()):
        context.say("no browser was found here: open that address in one")


LOOK_EVERY_S = 0.02
START_LIMIT_S = 4.0
"""The process behind the pages needs about a second, and longer while bots are built."""


def pages_of(context: Context) -> Pages | None:
    return state_file.last_pages(context.home, context.database_url)


def pages_that_start(context: Context) -> Pages | None:
    deadline = time.monotonic() + START_LIMIT_S
    while (pages := pages_of(context)) is None and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY_S)
    return pages


def require_port(context: Context, port: int | None) -> None:
    """Raise Unavailable where a served ladder could not listen. `port`: None for that of the settings."""
    web = context.settings.web
    if web.is_served:
        listen("127.0.0.1", web.port if port is None else port, exact=True).close()


def for_people(context: Context, pages: Pages) -> str:
    web = context.settings.web
    if web.is_served:
        return f"{web.public_url} (they listen on {pages.host}, port {pages.port})"
    return with_key(context, pages)


def note_proxy(place: Path, address: str) -> None:
    """Keep an address that forwards requests and is not trusted, for `ladder up` and `ladder status`."""
    with suppress(OSError):
        place.write_text(address, "ascii")


def proxy_sentence(context: Context) -> list[str]:
    """Return what to do where a proxy of a served ladder is not trusted, in a sentence; none where there is none."""
    web, place = context.settings.web, context.home.proxy
    with suppress(OSError, ValueError):
        address = str(ip_address(place.read_text("ascii")))
        if web.is_served and not web.is_proxy(address):
            advice = f"if that is your proxy, set LADDER_TRUSTED_PROXIES={address}"
            what = f"requests come by {address}, whose X-Forwarded-For does not count"
            return [f"{what}: {advice}, else all players behind it are one address"]
    return []


def with_key(context: Context, pages: Pages) -> str:
    """Return the address that lets a browser in. Raises Refused where the home's file holds no key."""
    with context.home.plain_errors():
        return f"{pages.address}?key={key_in(context.home.folder).text}"


def where_pages_are(context: Context, running: Running) -> list[str]:
    if WEB not in running.children:
        return []
    if (pages := pages_that_start(context)) is None:
        return [f"the pages are not there yet; {context.home.log(WEB)} says why if they do not come"]
    return [f"the pages: {for_people(context, pages)}", *proxy_sentence(context)]
