"""Whether database and broker answer.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from cli.context import Context
from cli.doctor.finding import Finding, finding_of

GROUP = "services"


def services(context: Context) -> Finding:
    """Look for the services: those that the environment names, or the embedded ones."""
    named = context.settings.database_url and context.settings.broker_url
    if not named and context.services is None:
        return Finding(
            GROUP, "services", ok=True, detail=f"not running; `ladder up` starts them in {context.home.folder}"
        )
    remedy = "" if named else "ladder down && ladder up"  # those that are named belong to another machine or account
    return finding_of(GROUP, "services", lambda: reachable(context), remedy=remedy)


def reachable(context: Context) -> str:
    """Ask both services. Raises Unavailable."""
    from ladder.views.fleet import server_version
    from workers.queue.broker import queue_lengths

    with context.database() as connection:
        version = server_version(connection)
    queue_lengths(context.broker_url)
    return f"PostgreSQL {version} and Redis answer"
