"""Talking to somebody: servers of this machine and of others, by every kind of socket."""

import socket
from functools import partial
from typing import Any

from tests.sandbox.attacks.seat import Seat

FAMILIES = {
    "IPv4": 2,
    "IPv6": 10,
    "netlink": 16,
    "packet": 17,
    "Bluetooth": 31,
    "crypto": 38,
    "VSOCK": 40,
    "SMC": 43,
    "XDP": 44,
}
USUAL_PORTS = (5432, 6379)
TIMEOUT_S = 0.05


def connect(seat: Seat) -> None:
    """Connect to the servers of the host, on the ports they have and on those they usually have."""
    for kind, address in seat.known["servers"]:
        seat.attempt(f"talk to {address!r}", partial(talk, kind, address))
    for port in USUAL_PORTS:
        seat.attempt(f"talk to port {port}", partial(talk, "SOCK_STREAM", ("127.0.0.1", port)))
    seat.attempt("ask a name server", partial(socket.getaddrinfo, "localhost.localdomain", 5432))


def talk(kind: str, address: Any) -> None:
    """Send a few bytes to an address."""
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    with socket.socket(family, socket.SocketKind[kind]) as client:
        client.settimeout(TIMEOUT_S)
        client.connect(address if isinstance(address, str) else tuple(address))
        client.send(b"hello")


def send_from_pair(seat: Seat) -> None:
    """Send to the servers from a socket that was never connected, as one of a pair is."""
    for kind, address in seat.known["servers"]:
        if isinstance(address, str):
            seat.attempt(f"send to {address!r}", partial(send_as_one_of_a_pair, kind, address))


def send_as_one_of_a_pair(kind: str, address: str) -> None:
    """Make a pair of sockets and send a few bytes to an address by one of them."""
    own, other = socket.socketpair(socket.AF_UNIX, socket.SocketKind[kind])
    with own, other:
        own.sendto(b"hello", address)


def open_sockets(seat: Seat) -> None:
    """Open a socket of every family."""
    for name, family in FAMILIES.items():
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            seat.attempt(f"open {name} socket", partial(socket.socket, family, kind))


def serve(seat: Seat) -> None:
    """Wait for others under a name of one's own."""
    for address in (f"\0{seat.token}", f"/bot/{seat.token}", f"/tmp/{seat.token}"):  # noqa: S108
        with socket.socket(socket.AF_UNIX) as server:
            seat.attempt(f"listen at {address!r}", partial(server.bind, address))
