"""What runs beside the database, as a process of this home sees it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from engine.errors import UsageFault
from ladder.errors import QueueDown
from ladder.settings import Settings
from ladder.views.fleet import Services
from workers.commands import WEB, WORKER
from workers.embedded import control, pages
from workers.embedded.home import LadderHome
from workers.embedded.state_file import Running
from workers.queue.broker import check_address, queue_lengths


def services_beside(home: LadderHome, settings: Settings) -> Services:
    """Look at what runs; what does not answer, or is not there, is left out."""
    running = embedded(home, settings)
    broker_url = settings.broker_url or (running.broker_url if running is not None else "")
    queue: Mapping[str, int] | None = None
    if broker_url:
        with suppress(QueueDown, UsageFault):
            check_address(broker_url)
            queue = queue_lengths(broker_url)
    return services_with(home, settings, running, queue)


def embedded(home: LadderHome, settings: Settings) -> Running | None:
    """Return the services of this home, if they run and the settings name no others."""
    return None if settings.database_url else control.running(home)


def services_with(
    home: LadderHome, settings: Settings, running: Running | None, queue: Mapping[str, int] | None
) -> Services:
    """Return what runs. `running`: see `embedded`; `queue`: how many messages wait in each queue, if that is known."""
    database_url = settings.database_url or (running.database_url if running is not None else "")
    shown = pages.found(home, database_url)
    return Services(
        home=str(home.folder),
        supervisor=None if running is None else running.pid,
        keeps_worker=running is not None and WORKER in running.children,
        queue=queue,
        web=public_address(settings, running) if shown is None else shown.address,
    )


def public_address(settings: Settings, running: Running | None) -> str | None:
    """Return where players find a served ladder; None for one person's, and where `ladder up` runs without pages."""
    has_pages = running is None or WEB in running.children
    return settings.web.public_url if settings.web.is_served and has_pages else None
