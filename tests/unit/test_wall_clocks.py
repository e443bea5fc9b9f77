"""No process of ours goes by the wall clock: machines disagree about it, and people set it back.

Time that two machines have to agree about is the database's, which alone compares it; time that one process measures is
by clocks that only run forward.
"""

import ast
import re

from tests.sources import CHECKOUT, modules
from workers.app import SETTINGS

WALL_CLOCK = {
    "time": {"time", "time_ns", "localtime", "gmtime", "ctime", "asctime", "strftime", "CLOCK_REALTIME"},
    "datetime": {"now", "today", "utcnow"},
    "date": {"today"},
}
LIKELY = re.compile(rf"\.[\s\\]*({'|'.join(set.union(*WALL_CLOCK.values()))})\b|\bfrom\s+time\b")
"""What a file without has no such read, and need not be taken apart."""
SEEN_BY_NOBODY = {
    "cli/game/simcheck.py": "shown to people: when a match was played here",
    "cli/match/official.py": "shown to people: when a match was brought in here",
    "cli/play/series.py": "shown to people: when a match was played here",
    "cli/tune/local.py": "shown to people: when a tune of this process began and ended",
    "ladder/gauntlets/local.py": "shown to people: when a gauntlet of this process began and ended",
    "engine/workspace.py": "how old a folder on this machine's own disk is",
    "ladder/gauntlets/report.py": "shown to people: how long a gauntlet has been running",
    "ladder/web/rendering.py": "shown to people: when a file was written",
    "workers/embedded/redis.py": "a part of the name of a file that is put aside",
    "workers/embedded/supervisor.py": "shown to people: since when it runs",
}
"""Where the wall clock is read all the same, and why nobody on another machine compares it."""


def reads_of_the_wall_clock(text: str) -> list[str]:
    if not LIKELY.search(text):
        return []
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
            owner = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
            if node.attr in WALL_CLOCK.get(owner, ()):
                found.append(f"line {node.lineno}: {owner}.{node.attr}")
        elif isinstance(node, ast.ImportFrom) and node.module == "time":
            found += [f"line {node.lineno}: {name.name}" for name in node.names if name.name in WALL_CLOCK["time"]]
    return found


def test_the_wall_clock_is_read_only_where_no_other_machine_looks() -> None:
    files = {str(file.relative_to(CHECKOUT)): file for file in modules().values()}
    found = {name: reads_of_the_wall_clock(file.read_text("utf-8")) for name, file in files.items()}
    assert {name: lines for name, lines in found.items() if lines and name not in SEEN_BY_NOBODY} == {}
    assert {name for name in SEEN_BY_NOBODY if not found.get(name)} == set(), "a reason that is needed no more"


def test_a_look_at_the_wall_clock_is_found() -> None:
    whole = ("import time\ntime.time()", "import datetime\ndatetime.datetime.utcnow()")
    for text in (*whole, "from time import time", "from datetime import datetime\ndatetime.now()"):
        assert reads_of_the_wall_clock(text) != [], text


def test_no_message_carries_a_time_that_another_machine_would_compare() -> None:
    """Celery's timetable goes by the wall clock and its expiry compares two machines': we use neither."""
    assert "beat_schedule" not in SETTINGS
    assert "expires" not in repr(SETTINGS)
