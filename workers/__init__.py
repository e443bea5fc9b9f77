"""When and where things run: Celery tasks and settings, and the embedded services that `ladder up` starts.

tasks            the whole vocabulary of the queue: build, play, schedule, sweep; what a worker prints for people
app              the Celery application, its settings, each with its reason, and the ladder's queue by it
jobs             playing a match: claim, play, record; building a version: claim, compile, try, accept or reject
scheduler        asks for the two tasks that look after the ladder
worker_process   what one worker process holds while it lives
presence         how others know that processes live: one session of the first process holds a lock for each
clerk            claims and records that the first process does for the others, with few sessions
broker           the broker: its address, whether it answers, what waits
deliveries       from which queue a worker takes its next message; messages that are none of ours
wait_for_schema  waits for a database that has to be migrated first
backup           a whole database as one file, and back, by PostgreSQL's own programs
exporter         answers Prometheus with what the ladder measures
service_status   what runs beside the database, as a process of this home sees it
commands         the command lines of workers, the scheduler and the pages
embedded         PostgreSQL and Redis from packages, and the supervisor behind `ladder up`
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from workers import app, backup, broker, embedded, exporter, service_status, worker_process
else:
    __getattr__ = lazily(__name__)

__all__ = ["app", "backup", "broker", "embedded", "exporter", "service_status", "worker_process"]
