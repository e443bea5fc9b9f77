"""The guide, and the documents beside it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from ladder.web import documents
from ladder.web.shown import page

router = APIRouter()


@router.get("/guide")
def guide() -> Response:
    return page("guide.html", guide=documents.guide(), reference=documents.reference())


@router.get("/guide/{name}")
def document(name: str) -> Response:
    return page("document.html", document=documents.document(name))
