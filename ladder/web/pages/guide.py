"""The guide, and the documents beside it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.web import documents
from ladder.web.shown import page

router = APIRouter()


@router.get("/guide")
def guide() -> Response:
    """List the pages of the guide, and the documents beside it."""
    return page("guide.html", guide=documents.guide(), reference=documents.reference())


@router.get("/guide/{name}")
def document(name: str) -> Response:
    """Show one page."""
    return page("document.html", document=documents.document(name))
