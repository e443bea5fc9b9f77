"""Names of versions: what is read as one, and the one sentence for what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageFault
from ladder.names import NamedVersion, in_natural_order, read_name, read_version

LARGEST = 999_999_999

ODD = [
    *(f"kraken@{number}" for number in ("", "3", "v", "v0", "v03", "v-1", "v+1", "v1.5", "v1_0", "v٣", "vv", "vv3")),
    *(
        f"kraken@{number}"
        for number in ("V3", "v 3", "v3 ", "v3\n", "v3@v4", "@v3", f"v{LARGEST + 1}", "v" + "9" * 5000)
    ),
    *("@v3", "@"),
]


def test_a_bot_with_a_number_names_that_version() -> None:
    assert read_version("kraken@v3") == ("kraken", 3)
    assert read_name("Kra.ken-2_x@v12") == NamedVersion("Kra.ken-2_x", 12)
    assert read_version(f"kraken@v{LARGEST}") == ("kraken", LARGEST)


@pytest.mark.parametrize("words", ["kraken", "v3", "kraken-v3", ""])
def test_what_has_no_at_sign_names_a_bot_alone_and_no_version(words: str) -> None:
    """Whether there is one of that name is for the database to say."""
    assert read_name(words) == NamedVersion(words)
    with pytest.raises(UsageFault, match="names no version"):
        read_version(words)


@pytest.mark.parametrize("words", ODD)
def test_anything_else_is_refused_in_one_sentence(words: str) -> None:
    for read in (read_name, read_version):
        with pytest.raises(UsageFault) as refusal:
            read(words)
        assert str(refusal.value) == f"{words!r} names no version: it should look like kraken@v3"


@given(st.text("abcXYZ019_.-", min_size=1, max_size=39), st.none() | st.integers(min_value=1, max_value=LARGEST))
def test_a_name_that_is_written_is_read_as_the_same(bot: str, number: int | None) -> None:
    assert read_name(str(NamedVersion(bot, number))) == NamedVersion(bot, number)


def test_names_are_sorted_as_people_sort_them() -> None:
    names = ["student10", "Student2", "b", "student1", "7b", "10a", "student2-x"]
    assert sorted(names, key=in_natural_order) == ["7b", "10a", "b", "student1", "Student2", "student2-x", "student10"]
