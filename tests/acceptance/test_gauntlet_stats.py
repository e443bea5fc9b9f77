"""`ladder gauntlet stats` through the command."""

import json

import pytest

from ladder.statistics.elo import estimate
from tests.acceptance.conftest import Desk
from tests.unit.known_sprt_values import KNOWN


def test_known_values_come_out_as_json(desk: Desk) -> None:
    known = KNOWN[1]
    words = ("--elo0", "0", "--elo1", "10", "--model", "logistic", "--json")
    found = json.loads(desk.ok("gauntlet", "stats", *map(str, known.counts), *words))
    assert found["llr"] == pytest.approx(known.llr, abs=1e-6)
    fixed = estimate(known.counts)
    assert (found["elo"], found["los"], found["ci"]) == (fixed.elo, fixed.los, [fixed.low, fixed.high])
    assert found["elo_95_half_width"] == fixed.half_width
    stopped = (found["sprt"]["elo"], *found["sprt"]["ci"], found["sprt"]["LOS"])
    assert stopped == pytest.approx(known.stopped, abs=1e-6)
    assert found["bounds"] == pytest.approx([-2.9444389791664403, 2.9444389791664403])
    assert found["state"] == "undecided"
    assert found["pair_ratio"] == pytest.approx(49 / 28)


def test_three_counts_are_matches_and_bounds_can_be_negative_and_normalised(desk: Desk) -> None:
    words = ("gauntlet", "stats", "120", "30", "160", "--elo0", "-5", "--elo1", "0", "--model", "normalised")
    found = desk.json(*words, "--alpha", "0.01", "--beta", "0.1")
    assert (found["elo0"], found["elo1"], found["elo_model"]) == (-5, 0, "normalized")
    assert (found["alpha"], found["beta"]) == (0.01, 0.1)
    assert "matches           310: 160 won, 30 even, 120 lost" in desk.ok(*words)


def test_a_few_lines_say_what_the_counts_mean(desk: Desk) -> None:
    text = desk.ok("gauntlet", "stats", "2", "20", "100", "80", "30")
    assert "232: 110 won, 100 even, 22 lost" in text
    assert "95 %" in text
    assert "passed" in text
    assert len(text.splitlines()) <= 5
    assert "nan" not in desk.ok("gauntlet", "stats", "0", "0", "0", "0", "12")


def test_one_interval_is_printed_and_it_goes_with_what_is_asked(desk: Desk) -> None:
    fixed, stopped = (desk.ok("gauntlet", "stats", *"00004", *more) for more in ((), ("--elo0", "0", "--elo1", "10")))
    for text in (fixed, stopped):
        assert text.count("(95 %)") == text.count("LOS") == 1
        assert "LOS 99.0%" in text
    assert "LOS 88.5%" in desk.ok("gauntlet", "stats", *"00402")


def test_input_that_makes_no_sense_gets_one_sentence(desk: Desk) -> None:
    for words, sentence in (
        (("1", "2"), "2 counts make no result"),
        (("0", "0", "0", "0", "0"), "nothing was played"),
        (("1", "2", "x"), "whole number"),
        (("1", "2", "3", "--elo0", "10", "--elo1", "5"), "elo0 has to be less than elo1, but they are 10 and 5"),
        (("1", "2", "3", "--model", "bayes"), "unknown model 'bayes'; known: logistic, normalized"),
    ):
        said = desk.refused(2, "gauntlet", "stats", *words)
        assert sentence in said
        assert said.count("\n") == 1
