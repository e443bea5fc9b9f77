"""Numbers in addresses: the types of handlers' parameters, with their bounds."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from ladder.ids import LARGEST_ID, MatchId

MatchInPath = Annotated[MatchId, Path(ge=1, le=LARGEST_ID, description="The number of a match.")]
MatchInQuery = Annotated[MatchId, Query(ge=1, le=LARGEST_ID, description="The number of a match.")]
BelowMatch = Annotated[MatchId | None, Query(ge=1, le=LARGEST_ID, description="Only matches with lower numbers.")]
