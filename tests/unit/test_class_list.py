"""Lists of a class as spreadsheets save them: every way in which names can be read, and what is said of the rest."""

import codecs
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageFault, WrongLines
from ladder.accounts.class_list import MOST_CHARS, ClassMember, entrants_in, fault_in
from ladder.names import BOT
from ladder.views.contests import Grade

NAMES = ["kim", "mia", "tom"]
TABLES = {
    "commas": "class,name\n7b,kim\n7b,mia\n7a,tom\n",
    "semicolons": "class;name\n7b;kim\n7b;mia\n7a;tom\n",
    "tabs": "class\tname\n7b\tkim\n7b\tmia\n7a\ttom",
    "a named separator": "sep=;\nname;class, year\nkim;7b, 2026\nmia;7b\ntom;7a\n",
    "an odd named separator": "SEP=|\nname|class\nkim|7b\nmia|7b\ntom|7a\n",
    "no heads": "kim;7b\nmia;7b\ntom;7a",
    "names alone": "kim\nmia\ntom",
    "a head alone, and more columns below": "Name\nkim;7b\nmia;7b\ntom;7a\n",
    "quotes": '"Name";"class"\n"kim";"7;b"\n"mia";"said ""hello"""\n"tom";"two\nlines"\n',
    "empty lines": "\n\n name ;class\n;\nkim;7b\n\n mia ;7b\ntom;\n;;\n",
    "ends of lines of another system": "name;class\rkim;7b\rmia;7b\rtom;7a",
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize(
    "written",
    [
        lambda text: text.encode(),
        lambda text: text.replace("\n", "\r\n").encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
        lambda text: text.encode("utf-32"),
    ],
    ids=["UTF-8", "UTF-8 of Windows", "UTF-16", "UTF-16 the other way round", "UTF-32"],
)
def test_a_list_is_read_however_a_spreadsheet_saves_it(table: str, written: Callable[[str], bytes]) -> None:
    assert [entrant.name for entrant in entrants_in(written(table))] == NAMES


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "names no player"),
        (b"name;class\n;\n", "names no player"),
        (
            "name\nkim\nJörg\n".encode("cp1252"),
            "line 3 is not UTF-8 but as in Windows-1252: save it as `CSV UTF-8`, or",
        ),
        ("name\nkim\n".encode("utf-16-le"), "as UTF-16 it has no mark"),
        (codecs.BOM_UTF16_LE + b"n\0a\0m", "begins as UTF-16 and goes on as something else"),
        (b'name\nkim\n"mia\ntom\n', 'a quote (") that opens in line 3 is not closed'),
        (b'name;class\nkim;"7b\n' + b"mia;7a\n" * 40_000, 'a quote (") that opens in line 2'),
        (b'name\n"kim"x\n', "opens in line 2"),
        (b"Real name,E-mail\nKim Lee,kim@school.example\n", "its first line names no column `name`"),
    ],
)
def test_what_cannot_be_read_gets_one_sentence_that_says_what_to_do(content: bytes, sentence: str) -> None:
    with pytest.raises(UsageFault) as caught:
        entrants_in(content)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_all_lines_that_are_wrong_are_named_at_once_with_what_would_do() -> None:
    with pytest.raises(WrongLines) as caught:
        entrants_in("class;name\n7b;Jörg Weiß\n7b;kim\n7b;\n7b;KIM\n7b;Jorg-Weiss\n7b;王\n7b;_tom\n7b;House\n".encode())
    assert caught.value.lines == [
        "line 2: Jörg Weiß; Jorg-Weiss-2 would do",
        "line 4 has no name",
        "line 5: KIM is in the list twice, first in line 3",
        "line 7: 王; player would do",
        "line 8: _tom; tom would do",
        "line 9: House has the bots that come with Ladder; House-2 would do",
    ]
    assert str(caught.value).startswith("a player's name is 1 to 39 of")


@given(st.lists(st.text(st.characters(exclude_characters='",;\t\r\n\0', codec="utf-8"), min_size=1), min_size=1))
def test_each_suggestion_is_a_name_that_can_be_had(names: list[str]) -> None:
    try:
        found = entrants_in("\n".join(["name", *names]).encode())
    except WrongLines as wrong:
        suggesting = [line.removesuffix(" would do") for line in wrong.lines if line.endswith("would do")]
        would = [line.rpartition("; ")[2] for line in suggesting]
        assert all(BOT.fullmatch(name) for name in would)
        assert len({name.lower() for name in would}) == len(would)
    except UsageFault:
        assert not any(name.strip() for name in names)
    else:
        assert all(BOT.fullmatch(entrant.name) for entrant in found)


def test_what_a_list_says_of_its_players_is_read_from_the_columns_that_it_has() -> None:
    table = "Class,Full Name,Student-ID,name,E-Mail\n7b,Kim  Lee,00123,kim,kim@school.example\n,,,tom\n"
    assert entrants_in(table.encode()) == [
        ClassMember("kim", "Kim Lee", "7b", "kim@school.example", "00123"),
        ClassMember("tom", "", "", "", ""),
    ]
    assert entrants_in(b"name;note\nkim;absent\n") == [ClassMember("kim")], "None: the list has no such column"


def test_a_mail_address_as_a_name_and_a_group_that_is_not_there_are_named_with_their_lines() -> None:
    text = "name,group,email\nkim@school.example,7b,\ntom,7c,\nmia,,\nlee,7a,lee(at)school\nzoe,7a,zoe@school.example\n"
    with pytest.raises(WrongLines) as caught:
        entrants_in(text.encode(), ["7a", "7b"])
    assert caught.value.lines == [
        "line 2: kim@school.example is an e-mail address, which belongs in a column `email`; kim would do",
        "line 3: there is no group 7c: --groups names 7a and 7b",
        "line 4: mia is in no group: --groups names 7a and 7b",
        "line 5: lee(at)school is not an e-mail address",
    ]
    with pytest.raises(WrongLines, match=r"^these lines are wrong$"):
        entrants_in(b"name,email\nlee,lee(at)school\n")


@pytest.mark.parametrize("text", ["x" * (MOST_CHARS + 1), "a\0b", "\x1b[2J"])
def test_what_a_list_says_is_short_and_printable(text: str) -> None:
    assert fault_in(ClassMember("kim", real_name="x" * MOST_CHARS)) == ""
    for field in ("real_name", "group", "email", "external_id"):
        assert f"the {field.replace('_', ' ')} of kim is to be" in fault_in(ClassMember("kim", **{field: text}))


def graded(rank: int | None, ranked: int = 3, in_time: int = 1, late: int = 0) -> Grade:
    return Grade("kim", None, None, None, None, None, None, None, rank, ranked, in_time, late)


def test_the_first_has_100_points_each_rank_after_it_an_equal_step_fewer_and_nobody_unranked_any() -> None:
    assert [graded(rank).points for rank in (1, 2, 3, None)] == [100.0, 66.7, 33.3, 0.0]
    assert [graded(rank).points for rank in (1, 1, 3)] == [100.0, 100.0, 33.3], "equal ranks have equal points"
    assert (graded(1, 1).points, graded(None, 0).points) == (100.0, 0.0)


def test_whether_something_was_handed_in_is_said_of_each() -> None:
    assert [graded(1, late=late).handed_in for late in (0, 2)] == ["in time", "in time"]
    counts = {(2, 1): "in time, but not ranked", (0, 1): "late", (0, 0): "nothing"}
    assert {one: graded(None, in_time=one[0], late=one[1]).handed_in for one in counts} == counts
