"""Making links with which others see a match as its player does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from ladder import actions
from ladder.actions.matches import LONGEST_SHARE_S, USUAL_SHARE_S, NewShare
from ladder.ids import MatchId
from ladder.web.writing.bodies import STRICT, read_body
from ladder.web.writing.describing import Number, doing, taking
from ladder.web.writing.gate import WriteHere, once, shown

router = APIRouter()


@dataclass(frozen=True, slots=True)
class HowLong:
    """After how many seconds the link leads to nothing."""

    __pydantic_config__ = STRICT

    expires_in_s: Annotated[int, Field(ge=1, le=LONGEST_SHARE_S)] = USUAL_SHARE_S


@router.post("/matches/{number}/shares", **doing(NewShare, status=201), **taking(HowLong))
def share(write: WriteHere, number: Number) -> Response:
    """Make a link with which others see a match of one's own bot as one does. The scope `read`."""
    said = read_body(HowLong, write.body)
    return once(
        write,
        lambda actor, pool, _: shown(
            actions.matches.share(actor, pool, MatchId(number), said.expires_in_s), 201, is_secret=True
        ),
    )
