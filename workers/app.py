"""The Celery application and its settings, each with its reason.

Messages carry one id. The rows in PostgreSQL are the truth, so a message may be lost, doubled or late.
"""

from __future__ import annotations

import os
import socket
from typing import Any

from celery import Celery

from ladder.database.session import GONE_AFTER_S, KEEPALIVE_COUNT, KEEPALIVE_IDLE_S, KEEPALIVE_INTERVAL_S
from workers.broker import tls_of
from workers.commands import QUEUES
from workers.deliveries import look_at_messages

LONGEST_TASK_S = 900
"""Backstop for tasks without a lease: one that takes longer has its process killed. Others end with their leases."""

SILENCE_LIMIT_S = 10
"""A worker asks for messages each second; a broker that leaves that unanswered for so long is connected to anew."""
KEEPALIVE = {
    socket.TCP_KEEPIDLE: KEEPALIVE_IDLE_S,
    socket.TCP_KEEPINTVL: KEEPALIVE_INTERVAL_S,
    socket.TCP_KEEPCNT: KEEPALIVE_COUNT,
    socket.TCP_USER_TIMEOUT: 1000 * GONE_AFTER_S,
}
"""The same as on connections to PostgreSQL: see `ladder.database.session`. A Unix socket has none of it."""

SETTINGS: dict[str, Any] = {
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,  # a worker waits for its broker as long as it takes
    "broker_transport_options": {
        "visibility_timeout": 2 * LONGEST_TASK_S,  # an unacknowledged message comes back after this ...
        "unacked_restore_interval": 5,  # ... because somebody looks every five seconds,
        "unacked_restore_throttle": 1,  # ... each time and not each tenth
        "queue_order_strategy": "workers.deliveries:UrgentButFair",  # queues are not emptied in turns
        "socket_connect_timeout": 5,
        "socket_keepalive": True,  # a broker that is gone without a goodbye is noticed by the kernel ...
        "socket_keepalive_options": KEEPALIVE,
        "health_check_interval": SILENCE_LIMIT_S,  # ... and by a worker that waits for a message
    },
    "task_default_queue": "play",
    "task_routes": {
        "ladder.schedule": {"queue": "control"},
        "ladder.sweep": {"queue": "control"},
        "ladder.prune": {"queue": "control"},
        "ladder.build": {"queue": "build"},
        "ladder.play": {"queue": "play"},
    },
    "task_serializer": "json",
    "accept_content": ["json"],
    "task_ignore_result": True,  # results are rows
    "task_acks_late": True,  # a message is done when the row is
    "task_reject_on_worker_lost": True,  # a killed process gives its message back at once
    "worker_prefetch_multiplier": 1,  # matches are long; none waits behind another while a process is idle
    "worker_cancel_long_running_tasks_on_connection_loss": False,  # a match is recorded without the broker too
    "worker_send_task_events": False,
    "worker_enable_remote_control": False,  # workers get no orders but by signals; listening costs two connections
    "worker_hijack_root_logger": False,
}


def make_app(broker_url: str, *, for_tasks: bool = False) -> Celery:
    """`for_tasks`: it also runs tasks, not only enqueues them."""
    made = Celery("ladder", broker=broker_url, set_as_current=for_tasks)
    made.conf.update(SETTINGS, broker_use_ssl=tls_of(broker_url))  # else it would speak to rediss:// in clear text
    return made


look_at_messages(QUEUES.split(","))
app = make_app(os.environ.get("LADDER_BROKER_URL", "redis://localhost:6379/0"), for_tasks=True)
app.conf.include = ["workers.tasks", "workers.console"]
