"""A door with TLS before a server's Unix socket: its clients speak TLS, the server behind it does not.

The embedded PostgreSQL and Redis are built without TLS. What is tried by this door is our side of it.
"""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.certificates import Certified

ASKS_FOR_TLS = bytes.fromhex("0000000804d2162f")
"""What a client of PostgreSQL sends first; "S" says that TLS may begin (PostgreSQL's documentation, 54.2.11)."""


@contextmanager
def door(server: str, files: Certified, *, asks_first: bool, wants_client: bool = False) -> Iterator[int]:
    """Let clients in for the block; gives the port. `wants_client`: they have to show a certificate, too."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    if wants_client:
        context.load_verify_locations(files.authority)
        context.verify_mode = ssl.CERT_REQUIRED
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=let_in, args=(listener, server, context, asks_first), daemon=True).start()
        yield listener.getsockname()[1]


def let_in(listener: socket.socket, server: str, context: ssl.SSLContext, asks_first: bool) -> None:
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            threading.Thread(target=serve, args=(client, server, context, asks_first), daemon=True).start()


def serve(client: socket.socket, server: str, context: ssl.SSLContext, asks_first: bool) -> None:
    with suppress(OSError), client, socket.socket(socket.AF_UNIX) as behind:
        if asks_first:
            if client.recv(len(ASKS_FOR_TLS)) != ASKS_FOR_TLS:
                return
            client.sendall(b"S")
        with context.wrap_socket(client, server_side=True) as inside:
            behind.connect(server)
            back = threading.Thread(target=pass_on, args=(behind, inside), daemon=True)
            back.start()
            pass_on(inside, behind)
            behind.shutdown(socket.SHUT_RDWR)
            back.join()


def pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while words := source.recv(65_536):
            sink.sendall(words)
