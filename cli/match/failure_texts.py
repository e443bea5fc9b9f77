"""What went wrong with a match before it was played, or put aside: the evidence, as people read it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from engine.text import counted
from ladder.games.referee_faults import LATEST, RefereeFaults
from ladder.matches.failures import FailedAttempt
from ladder.matches.host_faults import HostFaults

MOST_STORY_LINES = 100
"""Of what is shown of one attempt: what a referee program has said may be thousands of lines."""


def failures_text(failures: Sequence[FailedAttempt]) -> Text:
    """Describe each attempt that failed: when, where, why, and whether that counts against the match."""
    return Text("attempts that failed\n" + "\n".join(failure_text(failure) for failure in failures))


def failure_text(failure: FailedAttempt) -> str:
    """Describe one; a long reason follows in lines of its own."""
    where = f" on {failure.host}, process {failure.pid}" if failure.host else ""
    counts = "it counts against the match" if failure.counts else "it does not count against the match"
    whose = "" if failure.seat is None else f"in a turn of seat {failure.seat}, "
    why, *story = failure.why.splitlines() or [""]
    when = f"{failure.failed_at.astimezone():%Y-%m-%d %H:%M:%S}"
    first = f"  {failure.attempt}, noticed {when}{where}: {why} ({whose}{counts})"
    shown, left = story[:MOST_STORY_LINES], len(story) - MOST_STORY_LINES
    more = [f"    ... and {left} more lines, which --json has"] if left > 0 else []
    return "\n".join([first, *(f"    {line}" for line in shown), *more])


def host_faults_text(faults: HostFaults) -> str:
    """Say how often the host was too busy for the matches of a version, and in whose turns."""
    return (
        f"{faults.version}: the host was too busy in {faults.own} of its turns and in {faults.opponents} of its "
        f"opponents', so its matches were void and played again; {faults.void} remained void"
    )


def referee_faults_text(faults: RefereeFaults) -> str:
    """Say how many matches of a version are void because the referee broke after its answer, and whether too many."""
    words = f"{faults.version}: {counted(faults.void, 'match', 'matches')} void, as the referee broke after its answer"
    if not faults.is_flagged:
        return words
    return f"{words}; {faults.lately} of them among its latest {LATEST}: flagged, look at what it answers there"
