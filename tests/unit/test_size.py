"""How many files the ordinary changes touch that were worst, as `make size` counts them."""

import re
from collections.abc import Mapping

import pytest

from ladder.ratings.counts import BY_VERDICT
from tests.size import CHANGES, files_with
from tests.sources import CHECKOUT

MOST: Mapping[str, int] = {
    "a computed column of a board": 4,
    "a counted column of a board": 2,
    "a metric of each match": 5,
    "a write with its command and route": 5,
}


@pytest.mark.parametrize("change", MOST)
def test_a_change_touches_few_files(change: str) -> None:
    found = files_with(CHANGES[change])
    assert 1 < len(found) <= MOST[change], found


def test_what_handles_records_follows_their_fields_and_names_no_count_of_verdicts() -> None:
    """So `make size` may leave out of a counted column where the same word stands for another thing."""
    files = files_with(r"\bladder\.ratings\.counts\b|\bparts\.fault_cells\b")
    assert len(files) > 10
    names = "|".join(BY_VERDICT)
    for file in files:
        assert not re.search(rf"\.({names})\b|\bAS ({names})\b", (CHECKOUT / file).read_text("utf-8")), file
