"""Workers whose results differ from the others'."""

import numpy as np
import pytest

from engine.errors import UsageFault
from ladder.gauntlets.host_check import residuals

SHARES = (0.05, 0.2, 0.45, 0.22, 0.08)


def drawn(workers: int, pairs: int, seed: int) -> dict[str, list[int]]:
    table = np.random.default_rng(seed).multinomial(pairs, SHARES, workers)
    return {f"worker {number}": row.tolist() for number, row in enumerate(table)}


def test_a_worker_that_loses_what_others_win_stands_out() -> None:
    counts = {**drawn(5, 400, seed=3), "odd": [80, 140, 140, 35, 5]}
    found = residuals(counts)
    assert min(found, key=lambda worker: found[worker]) == "odd"
    assert found["odd"] < 1e-12
    assert all(value > 1e-3 for worker, value in found.items() if worker != "odd")


def test_the_p_value_of_two_counts_is_the_textbooks() -> None:
    """A table of 2 x 2 with all expected counts 50 and 10 between: chi-square 8, one degree of freedom."""
    found = residuals({"one": [60, 0, 40], "other": [40, 0, 60]})
    assert found["one"] == pytest.approx(0.004677734981047288)
    assert found["one"] == pytest.approx(found["other"])


def test_among_workers_that_are_alike_p_values_are_spread_evenly() -> None:
    """One in ten is below 0.1, also where few pairs leave outcomes with few counts."""
    values = [value for seed in range(60) for value in residuals(drawn(10, 60, seed)).values()]
    assert np.mean(np.array(values) < 0.1) == pytest.approx(0.1, abs=0.03)
    assert np.mean(np.array(values) < 0.01) == pytest.approx(0.01, abs=0.01)


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"alone": [5, 10, 20, 10, 5]},
        {"one": [0, 0, 0, 0, 0], "other": [5, 10, 20, 10, 5]},
        {"one": [0, 0, 3, 0, 0], "other": [0, 0, 0, 3, 0]},
        {"one": [0, 0, 90, 0, 0], "other": [0, 0, 90, 0, 0]},
    ],
)
def test_where_there_is_too_little_to_compare_none_stands_out(counts: dict[str, list[int]]) -> None:
    assert residuals(counts) == dict.fromkeys(counts, 1.0)


def test_pairs_and_matches_cannot_be_compared() -> None:
    with pytest.raises(UsageFault, match="of the same outcomes"):
        residuals({"one": [1, 2, 3], "other": [1, 2, 3, 4, 5]})
