"""What runs and what waits, and whether the database answers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastapi import APIRouter
from starlette.responses import Response

from ladder.database.connection import one
from ladder.sight import sees_everything
from ladder.views.fleet import Status, ladder_state, whole_status
from ladder.web.api.answers import json_answer
from ladder.web.api.description import one_of
from ladder.web.site import SiteHere

router = APIRouter()
health = APIRouter()


@router.get("/status", responses=one_of(Status))
def status(site: SiteHere) -> Response:
    """What runs and what waits.

    The body is that of `ladder status --json`.
    """
    services = site.services()
    with site.reading() as connection:
        if not sees_everything(connection):
            services = replace(services, home=None, supervisor=None, worker_ended=None)
        return json_answer(whole_status(services, ladder_state(connection)))


@dataclass(frozen=True, slots=True)
class Health:
    """That the ladder can be looked at. `database`: `answers`; where it does not, the answer is 503."""

    database: str


@health.get("/healthz", responses=one_of(Health, what="The database answers"))
def healthz(site: SiteHere) -> Response:
    """Whether the database answers: 200, or else 503. No key is needed."""
    with site.reading() as connection:
        one(connection, "SELECT 1", {})
    return json_answer(Health("answers"))
