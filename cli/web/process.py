"""The process that shows pages, from the moment on where it listens. `ladder web` turns into it.

It takes a few MB less than the command, as it knows nothing of Typer and Rich.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from socket import socket

import orjson

import workers
from cli import account
from cli.context import Context
from cli.web.address import Given, note_proxy, open_browser, with_key
from engine.errors import ArenaError
from ladder.health import ProcessKind
from ladder.settings import Settings
from ladder.web.entrance import Key, address_of, key_in, port_of, removed_at_end
from ladder.web.server import connected, give_way, serve
from ladder.web.site import MOST_CONNECTIONS, Mailing, Site
from workers.embedded.state_file import Pages, announced, name_of, session_on

NICE = 10
"""Matches come before pages."""


def main() -> int:
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        descriptor, given = sys.argv[1:]
        with socket(fileno=int(descriptor)) as listener:
            show(Context(), listener, Given(**orjson.loads(given)))
    except ArenaError as error:
        sys.stderr.write(f"ladder: {error}\n")
        return error.exit_status
    return 0


def show(context: Context, listener: socket, given: Given) -> None:
    listener.set_inheritable(False)
    with found_and_opened(context, listener, given) as key:
        settings = context.settings.embedded() if given.supervised else context.settings
        if settings.web.proxies:
            context.home.proxy.unlink(missing_ok=True)  # what was noted before these were named
        if given.supervised:  # only now: a start that gives way takes ten times as long while matches are played
            give_way(NICE)
        with connected(context.database_url, MOST_CONNECTIONS) as connections:
            site = Site(
                connections,
                context.games,
                key,
                partial(workers.service_status.services_beside, context.home, settings),
                settings.web,
                cache(lambda: context.queue),
                source_chars=settings.source_chars,
                note_proxy=partial(note_proxy, context.home.proxy),
                mail=partial(mailing, settings) if settings.smtp_url else None,
            )
            serve(site, listener, given.certificate, given.tls_key, context.home.sign(ProcessKind.PAGES))


@contextmanager
def found_and_opened(context: Context, listener: socket, given: Given) -> Iterator[Key | None]:
    """Let other commands find the pages for the block, and open them if that is wanted; give the key, if any."""
    if given.path:
        with removed_at_end(Path(given.path)):
            yield None
        return
    port = port_of(listener)
    served = context.settings.web.is_served
    session = "" if served else session_on(context.home, port)
    pages = Pages(address_of(listener), port, name_of(context.database_url), session)
    with announced(context.home, pages):
        if served:
            yield None
            return
        if given.opens:  # in a thread, as some browsers of terminals are waited for
            threading.Thread(target=open_browser, args=(context, with_key(context, pages)), daemon=True).start()
        yield replace(key_in(context.home.folder), session=session)


def mailing(settings: Settings) -> Mailing:
    """Return what sends links. Raises UsageFault for settings that name no server, see `mail_server`."""
    server = account.mail.mail_server(settings)
    return lambda links: account.mail.send_all(server, settings.web.public_url, links).sentences


if __name__ == "__main__":
    sys.exit(main())
