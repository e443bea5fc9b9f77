"""A server on this machine that takes mails by SMTP, as far as our program speaks it."""

import base64
import socket
import socketserver
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from threading import Thread

from tests.certificates import Certified


@dataclass
class MailBox:
    """`place`: host and port; `logins`: with which names and passwords; `refused`: addresses of nobody here."""

    place: str = ""
    mails: list[EmailMessage] = field(default_factory=list)
    logins: list[tuple[str, str]] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)

    def mail_to(self, address: str) -> EmailMessage:
        (found,) = [mail for mail in self.mails if mail["To"] == address]
        return found


class Server(socketserver.ThreadingTCPServer):
    """Has a box, and speaks TLS from the first byte on where it has a certificate."""

    daemon_threads = True

    def __init__(self, certified: Certified | None) -> None:
        super().__init__(("127.0.0.1", 0), Talk)
        self.box = MailBox(f"127.0.0.1:{self.server_address[1]}")
        self.context: ssl.SSLContext | None = None
        if certified is not None:
            self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self.context.load_cert_chain(certified.certificate, certified.key)

    def get_request(self) -> tuple[socket.socket, object]:
        request, caller = super().get_request()
        if self.context is not None:
            request = self.context.wrap_socket(request, server_side=True, do_handshake_on_connect=False)
        return request, caller

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of callers who do not trust it."""


class Talk(socketserver.StreamRequestHandler):
    @property
    def box(self) -> MailBox:
        assert isinstance(self.server, Server)
        return self.server.box

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        self.say("220 box")
        for line in iter(self.rfile.readline, b""):
            word, _, rest = line.decode().strip().partition(" ")
            self.say(self.answer(word.upper(), rest))
            if word.upper() == "QUIT":
                return

    def answer(self, word: str, rest: str) -> str:
        box = self.box
        if word == "EHLO":
            return "250-box\r\n250 AUTH PLAIN"
        if word == "AUTH":
            _, user, password = base64.b64decode(rest.split()[1]).decode().split("\0")
            box.logins.append((user, password))
            return "235 welcome"
        if word == "RCPT" and rest[len("TO:<") : -1] in box.refused:
            return "550 nobody here has that name"
        if word == "DATA":
            self.say("354 go on")
            text = b"".join(iter(self.rfile.readline, b".\r\n"))
            box.mails.append(message_from_bytes(text, EmailMessage, policy=default))
        return "221 bye" if word == "QUIT" else "250 yes"


@contextmanager
def mail_box(certified: Certified | None = None) -> Iterator[MailBox]:
    """Take mails for the block."""
    with Server(certified) as server:
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server.box
        finally:
            server.shutdown()
            thread.join()
