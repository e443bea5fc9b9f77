"""What runs and what waits, and whether the database answers."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.responses import Response

from ladder.database.connection import one
from ladder.views.fleet import Status, status_of_database
from ladder.web.api.answers import json_answer
from ladder.web.api.described import one_of
from ladder.web.site import SiteHere

router = APIRouter()
health = APIRouter()


@router.get("/status", responses=one_of(Status))
def status(site: SiteHere) -> Response:
    """What runs and what waits, as the database knows it.

    The body is that of `ladder status --json`. `home`, `supervisor`, `starting` and `queue` are null: they are known to
    the processes of the ladder's home, and not to the one that serves pages.
    """
    with site.reading() as connection:
        return json_answer(status_of_database(connection))


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
