"""How moments are typed: by this machine's clock."""

from __future__ import annotations

from datetime import datetime

from ladder.row_limits import require_moment

MOMENTS = ["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"]


def by_this_clock(typed: datetime) -> datetime:
    """Return a moment that was typed with its zone. Raises UsageFault for one that nothing can be planned for."""
    require_moment(typed)
    return typed.astimezone()
