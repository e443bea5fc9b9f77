"""Machines and workers whose results differ from the others' are found, and sound ones are left alone.

Imports inside functions: this library takes a second, which each process of a run would spend.
"""

import numpy as np
import pytest

from engine.errors import UsageFault
from ladder.gauntlets.host_check import check_hosts, residuals

SOUND = (3, 25, 60, 40, 9)
BROKEN = (40, 25, 15, 10, 2)
SHARES = (0.05, 0.2, 0.5, 0.2, 0.05)


def suspicious(**counts: tuple[int, ...]) -> list[str]:
    return [check.host for check in check_hosts(counts) if check.is_suspicious]


def test_a_broken_machine_is_found_and_comes_first() -> None:
    checks = check_hosts({"attic": SOUND, "lab": SOUND, "cellar": BROKEN})
    assert [check.is_suspicious for check in checks] == [True, False, False]
    assert (checks[0].host, checks[0].counts) == ("cellar", BROKEN)


def test_a_broken_machine_does_not_bring_sound_ones_under_suspicion() -> None:
    """Although they differ from all others together, as one of these others is broken and has played most."""
    most = tuple(20 * count for count in BROKEN)
    assert suspicious(attic=SOUND, lab=SOUND, cellar=most, hall=SOUND) == ["cellar"]


def test_two_broken_machines_are_both_found_and_of_two_that_differ_both_are_named() -> None:
    assert set(suspicious(a=SOUND, b=SOUND, c=SOUND, d=SOUND, bad=BROKEN, worse=(0, 0, 5, 40, 60))) == {"bad", "worse"}
    assert suspicious(attic=SOUND, cellar=BROKEN) == ["attic", "cellar"]


@pytest.mark.parametrize("few", [(4, 0, 0, 0, 0), (0, 0, 0, 0, 7), (0, 0, 0, 0, 0)])
def test_few_pairs_are_never_enough_to_be_accused(few: tuple[int, ...]) -> None:
    checks = check_hosts({"attic": SOUND, "lab": SOUND, "new": few})
    assert not any(check.is_suspicious for check in checks)
    assert {check.host: check.p_value for check in checks}["new"] == 1


def test_one_machine_alone_or_none_has_nothing_to_differ_from() -> None:
    (alone,) = check_hosts({"attic": BROKEN})
    assert (alone.p_value, alone.residual, alone.is_suspicious) == (1.0, 0.0, False)
    assert check_hosts({}) == []


def test_the_p_value_is_that_of_a_chi_square_test_against_all_others() -> None:
    """Where all outcomes are frequent, so that none have to be taken together."""
    from scipy.stats import chi2_contingency

    rows = {"attic": (20, 30, 60, 40, 20), "lab": (25, 28, 55, 41, 18), "hall": (18, 33, 58, 35, 25)}
    checks = check_hosts(rows)
    assert {check.host for check in checks} == rows.keys()
    for check in checks:
        others = np.sum([counts for host, counts in rows.items() if host != check.host], axis=0)
        assert check.p_value == pytest.approx(chi2_contingency([check.counts, others])[1])


def test_the_residual_grows_as_the_p_value_falls() -> None:
    mild, strong = (
        max(check.residual for check in check_hosts({"a": SOUND, "b": SOUND, "c": counts}))
        for counts in ((8, 30, 55, 32, 8), BROKEN)
    )
    assert 0 < mild < 3 < strong < 40


def test_hardly_ever_is_anybody_accused_where_all_are_alike() -> None:
    """However many machines there are: 20 with some 30 pairs each, in 400 gauntlets."""
    chance = np.random.default_rng(6)
    accused = 0
    for _ in range(400):
        drawn = chance.multinomial(chance.integers(1, 60, size=20), SHARES)
        counts = {str(host): tuple(int(count) for count in row) for host, row in enumerate(drawn)}
        accused += any(check.is_suspicious for check in check_hosts(counts))
    assert accused <= 4


ALL_SHARES = (0.05, 0.2, 0.45, 0.22, 0.08)


def drawn(workers: int, pairs: int, seed: int) -> dict[str, list[int]]:
    table = np.random.default_rng(seed).multinomial(pairs, ALL_SHARES, workers)
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
