"""Sending a notice by HTTP, to no address of this machine's own networks.

How this works. A player chooses where notices go, and the scheduler stands inside the operator's networks. So the name
is looked up once, here; each address it has is judged; and the connection goes to one that was allowed, not to what the
name leads to a moment later. Nobody is told which address a name has in those networks. TLS and the server hear the
name as it was given. No redirection is followed, no proxy is asked, and all of it takes DEADLINE_S at most, however
slowly a server speaks. Of the answer nothing is read but its head.
"""

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import httpcore

from engine.text import one_line

DEADLINE_S = 5.0
TRANSLATED = (ip_network("64:ff9b::/96"), ip_network("2002::/16"), ip_network("2001::/32"))
"""Networks of IPv6 whose addresses lead to one of IPv4 that they hold: NAT64, 6to4 and Teredo."""
Resolve: TypeAlias = Callable[[str, int], Iterable[str]]


class NotArrived(Exception):
    """A notice has not arrived, in a few words why."""


def addresses_of(host: str, port: int) -> list[str]:
    """Ask the system for the addresses of a name. Raises NotArrived."""
    try:
        places = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NotArrived(f"{host} is not known") from error
    return [str(place[4][0]) for place in places]


def is_public(address: str) -> bool:
    ip: IPv4Address | IPv6Address | None = ip_address(address)
    if isinstance(ip, IPv6Address):
        if any(ip in network for network in TRANSLATED):
            return False
        ip = ip.ipv4_mapped or ip
    return ip is not None and ip.is_global and not ip.is_multicast


def is_private(url: str) -> bool:
    """Say whether an address names a place in a private network, by number or as this machine; no name is looked up."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        places = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return False
    return not all(is_public(str(place[4][0])) for place in places)


@dataclass(frozen=True)
class Until(httpcore.NetworkStream):
    """A stream on which nothing lasts beyond a moment of the clock that only runs forward."""

    stream: httpcore.NetworkStream
    end: float

    def _left_s(self, kind: type[httpcore.TimeoutException]) -> float:
        left_s = self.end - time.monotonic()
        if left_s <= 0:
            raise kind("time is up")
        return left_s

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - httpcore's form
        return self.stream.read(max_bytes, self._left_s(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self.stream.write(buffer, self._left_s(httpcore.WriteTimeout))

    def close(self) -> None:
        self.stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        left_s = self._left_s(httpcore.ConnectTimeout)
        return Until(self.stream.start_tls(ssl_context, server_hostname, left_s), self.end)

    def get_extra_info(self, info: str) -> Any:
        return self.stream.get_extra_info(info)


@dataclass(frozen=True)
class Judged(httpcore.NetworkBackend):
    """Opens connections to addresses that may be reached. `private`: whether those of no public network may."""

    resolve: Resolve
    private: bool
    end: float

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        reachable = list(self.resolve(host, port))
        allowed = [address for address in reachable if self.private or is_public(address)]
        if not allowed:
            raise NotArrived(f"{host} leads to no address of the internet, and so no notice goes there")
        left_s = max(self.end - time.monotonic(), 0.1)
        stream = httpcore.SyncBackend().connect_tcp(allowed[0], port, left_s, local_address, socket_options)
        return Until(stream, self.end)


def post(
    url: str, headers: Mapping[str, str], body: bytes, *, private: bool = False, resolve: Resolve = addresses_of
) -> str:
    """Send a body; return what the server said. Raises NotArrived. `private`: also to addresses of private networks."""
    first = {"Host": urlsplit(url).netloc, "Content-Length": str(len(body)), "Connection": "close"}
    all_headers = [*first.items(), *headers.items()]
    trusted = ssl.create_default_context() if url.startswith("https:") else None
    backend = Judged(resolve, private, time.monotonic() + DEADLINE_S)
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), DEADLINE_S)
    try:
        with (
            httpcore.ConnectionPool(trusted, network_backend=backend) as pool,
            pool.stream("POST", url, headers=all_headers, content=body, extensions={"timeout": timeouts}) as answer,
        ):
            status = answer.status
    except (httpcore.TimeoutException, TimeoutError) as error:
        raise NotArrived(f"it did not answer within {DEADLINE_S:.0f} s") from error
    except (httpcore.NetworkError, httpcore.ProtocolError, OSError, ValueError) as error:
        raise NotArrived(f"it cannot be reached ({one_line(str(error))[:200] or type(error).__name__})") from error
    if not 200 <= status < 300:
        elsewhere = ", which leads elsewhere: add the address to which it leads" if 300 <= status < 400 else ""
        raise NotArrived(f"it answered {status}{elsewhere}")
    return f"it answered {status}"
