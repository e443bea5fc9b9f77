"""What answers Prometheus: one process that reads the database and the broker whenever it is asked, and keeps nothing.

How this works. A scrape is one read-only transaction that sees one snapshot, and one question to the broker. Who does
not answer is down, and has no other sample: no number of before is given again. Scrapes are answered one by one; a
client that says nothing is left alone soon.
"""

import logging
import signal
import socket
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from typing import Any, NoReturn, cast
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from psycopg.errors import QueryCanceled

from engine.errors import ArenaError, Unavailable, plain_words
from ladder.database.connection import Pool, open_pool, transaction
from ladder.event_log import Outage, Unbuffered, event, log_to
from ladder.health import SignOfLife
from ladder.settings import place_in
from ladder.version import VERSION
from ladder.views.metrics import BOUNDS, COUNTER, HISTOGRAM, METRICS, Labels, Samples, samples
from workers.broker import queue_lengths

DATABASE_WAIT_S = 4.0
"""With the limit of a statement (5 s) less than the ten seconds that Prometheus waits."""
CLIENT_LIMIT_S = 5
PATH = "/metrics"


class LadderCollector(Collector):
    """Gives what a ladder measures now. `wait_s`: the wait that its operator accepts."""

    def __init__(self, pool: Pool, broker_url: str, wait_s: float) -> None:
        self._pool, self._broker_url, self._wait_s = pool, broker_url, wait_s
        self._outages = {service: Outage(service) for service in ("database", "broker")}

    def collect(self) -> Iterator[Metric]:
        measured = self._of_database()
        measured.put("ladder_build_info", 1, VERSION)
        self._add_broker(measured)
        yield from families(measured)

    def _of_database(self) -> Samples:
        try:
            with transaction(self._pool) as connection:
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                connection.execute("SET LOCAL statement_timeout = '5s'")
                measured = samples(connection, self._wait_s)
        except (ArenaError, QueryCanceled) as error:
            self._outages["database"].begins(plain_words(error))
            measured = Samples()
            measured.put("ladder_up", 0, "database")
        else:
            self._outages["database"].ends()
            measured.put("ladder_up", 1, "database")
        return measured

    def _add_broker(self, measured: Samples) -> None:
        try:
            lengths = queue_lengths(self._broker_url)
        except ArenaError as error:
            self._outages["broker"].begins(str(error))
            lengths = None
        else:
            self._outages["broker"].ends()
        measured.put("ladder_up", lengths is not None, "broker")
        for queue, messages in (lengths or {}).items():
            measured.put("ladder_queue_messages", messages, queue)


def families(measured: Samples) -> Iterator[Metric]:
    for name, about in METRICS.items():
        values: Mapping[Labels, float] = measured.values.get(name, {})
        if about.kind == HISTOGRAM and (bars := measured.histograms.get(name)):
            yield HistogramMetricFamily(name, about.about, list(zip(BOUNDS, bars.counts, strict=True)), bars.sum_s)
        elif values:
            make = CounterMetricFamily if about.kind == COUNTER else GaugeMetricFamily
            family = make(name, about.about, labels=about.labels)
            for labels, value in sorted(values.items()):
                family.add_metric(labels, value)
            yield family


class Handler(WSGIRequestHandler):
    timeout = CLIENT_LIMIT_S

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's names
        pass


class MetricsServer(WSGIServer):
    """A server on a socket that listens already; a client that goes away leaves no traceback."""

    def __init__(self, listener: socket.socket, sign: SignOfLife) -> None:
        super().__init__(listener.getsockname()[:2], Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = listener.getsockname()[:2]
        self.setup_environ()
        self._sign = sign
        self._is_over = False

    def end(self, *_: object) -> NoReturn:
        """End, as a handler of a signal: at once, or after the request whose handling swallows all exceptions."""
        self._is_over = True
        raise KeyboardInterrupt

    def service_actions(self) -> None:
        if self._is_over:
            raise KeyboardInterrupt
        self._sign.renew()

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


def application(collector: Collector) -> Any:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    metrics = make_wsgi_app(registry)

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ["PATH_INFO"] == PATH:
            return cast("Iterable[bytes]", metrics(environ, start_response))
        start_response("404 Not Found", [("Content-Type", "text/plain; charset=utf-8")])
        return [f"metrics are at {PATH}\n".encode()]

    return answer


def listen(words: str) -> socket.socket:
    """Raises UsageFault for words that are not HOST:PORT, Unavailable where one cannot listen there."""
    host, port = place_in(words, "--listen")
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise Unavailable(f"cannot listen on {words}: {plain_words(error)}; name another place in --listen") from error


def address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def serve(listener: socket.socket, database_url: str, broker_url: str, wait_s: float, sign: SignOfLife) -> None:
    """Answer until SIGTERM or Ctrl-C. `sign`: of this process. Raises UsageFault for an address that cannot be read."""
    log_to(Unbuffered())
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    pool = open_pool(database_url, most=1, wait_s=DATABASE_WAIT_S)
    with suppress(KeyboardInterrupt), closing(pool), MetricsServer(listener, sign) as server:
        server.set_app(application(LadderCollector(pool, broker_url, wait_s)))
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, server.end)
        event("metrics_started")
        server.serve_forever()
    sign.end()
