"""Seeds as people give them: a list or a file, each a signed 64-bit number and none twice."""

from pathlib import Path

import pytest

from cli.options.numbers import checked_seed, following_seed, read_seeds
from engine.errors import UsageFault
from tests.throwaway import written

LEAST, MOST = -(2**63), 2**63 - 1


def complaint(words: str) -> str:
    with pytest.raises(UsageFault) as fault:
        read_seeds(words)
    assert fault.value.exit_status == 2
    assert "\n" not in str(fault.value)
    return str(fault.value)


def test_a_list_of_seeds_keeps_its_order() -> None:
    assert read_seeds("3,1, -2") == (3, 1, -2)
    assert read_seeds("42") == (42,)
    assert read_seeds(f"{LEAST},{MOST}") == (LEAST, MOST)


def test_a_range_is_all_seeds_from_its_first_to_its_last(tmp_path: Path) -> None:
    assert read_seeds("1..4") == (1, 2, 3, 4)
    assert read_seeds("-1 .. 1, 7, 9..9") == (-1, 0, 1, 7, 9)
    path = written(tmp_path / "seeds", "3..5  # the hard maps\n9\n")
    assert read_seeds(str(path)) == (3, 4, 5, 9)


def test_a_range_that_is_empty_or_far_too_long_is_refused(tmp_path: Path) -> None:
    assert "5..2 is empty: the lower seed comes first, as in 2..5" in complaint("1,5..2")
    assert "more than 1,000,000 seeds" in complaint(f"0..{MOST}")
    assert "the seed 3 comes a second time" in complaint("1..3,3..5")
    path = written(tmp_path / "seeds", "1\n9..7\n")
    assert f"{path}, line 2: 9..7 is empty" in complaint(str(path))


def test_a_drawn_seed_is_short_enough_to_be_typed() -> None:
    assert {len(str(checked_seed(None))) for _ in range(100)} == {6}
    assert checked_seed(LEAST) == LEAST


def test_a_file_has_a_seed_in_each_line_with_blank_lines_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "seeds"
    path.write_bytes("\ufeff# the hard maps\r\n7\r\n\r\n -9  # two islands\r\n8".encode())
    assert read_seeds(str(path)) == (7, -9, 8)


def test_a_file_without_a_seed_is_no_list_of_seeds(tmp_path: Path) -> None:
    path = tmp_path / "seeds"
    for text in ("", "\n\n", "# none yet\n"):
        path.write_text(text)
        assert f"no seed in {path}" in complaint(str(path))


@pytest.mark.parametrize("word", [str(MOST + 1), str(LEAST - 1), "9" * 5000])
def test_a_seed_has_64_bits(tmp_path: Path, word: str) -> None:
    assert "not a signed 64-bit number" in complaint(f"1,{word}")
    path = written(tmp_path / "seeds", f"1\n{word}\n")
    assert f"{path}, line 2" in complaint(str(path))


def test_a_line_that_is_no_number_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "seeds", "1\n2 3\n")
    assert f"{path}, line 2: 2 3 is not" in complaint(str(path))


def test_the_same_seed_twice_would_count_the_same_evidence_twice(tmp_path: Path) -> None:
    assert "the seed 5 comes a second time" in complaint("5,6,5")
    path = written(tmp_path / "seeds", "5\n6\n+5\n")
    assert f"{path}, line 3: the seed 5 comes a second time" in complaint(str(path))


def test_what_is_neither_list_nor_text_file_is_said_so(tmp_path: Path) -> None:
    assert "neither a range as in 1..200, nor a list as in 1,2,3, nor a file to read" in complaint("1..")
    assert "nor a list as in 1,2,3, nor a file to read" in complaint("1;2;3")
    assert "nor a list as in 1,2,3, nor a file to read" in complaint(str(tmp_path))
    path = tmp_path / "binary"
    path.write_bytes(b"\xff\xfe\x00\x01")
    assert "nor a text file" in complaint(str(path))


def test_seeds_follow_one_another_around_the_end_of_64_bits() -> None:
    assert following_seed(MOST, 1) == LEAST
    assert following_seed(-1, 3) == 2
