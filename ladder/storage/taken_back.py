"""Matches that count no more because somebody took them back: who, and when. Why stands in the match's reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from ladder.database import Connection


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Who took a match back, and when."""

    by: str
    at: datetime


def taken_back(connection: Connection, match_id: int) -> TakenBack | None:
    """Return who took the match back, or None where nobody has: what was put aside as void says so itself."""
    with connection.cursor(row_factory=class_row(TakenBack)) as cursor:
        return cursor.execute(
            """SELECT void_by AS "by", void_at AS "at" FROM matches WHERE id = %s AND void_at IS NOT NULL""", [match_id]
        ).fetchone()
