"""What SECURITY.md promises is what the sandbox is examined for."""

import re
from pathlib import Path

from engine.sandbox.guarantees import ALWAYS, FAIRNESS, NEVER, TABLE

DEMANDED = {"always": ALWAYS, "strict": FAIRNESS, "never": NEVER}


def test_every_promise_of_the_sandbox_is_one_that_is_tried_and_demanded_as_it_says() -> None:
    page = (Path(__file__).parents[2] / "SECURITY.md").read_text("utf-8")
    promised = dict(re.findall(r"^\| `([a-z-]+)` \|.*\| (\w+) \|$", page, flags=re.MULTILINE))
    assert {name: DEMANDED[word] for name, word in promised.items()} == {row.name: row.demanded_by for row in TABLE}
