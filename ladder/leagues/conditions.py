"""From a league's row to the conditions under which the engine plays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.bot.clock import Clock, Policy, TimeRule
from engine.bot.conditions import Conditions, OutputLimits
from engine.boxes.limits import Limits


def conditions_of(row: Mapping[str, Any]) -> Conditions:
    """Make conditions of what the SQL function `league_conditions` gives."""
    return Conditions(
        limits=Limits(
            memory_mb=row["memory_mb"],
            threads=row["threads"],
            open_files=row["open_files"],
            file_size_mb=row["file_size_mb"],
        ),
        output=OutputLimits(
            line_bytes=row["line_bytes"],
            stderr_turn_bytes=row["stderr_turn_bytes"],
            stderr_match_bytes=row["stderr_match_bytes"],
        ),
        time=TimeRule(Policy(row["time_policy"]), Clock(row["clock"])),
        early_line_loses=row["early_line_loses"],
        trusted=row["trusted"],
    )
