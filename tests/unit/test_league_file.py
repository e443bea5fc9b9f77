"""League files: written so that people can read them, read back as they were, and refused in one sentence."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UnknownName, UsageFault
from ladder.league_file import Change, changes, read, text_of
from ladder.league_settings import IN_ORDER, SETTINGS, Choice, LeagueSettings, Number, Switch, Value

GAME = "ocean-of-code"


def any_value(name: str) -> st.SearchStrategy[Value]:
    """Any value that a setting takes."""
    match SETTINGS[name]:
        case Number(least=least, most=most):
            return st.integers(least, most)
        case Choice(words=words):
            return st.sampled_from(words)
        case Switch():
            return st.booleans()
        case _:
            raise LookupError(name)


def a_league(values: dict[str, Value], name: str = "bronze") -> LeagueSettings:
    return LeagueSettings(1, GAME, name, name.title(), 3, values)


all_values = st.fixed_dictionaries({name: any_value(name) for name in SETTINGS})


@given(bronze=all_values, gold=all_values)
def test_a_file_that_was_printed_says_the_same_and_asks_for_no_change(
    bronze: dict[str, Value], gold: dict[str, Value]
) -> None:
    leagues = [a_league(bronze), a_league(gold, "gold")]
    file = read(text_of(GAME, leagues))
    assert (file.game, file.leagues) == (GAME, {"bronze": bronze, "gold": gold})
    assert changes(file, leagues) == []


@given(old=all_values, new=all_values)
def test_changes_are_told_old_and_new_for_each_setting(old: dict[str, Value], new: dict[str, Value]) -> None:
    file = read(text_of(GAME, [a_league(new)]))
    assert changes(file, [a_league(old), a_league(old, "gold")]) == [
        Change("bronze", name, old[name], new[name]) for name in SETTINGS if old[name] != new[name]
    ]


def test_a_printed_file_explains_every_setting() -> None:
    values: dict[str, Value] = dict.fromkeys(SETTINGS, 1)
    text = text_of(GAME, [a_league(values)])
    for setting in IN_ORDER:
        assert f"# {setting.name}: {setting.about}" in text
    assert list(tomllib.loads(text)["leagues"]["bronze"]) == list(SETTINGS)


def test_a_file_may_hold_no_more_than_what_is_to_change() -> None:
    file = read('game = "ocean-of-code"\n[leagues.gold]\nclock = "wall"\n')
    assert file.leagues == {"gold": {"clock": "wall"}}
    assert read('game = "ocean-of-code"').leagues == {}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("game = ", "this is none"),
        ("", 'game = "..." is missing'),
        ("game = 7", 'game = "..." is missing'),
        ('game = "chess"', "unknown game 'chess'"),
        ('game = "ocean-of-code"\nseason = 3', "unknown key in a league file 'season'; known: game, leagues"),
        ('game = "ocean-of-code"\nleagues = 3', "leagues in a league file is a table, not 3"),
        ('game = "ocean-of-code"\nleagues.gold = "fast"', 'leagues.gold in a league file is a table, not "fast"'),
        ('game = "ocean-of-code"\n[leagues.tin]', "unknown league of ocean-of-code 'tin'; known: wood-2"),
        ('game = "ocean-of-code"\n[leagues.wood-3]', "unknown league of ocean-of-code 'wood-3'"),
        ('game = "ocean-of-code"\n[leagues.gold]\n[leagues.gold]', "this is none"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(UsageFault) as refusal:
        read(text)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("memory = 512", "unknown setting of gold 'memory'; known: battles, memory_mb"),
        ("id = 7", "unknown setting of gold 'id'"),
        ("memory_mb = 15", "memory_mb of gold is 15; it must be a whole number from 16 to"),
        ('memory_mb = "512"', 'memory_mb of gold is "512"; it must be a whole number'),
        ("memory_mb = 512.5", "memory_mb of gold is 512.5; it must be a whole number"),
        ("threads = 0", "threads of gold is 0; it must be"),
        ("threads = true", "threads of gold is true; it must be"),
        ("battles = -1", "battles of gold is -1; it must be"),
        ("stderr_turn_bytes = -1", "stderr_turn_bytes of gold is -1; it must be"),
        ("early_line_loses = 1", "early_line_loses of gold is 1; it must be true or false"),
        ('clock = "sun"', 'clock of gold is "sun"; it must be "fair" or "wall"'),
        ("clock = []", "clock of gold is []; it must be"),
        ('time_policy = "kind"', 'time_policy of gold is "kind"; it must be "strict" or "codingame"'),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_what_it_must_be(line: str, sentence: str) -> None:
    with pytest.raises(UsageFault) as refusal:
        read(f'game = "ocean-of-code"\n[leagues.gold]\n{line}\n')
    assert sentence in str(refusal.value)


def test_unknown_names_are_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="known: battles"):
        read('game = "ocean-of-code"\n[leagues.gold]\nspeed = 3\n')
