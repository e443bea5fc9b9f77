"""Mails with links for players, by the SMTP server that the settings name. What is sent is logged nowhere.

How this works. The command that made the links sends them, from the machine where it is typed. What it cannot send it
still has, so it prints that or has it in a file, and says whose mail is lacking. Nothing is sent twice.
"""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from engine.errors import Unavailable, UsageFault
from engine.immutable import immutable
from engine.machine import patience_s
from engine.text import listed, one_line, zoned_words
from ladder.settings import LOOPBACK_NAMES, Settings

if TYPE_CHECKING:
    from ladder.actions.accounts import Invited

TIMEOUT_S = 20.0
PORTS = {"smtps": 465, "smtp+starttls": 587, "smtp": 25}
EXAMPLE = "LADDER_SMTP_URL must be like smtps://user:password@mail.example.org:465, or begin with smtp+starttls://"
PURPOSES = {
    "new": "makes you, {player}, an account",
    "claim": "makes you, {player}, an account with all your bots",
    "reset": "lets you, {player}, choose a new password",
}
TEXT = """This link {purpose} on {ladder}, once, until {until}:

{link}

Whoever opens it first has the account: pass it on to nobody.
"""


@immutable
class MailServer:
    """Who takes mails. `scheme`: how TLS begins, see PORTS; `login`: None where nobody logs in; `sender`: From."""

    scheme: str
    host: str
    port: int
    login: tuple[str, str] | None
    sender: Address


@immutable
class Mailed:
    """What came of mails. `sent`: to which players; `unsent`: why not, by player."""

    sent: list[str]
    unsent: dict[str, str]

    @property
    def status(self) -> int:
        return Unavailable.exit_status if self.unsent else 0

    @property
    def sentences(self) -> list[str]:
        sent = [f"{listed(self.sent)} got the link by mail"] if self.sent else []
        return [*sent, *(f"no mail went to {player}: {why}" for player, why in self.unsent.items())]


def mail_server(settings: Settings) -> MailServer:
    """Return the server that the settings name. Raises UsageFault, without the address, as that has a password."""
    if not settings.smtp_url or not settings.mail_from:
        raise UsageFault("mails need LADDER_SMTP_URL and LADDER_MAIL_FROM: see docs/settings.md")
    try:
        address = urlsplit(settings.smtp_url)
        host = address.hostname or ""
        port = address.port or PORTS[address.scheme]
    except (ValueError, KeyError) as error:
        raise UsageFault(EXAMPLE) from error
    if not host or address.path not in {"", "/"} or address.query or address.fragment:
        raise UsageFault(EXAMPLE)
    if address.scheme == "smtp" and address.password and host not in LOOPBACK_NAMES:
        raise UsageFault(f"LADDER_SMTP_URL sends its password in clear text: {EXAMPLE}")
    try:
        sender = address_of(settings.mail_from)
    except ValueError as error:
        raise UsageFault(f"LADDER_MAIL_FROM is {settings.mail_from!r}; it must be like arena@example.org") from error
    login = (unquote(address.username), unquote(address.password or "")) if address.username else None
    return MailServer(address.scheme, host, port, login, sender)


def address_of(email: str) -> Address:
    try:
        address = Address(addr_spec=email)
    except (MessageError, IndexError) as error:
        raise ValueError(str(error)) from error
    if not address.username or not address.domain:
        raise ValueError("it has no name or no host")
    return address


def send_all(server: MailServer, ladder: str, links: Sequence[Invited]) -> Mailed:
    """Send each link whose player's address is known. `ladder`: its public one. No fault is raised: see `Mailed`."""
    mailed = Mailed([], {str(link.player): "no address is known" for link in links if link.email is None})
    waiting = {str(link.player): link for link in links if link.email is not None}
    try:
        with connected(server) as connection:
            for player, link in waiting.items():
                try:
                    connection.send_message(message_of(server.sender, ladder, link))
                    mailed.sent.append(player)
                except smtplib.SMTPServerDisconnected:
                    raise
                except (smtplib.SMTPException, ValueError) as error:
                    mailed.unsent[player] = words_of(error)
    except (OSError, smtplib.SMTPException) as error:
        why = f"{server.host} does not take mails ({words_of(error)})"
        mailed.unsent.update({player: why for player in waiting if player not in {*mailed.sent, *mailed.unsent}})
    return mailed


@contextmanager
def connected(server: MailServer) -> Iterator[smtplib.SMTP]:
    trusted = ssl.create_default_context()
    kind = partial(smtplib.SMTP_SSL, context=trusted) if server.scheme == "smtps" else smtplib.SMTP
    with kind(server.host, server.port, timeout=patience_s(TIMEOUT_S)) as connection:
        if server.scheme == "smtp+starttls":
            connection.starttls(context=trusted)
        if server.login is not None:
            connection.login(*server.login)
        yield connection


def message_of(sender: Address, ladder: str, link: Invited) -> EmailMessage:
    """Raises ValueError for an address by which no mail can go."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = address_of(link.email or "")
    message["Subject"] = f"Your {'password' if link.kind == 'reset' else 'account'} on {urlsplit(ladder).netloc}"
    message["Date"] = localtime()
    message["Message-ID"] = make_msgid(domain=sender.domain)
    message["Auto-Submitted"] = "auto-generated"
    purpose = PURPOSES[link.kind].format(player=link.player)
    until = zoned_words(link.expires_at)
    message.set_content(TEXT.format(purpose=purpose, ladder=ladder, until=until, link=link.link(ladder)), cte="7bit")
    return message


def words_of(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        error = smtplib.SMTPResponseException(*next(iter(error.recipients.values())))
    if not isinstance(error, smtplib.SMTPResponseException):
        return one_line(str(error)) or type(error).__name__
    words = error.smtp_error if isinstance(error.smtp_error, str) else error.smtp_error.decode("utf-8", "replace")
    return one_line(f"{error.smtp_code} {words}".replace("\n", " "))
