"""`ladder login | logout | whoami`: which ladder commands mean, and whom it knows this machine as."""

import os
import sys
import webbrowser
from dataclasses import replace
from getpass import getpass
from typing import Annotated, ClassVar

from cli import ladders
from cli.answer import Answer, Found, argument, option
from cli.context import Context, default_player
from cli.ladders import credentials
from cli.ladders.credentials import Login
from cli.ladders.server import DATABASE, SERVER, Known, Server, check_secret, origin
from engine.errors import Refused
from engine.immutable import immutable
from engine.text import listed, zoned_words
from ladder.access import Role, Scope


@immutable
class WhoAmI:
    """What `ladder whoami --json` prints. `server`: None for this machine's own ladder; `chosen_by`: what named it."""

    MERGED: ClassVar = ("known",)

    server: str | None
    chosen_by: str
    known: Known


def login(
    context: Context,
    server: Annotated[str, argument("The ladder's address.", metavar="URL")],
    with_token: Annotated[
        bool, option("--with-token", "Read a token from the standard input, and open no browser.")
    ] = False,
    operator: Annotated[
        bool, option("--operator", "Ask for what operators may do, too; only operators get it.")
    ] = False,
) -> None:
    """Log in to a ladder on another machine; afterwards commands mean that one.

    It shows a code and opens the browser, in which you log in and agree. The token that it gets is kept in
    ~/.config/ladder/credentials.toml, which no other account may read, for 90 days. `ladder --server local` means this
    machine's own ladder for one command, and so does `ladder logout` for all.

    Example: ladder login https://arena.example
    Example: ladder login https://arena.example --with-token < token.txt
    """
    url = origin(server)
    path = credentials.needed_path()
    credentials.read(path)  # says now, before anybody has agreed to anything, that it is not safe
    if with_token:
        token = getpass("token: ") if sys.stdin.isatty() else sys.stdin.readline(1000)
    else:
        with ladders.client.client_of(Server(url)) as client:
            request = ladders.client.ask(client, url, "read submit play operate" if operator else "read submit play")
            context.say(f"open {request.page} in a browser, and type the code {request.code} there")
            webbrowser.open(request.shown_page)
            with context.err.status("waiting until you have agreed in the browser; Ctrl-C gives up"):
                token = ladders.client.collect(client, url, request)
    token = check_secret(token)
    player = known_at(Server(url, token)).player or default_player()
    with credentials.changing(path) as before:
        credentials.write(path, before.with_login(url, Login(player, token)))
    context.say(f"logged in to {url} as {player}; {meaning(url)}")


def meaning(url: str) -> str:
    named = next((name for name in (SERVER, DATABASE) if os.environ.get(name)), None)
    if named is not None:
        return f"but {named} is set, so commands mean what that names: unset it, or type `ladder --server {url}`"
    return "commands mean it from now on (`ladder logout` ends that)"


def known_at(server: Server) -> Known:
    with ladders.client.client_of(server) as client:
        return ladders.client.read_login(client, server.url)


def logout(
    context: Context,
    server: Annotated[
        str | None, argument("The ladder's address. [default: the one logged in to]", metavar="URL")
    ] = None,
) -> None:
    """Log out: the token is forgotten here and no longer valid.

    Afterwards commands mean this machine's own ladder.

    Example: ladder logout
    """
    logins = credentials.kept()
    url = logins.server if server is None else origin(server)
    if url is None or url not in logins.logins:
        raise Refused(f"this machine is not logged in{'' if url is None else f' to {url}'}")
    path = credentials.needed_path()
    with credentials.changing(path) as before:
        credentials.write(path, before.without(url))
    with ladders.client.client_of(Server(url)) as client:
        ended = ladders.client.give_back(client, url, logins.logins[url].token)
    if ended:
        context.say(f"logged out of {url}; the token is revoked")
    else:
        context.say(f"logged out of {url}, which did not answer: the token is valid on, until {url}/account revokes it")


def whoami(context: Context) -> Found:
    """Say which ladder commands mean, and whom it knows you as.

    Example: ladder whoami
    """
    if (server := context.server) is None:
        chosen_by = DATABASE if context.settings.database_url else str(context.home.folder)
        here = Known(default_player(), Role.OPERATOR, sorted(Scope))
        place = "the database that LADDER_DATABASE_URL names" if chosen_by == DATABASE else chosen_by
        return Answer(WhoAmI(None, chosen_by, here), f"{here.player} on this machine's ladder ({place})")
    who = known_at(server)
    named = "" if server.chosen_by == "login" else f", named by {server.chosen_by}"
    bound = "" if who.expires_at is None else f", until {zoned_words(who.expires_at)}"
    token = "" if who.token is None else f"; the token {who.token} may {listed(who.scopes)}{bound}"
    member = "" if who.member is None else f" ({who.member})"
    role = ", an operator" if who.role == Role.OPERATOR else ""
    player = who.player or default_player()
    there = WhoAmI(server.url, server.chosen_by, replace(who, player=player))
    return Answer(there, f"{player}{member}{role} on {server.url}{named}{token}")
