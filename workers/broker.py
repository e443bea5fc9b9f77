"""The broker as it is: its address, whether it answers, how many messages wait. Without Celery, which starts slowly."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import parse_qsl, urlsplit

from redis import Redis
from redis.exceptions import RedisError

from engine.errors import UsageFault
from ladder.errors import QueueDown
from ladder.settings import require_tls, where_to_look
from workers.commands import QUEUES

ANSWER_LIMIT_S = 5
CHECKED = frozenset({"required", "cert_required"})
"""The values of `ssl_cert_reqs` with which the broker's certificate is looked at."""


def check_address(broker_url: str) -> None:
    """Raise UsageFault for a malformed address. It may hold a password, so the message does not repeat it."""
    tls_of(broker_url)
    try:
        Redis.from_url(plain_address(broker_url)).close()
        parts = urlsplit(broker_url)
        if parts.hostname and parts.path.strip("/"):
            int(parts.path.strip("/"))  # Celery takes nothing but a number for the database, Redis' client anything
    except ValueError as error:
        raise UsageFault(
            "LADDER_BROKER_URL cannot be read as the address of a Redis server; one looks like redis://HOST:6379/0"
        ) from error


def tls_of(broker_url: str) -> dict[str, str] | None:
    """By the names of Redis' client; None for an address without. Raises UsageFault where it has to be."""
    parts = urlsplit(broker_url)
    in_address = {name: value for name, value in parse_qsl(parts.query) if name.startswith("ssl_")}
    options = {"ssl_cert_reqs": "required", **in_address} if parts.scheme == "rediss" else None
    require_tls(
        "LADDER_BROKER_URL",
        is_safe=not parts.hostname or (options is not None and options["ssl_cert_reqs"].lower() in CHECKED),
        example="rediss://:PASSWORD@HOST:6379/0?ssl_ca_certs=FILE",
    )
    return options


def plain_address(broker_url: str) -> str:
    return broker_url.replace("redis+socket://", "unix://").replace("?virtual_host=", "?db=")


def queue_lengths(broker_url: str) -> dict[str, int]:
    with broker(broker_url) as client:
        return lengths(client)


def lengths(client: Redis) -> dict[str, int]:
    return {name: int(client.llen(name)) for name in QUEUES.split(",")}


def broker_down(error: Exception) -> QueueDown:
    return QueueDown(f"the broker does not answer ({error}); {where_to_look('LADDER_BROKER_URL')}")


@contextmanager
def broker(broker_url: str) -> Iterator[Redis]:
    tls_of(broker_url)
    try:
        address = plain_address(broker_url)
        with Redis.from_url(address, socket_connect_timeout=5, socket_timeout=ANSWER_LIMIT_S) as client:
            yield client
    except RedisError as error:
        raise broker_down(error) from error
