"""The command lines of our own long-running processes: workers, the scheduler, the pages."""

import os
from collections.abc import Mapping

from engine.interrupts import RUN
from workers.embedded.processes import Child

CELERY = (*RUN, "celery", "--app", "workers.app", "--quiet")
ENVIRONMENT = {"C_FORCE_ROOT": "1"}
"""As root the bots still run as an ordinary user, and messages are JSON; Celery's warning is about neither."""

QUEUES = "control,build,first,play"
"""What a worker listens to, the most urgent first. `first`: matches for which somebody waits, or that waited before; of
four matches it has at most three while others wait (see `workers.deliveries`)."""

SEEDS_FROM = "LADDER_SEEDS_FROM"
"""The variable from which the seeds of all matches follow, where the same ladder is to be played again."""

WORKER = "worker"
WEB = "web"


def cores() -> int:
    """Playing as many matches at once keeps every bot's clock fair."""
    return len(os.sched_getaffinity(0))


def worker_command(concurrency: int, name: str) -> tuple[str, ...]:
    options = (f"--concurrency={concurrency}", f"--queues={QUEUES}", f"--hostname={name}@%h", "--loglevel=WARNING")
    # Gossip, mingle and heartbeats are for workers that talk to each other; ours talk to PostgreSQL.
    return (*CELERY, "worker", *options, "--without-gossip", "--without-mingle", "--without-heartbeat")


def scheduler_command() -> tuple[str, ...]:
    return (*RUN, "workers.scheduler")


def web_child(port: int | None = None) -> Child:
    return Child(WEB, (*RUN, "cli", "web", "--supervised", *([] if port is None else ["--port", str(port)])))


def embedded_children(
    concurrency: int,
    environment: Mapping[str, str] | None = None,
    *,
    web: bool = False,
    port: int | None = None,
    metrics: str | None = None,
) -> list[Child]:
    """`environment`: for the worker. `web`: also pages, at `port`. `metrics`: where Prometheus asks, HOST:PORT."""
    children = [
        Child(WORKER, worker_command(concurrency, WORKER), {**ENVIRONMENT, **(environment or {})}),
        Child("scheduler", scheduler_command(), ENVIRONMENT),
    ]
    if metrics is not None:
        children.append(Child("metrics", (*RUN, "cli", "metrics", "--listen", metrics)))
    return [*children, web_child(port)] if web else children
