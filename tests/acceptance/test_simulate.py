"""`ladder simulate`: small ladders through the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.acceptance.conftest import Shell

SMALL = ("simulate", "--bots", "20", "--battles", "10", "--repeats", "2", "--resubmissions", "2", "--seed", "5")


def test_every_matchmaker_and_rating_is_told_and_the_same_seed_gives_the_same_figures(shell: Shell) -> None:
    """However many ladders run at once."""
    first = json.loads(shell.ok(*SMALL, "--json", "--jobs", "1"))
    assert first == json.loads(shell.ok(*SMALL, "--json", "--jobs", "3"))
    kinds = {(row["matchmaker"], row["rating"]) for row in first}
    assert kinds == {
        (name, rating)
        for name in ("random", "codingame", "informed")
        for rating in ("trueskill", "openskill", "settle")
    }
    assert {row["battles"] for row in first} == {1, 2, 5, 10}
    assert all(-1 <= row["tau"] <= 1 and row["low"] <= row["middle"] <= row["high"] for row in first)
    assert {row["true_rank"] for row in first} == {5}


def test_some_of_them_are_shown_as_a_table_and_drawn(shell: Shell, tmp_path: Path) -> None:
    pictures = [tmp_path / name for name in ("plot.png", "plot.svg")]
    for picture in pictures:
        table = shell.ok(*SMALL, "--matchmaker", "informed", "--rating", "settle", "--leagues", "2", "--plot", picture)
        assert "informed" in table
        assert "right league" in table
        assert "codingame" not in table
        assert "trueskill" not in table
    assert pictures[0].read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in pictures[1].read_bytes()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--matchmaker", "swiss"), "unknown matchmaker 'swiss'; known: random, codingame, informed"),
        (("--rating", "elo"), "unknown rating 'elo'; known: trueskill, openskill, settle"),
        (("--plot", "plot.gif"), "ends in .png or .svg"),
        (("--plot", "/nowhere/plot.png"), "cannot be written"),
        (("--bots", "1"), "greater than or equal to 2"),
        (("--draws", "1"), "less than or equal to 0.9"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(shell: Shell, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in shell.refused(2, "simulate", *words)
