"""Settings from the environment: the same code serves the embedded services and real servers.

LADDER_DATABASE_URL          a PostgreSQL address; without it the embedded server of `ladder up` is used
LADDER_DATABASE_SESSION_URL  a direct address of the same database, where that one leads to a pooler in transaction mode
LADDER_BROKER_URL            a Redis address; without it the embedded server of `ladder up` is used
LADDER_REQUIRE_TLS           `1`: no server is spoken to by TCP without TLS, or without knowing that it is the right one
LADDER_SOURCE_CHARS          the longest source that is accepted, in characters (default 100,000, as on CodinGame)
LADDER_METRICS               where `ladder up` answers Prometheus, as HOST:PORT; without it nowhere
LADDER_ACCEPTED_WAIT_S       how long work may wait for workers, in seconds (default 300)
LADDER_SMTP_URL              the server that takes mails with links for players; without it none are sent
LADDER_MAIL_FROM             the address from which they come
LADDER_HOOKS_PRIVATE         `1`: notices may go to private networks, too

What is secret can stand in a file instead: NAME_FILE holds the path of the one with the value of NAME (`FILED`).

How many people the pages are for (`WebSettings`):

LADDER_WEB_MODE         `local`, for one person with a key, or `served`, for players with accounts
LADDER_PUBLIC_URL       where players find a served ladder, as in https://arena.example
LADDER_REGISTRATION     `invited`, or `open`: anybody makes an account
LADDER_WEB_READ         `players`: who looks at pages logs in first; `everyone`: boards and matches are public
LADDER_WEB_PORT         the port on which pages listen (default 8210)
LADDER_TRUSTED_PROXIES  addresses or networks, with commas between them, whose X-Forwarded-For counts

How much these pages answer: the variables of `RATES`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from engine.errors import UsageFault, plain_words
from engine.immutable import immutable

POOLED_URL = "LADDER_DATABASE_URL"
SESSION_URL = "LADDER_DATABASE_SESSION_URL"
REQUIRE_TLS = "LADDER_REQUIRE_TLS"
FILED = (
    "LADDER_DATABASE_URL_FILE",
    "LADDER_DATABASE_SESSION_URL_FILE",
    "LADDER_BROKER_URL_FILE",
    "LADDER_TOKEN_FILE",
    "LADDER_SMTP_URL_FILE",
    "PGPASSWORD_FILE",
)
"""Each names a file with the value of the variable without `_FILE`, as official images of servers have it."""

LOCAL, SERVED = "local", "served"
CHOICES = {
    "LADDER_WEB_MODE": (LOCAL, SERVED),
    "LADDER_REGISTRATION": ("invited", "open"),
    "LADDER_WEB_READ": ("players", "everyone"),
}
USUAL_PORT = 8210
LARGEST_PORT = 65535
MOST_DIGITS = 9
METRICS_PLACE = "127.0.0.1:9310"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@immutable
class Rates:
    """How much the pages answer: in a minute to a player, or to an address from which nobody has logged in.

    `logins`: that fail, or are none yet, from an address; `tries`: logins with one name. `live_pages`: that follow
    changes at once; `waiting_logins`: of all that wait until their password is checked.
    """

    reads: int = 600
    writes: int = 60
    logins: int = 120
    tries: int = 5
    live_pages: int = 4
    waiting_logins: int = 100


RATES = {
    "LADDER_READS_PER_MINUTE": "reads",
    "LADDER_WRITES_PER_MINUTE": "writes",
    "LADDER_LOGINS_PER_MINUTE": "logins",
    "LADDER_TRIES_PER_MINUTE": "tries",
    "LADDER_LIVE_PAGES": "live_pages",
    "LADDER_WAITING_LOGINS": "waiting_logins",
}


@dataclass(frozen=True)
class WebSettings:
    """Who the pages are for. `public_url`: "" for none; `proxies`: believed about addresses; `port`: 0 for any free."""

    mode: str = LOCAL
    public_url: str = ""
    registration: str = "invited"
    read: str = "players"
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    port: int = USUAL_PORT
    rates: Rates = field(default_factory=Rates)

    @property
    def is_served(self) -> bool:
        return self.mode == SERVED

    @property
    def is_open(self) -> bool:
        return self.registration == "open"

    @cached_property
    def host(self) -> str:
        return urlsplit(self.public_url).netloc

    @property
    def scheme(self) -> str:
        """Return `https`, `http`, or "" without a public address."""
        return urlsplit(self.public_url).scheme

    def is_proxy(self, address: str) -> bool:
        try:
            return any(ip_address(address) in network for network in self.proxies)
        except ValueError:
            return False

    def link(self, path: str) -> str:
        return self.public_url + path


def web_settings_from(environment: Mapping[str, str]) -> WebSettings:
    chosen = {name: environment.get(name) or choices[0] for name, choices in CHOICES.items()}
    for name, word in chosen.items():
        if word not in CHOICES[name]:
            raise UsageFault(f"{name} is {word!r}; it must be {' or '.join(CHOICES[name])}")
    mode = chosen["LADDER_WEB_MODE"]
    url = environment.get("LADDER_PUBLIC_URL") or ""
    if mode == SERVED and not url:
        raise UsageFault("LADDER_WEB_MODE is served, so LADDER_PUBLIC_URL must say where: https://arena.example")
    rates = {field: positive_number(name, environment[name]) for name, field in RATES.items() if environment.get(name)}
    return WebSettings(
        mode,
        public_url=origin_of(url) if url else "",
        registration=chosen["LADDER_REGISTRATION"],
        read=chosen["LADDER_WEB_READ"],
        proxies=networks(environment.get("LADDER_TRUSTED_PROXIES") or ""),
        port=number_up_to(LARGEST_PORT, "LADDER_WEB_PORT", environment.get("LADDER_WEB_PORT") or str(USUAL_PORT)),
        rates=Rates(**rates),
    )


def positive_number(name: str, word: str, of: str = "") -> int:
    """Read a positive number. `of`: what it counts, after a blank. Raises UsageFault."""
    if not (word.isascii() and word.isdecimal() and len(word) <= MOST_DIGITS and int(word) > 0):
        raise UsageFault(f"{name} is {word!r}; it must be a positive number{of}")
    return int(word)


def number_up_to(most: int, name: str, word: str, otherwise: str = "") -> int:
    """Read a number from 0 on. `otherwise`: what else there can be, after a comma. Raises UsageFault."""
    if not (word.isascii() and word.isdecimal() and int(word) <= most):
        raise UsageFault(f"{name} is {word!r}; it must be a number from 0 to {most}{otherwise}")
    return int(word)


def place_in(words: str, named_by: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT, where a host with colons stands in brackets. Raises UsageFault."""
    host, colon, port = words.rpartition(":")
    is_bare = ":" not in host or (host.startswith("[") and host.endswith("]"))
    if not (colon and host and is_bare and port.isascii() and port.isdecimal() and int(port) <= LARGEST_PORT):
        raise UsageFault(f"{named_by} {words!r} must be a host and a port from 0 to {LARGEST_PORT}: {METRICS_PLACE}")
    return host.strip("[]"), int(port)


def origin_of(url: str) -> str:
    with suppress(ValueError):  # an odd port
        origin = urlsplit(url)
        if (
            origin.scheme in {"http", "https"}
            and origin.hostname
            and origin.port != 0
            and origin.path in {"", "/"}
            and not (origin.query or origin.fragment or set(origin.netloc) & set(" @,;<>\"'\\"))
        ):
            if origin.scheme == "https" or origin.hostname in LOOPBACK_NAMES:
                return f"{origin.scheme}://{origin.netloc.lower()}"
            raise UsageFault(
                f"LADDER_PUBLIC_URL is {url!r}; it must begin with https://, as passwords travel there (http:// is for "
                "this machine alone)"
            )
    raise UsageFault(f"LADDER_PUBLIC_URL is {url!r}; it must be a scheme and a host, as in https://arena.example")


def networks(words: str) -> tuple[IPv4Network | IPv6Network, ...]:
    trusted = []
    for word in filter(None, (word.strip() for word in words.split(","))):
        try:
            trusted.append(ip_network(word))
        except ValueError as error:
            raise UsageFault(
                f"LADDER_TRUSTED_PROXIES has {word!r}, which is not an address or network: {error}"
            ) from error
    return tuple(trusted)


@immutable
class Settings:
    """What an operator can set. Addresses: None: the embedded services; `smtp_url`: with its password, "" for none."""

    database_url: str | None
    broker_url: str | None
    source_chars: int
    web: WebSettings = field(default_factory=WebSettings)
    metrics: str | None = None
    accepted_wait_s: int = 300
    private_hooks: bool = False
    smtp_url: str = ""
    mail_from: str = ""

    def embedded(self) -> Settings:
        """Return the same settings for the embedded services, whatever servers the environment names."""
        return replace(self, database_url=None, broker_url=None)


def is_on(name: str, environment: Mapping[str, str]) -> bool:
    word = environment.get(name) or "0"
    if word not in {"0", "1"}:
        raise UsageFault(f"{name} is {word!r}; it must be 1 or 0")
    return word == "1"


def require_tls(variable: str, *, is_safe: bool, example: str) -> None:
    """Raise UsageFault where TLS is required and missing. `is_safe`: not needed; `example`: the end of a fit one."""
    if is_on(REQUIRE_TLS, os.environ) and not is_safe:
        raise UsageFault(
            f"{REQUIRE_TLS} is 1, and by {variable} clear text or a stranger's certificate would do: it must be like "
            f"{example}"
        )


def read_files_named_in(environment: MutableMapping[str, str]) -> None:
    """Put the contents of files of `FILED` in their names' place, in the environment. Raises UsageFault."""
    for filed in FILED:
        path, name = environment.get(filed), filed.removesuffix("_FILE")
        if not path:
            continue
        if environment.get(name):
            raise UsageFault(f"{name} and {filed} are both set; keep one of them")
        environment[name] = single_line(filed, path)
        del environment[filed]


def single_line(filed: str, path: str) -> str:
    try:
        lines = Path(path).read_text("utf-8", "replace").splitlines()
    except OSError as error:
        raise UsageFault(f"{filed} names a file that cannot be read: {plain_words(error)}") from error
    if len(lines) != 1 or not lines[0].strip() or set("\0\ufffd") & set(lines[0]):
        raise UsageFault(
            f"{filed} names {path!r}, which must hold one line, the value of {filed.removesuffix('_FILE')}"
        )
    return lines[0]


def where_to_look(variable: str) -> str:
    """Return what to ask somebody whose service does not answer. `variable`: the one that may hold its address."""
    return f"is {variable} right?" if os.environ.get(variable) else "is `ladder up` running?"


def settings_from(environment: Mapping[str, str] = os.environ) -> Settings:
    if environment.get(SESSION_URL) and not environment.get(POOLED_URL):
        raise UsageFault(
            f"{SESSION_URL} is set and {POOLED_URL} is not: the first is a second way to the same database"
        )
    metrics = environment.get("LADDER_METRICS") or None
    if metrics:
        place_in(metrics, "LADDER_METRICS")
    chars = environment.get("LADDER_SOURCE_CHARS", "100000")
    wait_s = environment.get("LADDER_ACCEPTED_WAIT_S") or "300"
    return Settings(
        database_url=environment.get("LADDER_DATABASE_URL") or None,
        broker_url=environment.get("LADDER_BROKER_URL") or None,
        source_chars=positive_number("LADDER_SOURCE_CHARS", chars, " of characters"),
        web=web_settings_from(environment),
        metrics=metrics,
        accepted_wait_s=positive_number("LADDER_ACCEPTED_WAIT_S", wait_s, " of seconds"),
        private_hooks=is_on("LADDER_HOOKS_PRIVATE", environment),
        smtp_url=environment.get("LADDER_SMTP_URL") or "",
        mail_from=environment.get("LADDER_MAIL_FROM") or "",
    )
