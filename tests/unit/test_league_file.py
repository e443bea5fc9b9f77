"""League files: written so that people can read them, read back as they were, and refused in one sentence."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UnknownName, UsageFault
from ladder.ids import LeagueId
from ladder.leagues.file import LeagueFile, SettingChange, changes, check_boss_wins, check_bosses, text_of
from ladder.leagues.file import read as read_for
from ladder.leagues.settings import (
    IN_ORDER,
    SETTINGS,
    BotName,
    Choice,
    LeagueSettings,
    Measure,
    Moment,
    Number,
    Switch,
    Value,
    WordsSetting,
)
from tests.catalogue import GAMES

GAME = "ocean-of-code"


def read(text: str) -> LeagueFile:
    return read_for(text, GAMES)


def of_gold(line: str) -> Mapping[str, Value]:
    """Read a file that has one line on the league gold; return what it says."""
    ((name, values),) = read(f'game = "ocean-of-code"\n[leagues.gold]\n{line}\n').leagues.items()
    assert name == "gold"
    return values


def any_value(name: str) -> st.SearchStrategy[Value]:
    if name == "rules_level":
        return st.sampled_from([1, 2, 3])
    match SETTINGS[name]:
        case Number(least=least, most=most, or_none=or_none):
            return st.integers(least, most) | (st.none() if or_none else st.nothing())
        case Choice(words=words):
            return st.sampled_from(words)
        case Switch():
            return st.booleans()
        case Measure(least=lowest, most=highest, or_none=or_none):
            return st.floats(lowest, highest) | (st.none() if or_none else st.nothing())
        case BotName():
            return st.none() | st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,38}", fullmatch=True)
        case Moment():
            moments = st.datetimes(datetime(2000, 1, 2), datetime(2999, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
            return st.none() | moments
        case WordsSetting(most_chars=most_chars):
            return st.text(min_size=1, max_size=most_chars).filter(lambda text: text.isprintable() and text.strip())
        case _:
            raise LookupError(name)


def a_league(values: dict[str, Value], name: str = "bronze") -> LeagueSettings:
    return LeagueSettings(LeagueId(1), GAME, name, values)


all_values = st.fixed_dictionaries({name: any_value(name) for name in SETTINGS})


@given(bronze=all_values, gold=all_values)
def test_a_file_that_was_printed_asks_for_no_change(bronze: dict[str, Value], gold: dict[str, Value]) -> None:
    leagues = [a_league(bronze), a_league(gold, "gold")]
    file = read(text_of(GAME, leagues))
    assert (file.game, file.leagues) == (GAME, {"bronze": bronze, "gold": gold})
    assert changes(file, leagues) == []


@given(old=all_values, new=all_values)
def test_changes_show_the_old_and_the_new_value_of_each_setting(old: dict[str, Value], new: dict[str, Value]) -> None:
    file = read(text_of(GAME, [a_league(new)]))
    expected = [SettingChange("bronze", name, old[name], new[name]) for name in SETTINGS if old[name] != new[name]]
    assert changes(file, [a_league(old), a_league(old | {"title": "another league's"}, "gold")]) == expected


def test_a_printed_file_explains_every_setting() -> None:
    values: dict[str, Value] = dict.fromkeys(SETTINGS, 1)
    text = text_of(GAME, [a_league(values)])
    for setting in IN_ORDER:
        assert f"# {setting.name}: {setting.about}" in text
    assert list(tomllib.loads(text)["leagues"]["bronze"]) == list(SETTINGS)


def test_a_file_may_hold_no_more_than_what_is_to_change() -> None:
    assert of_gold('clock = "wall"') == {"clock": "wall"}
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
        ("memory = 512", "unknown setting of gold 'memory'; known: title, rules_level, boss, promotion"),
        ("id = 7", "unknown setting of gold 'id'"),
        ("memory_mb = 15", "memory_mb of gold is 15; it must be a whole number from 16 to"),
        ('memory_mb = "512"', 'memory_mb of gold is "512"; it must be a whole number'),
        ("memory_mb = 512.5", "memory_mb of gold is 512.5; it must be a whole number"),
        (
            "first_limit_ms = 0",
            'first_limit_ms of gold is 0; it must be a whole number from 1 to 60000, or "" for none',
        ),
        ("turn_limit_ms = 60_001", "turn_limit_ms of gold is 60001; it must be a whole number from 1 to 60000"),
        ("turn_limit_ms = 50.5", "turn_limit_ms of gold is 50.5; it must be a whole number from 1 to 60000"),
        ('memory_mb = ""', 'memory_mb of gold is ""; it must be a whole number from 16 to'),
        ("threads = 0", "threads of gold is 0; it must be"),
        ("threads = true", "threads of gold is true; it must be"),
        ("battles = -1", "battles of gold is -1; it must be"),
        ("stderr_turn_bytes = -1", "stderr_turn_bytes of gold is -1; it must be"),
        ("early_line_loses = 1", "early_line_loses of gold is 1; it must be true or false"),
        ('clock = "sun"', 'clock of gold is "sun"; it must be "fair" or "wall"'),
        ("clock = []", "clock of gold is []; it must be"),
        ('title = ""', 'title of gold is ""; it must be 1 to 40 printable characters'),
        ('title = "Gold\\nGold"', "title of gold is"),
        (f'title = "{"x" * 41}"', "it must be 1 to 40 printable characters"),
        ("rules_level = 4", "rules_level of gold is 4; ocean-of-code has the levels 1, 2, 3"),
        ("rules_level = 0", "rules_level of gold is 0; it must be a whole number from 1 to 100"),
        ("boss = 7", 'boss of gold is 7; it must be the name of a bot, or "" for none'),
        (
            'promotion = "luck"',
            'promotion of gold is "luck"; it must be "rank_above_boss" or "settled_above_boss" or "boss_wins"',
        ),
        ('promotion = ""', 'promotion of gold is ""; it must be'),
        ("boss_wins = 0", "boss_wins of gold is 0; it must be a whole number from 1"),
        ("demotion = 1", "demotion of gold is 1; it must be true or false"),
        ('opens_at = "soon"', 'opens_at of gold is "soon"; it must be a date and time with its zone'),
        ('opens_at = "2027-03-01T18:00:00"', 'opens_at of gold is "2027-03-01T18:00:00"; it must be a date and time'),
        ('opens_at = "2027-03-01"', 'opens_at of gold is "2027-03-01"; it must be a date and time with its zone'),
        ('opens_at = "0001-01-01T00:00:00+23:00"', "it must be a date and time with its zone, such as 2027-03-01T18:"),
        ("opens_at = 2027-03-01T18:00:00", "opens_at of gold is 2027-03-01T18:00:00; it must be a date and time with"),
        ("opens_at = 2027-03-01", "opens_at of gold is 2027-03-01; it must be a date and time with its zone"),
        ("opens_at = 0001-03-01T18:00:00Z", "opens_at of gold is"),
        ('time_policy = "kind"', 'time_policy of gold is "kind"; it must be "strict" or "codingame"'),
        ('ranked_by = "luck"', 'ranked_by of gold is "luck"; it must be "live" or "settled"'),
        ("rank_width = -1", "rank_width of gold is -1; it must be a whole number from 0"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_what_it_must_be(line: str, sentence: str) -> None:
    with pytest.raises(UsageFault) as refusal:
        of_gold(line)
    assert sentence in str(refusal.value)


def test_when_a_league_opens_is_a_moment_with_or_without_quotes() -> None:
    """Far from UTC it is written in UTC: PostgreSQL knows no zone that is more than sixteen hours away."""
    quoted = ("2027-03-01T18:00:00Z", "2027-03-01 19:00:00+01:00", "2027-03-02T17:00+23:00", "20270301T180000Z")
    for moment in ("2027-03-01T19:00:00+01:00", "2027-03-02T17:00:00+23:00", *(f'"{one}"' for one in quoted)):
        opens_at = of_gold(f"opens_at = {moment}")["opens_at"]
        assert (opens_at, str(opens_at)) == (datetime(2027, 3, 1, 18, tzinfo=UTC), "2027-03-01 18:00:00+00:00")


def test_when_a_league_opens_may_be_nothing() -> None:
    assert of_gold('opens_at = ""') == {"opens_at": None}


def test_an_unknown_setting_is_an_unknown_name() -> None:
    with pytest.raises(UnknownName, match="known: title"):
        of_gold("speed = 3")


def test_the_lowest_league_is_always_open() -> None:
    lowest = 'game = "ocean-of-code"\n[leagues.wood-2]\nopens_at = {}\n'
    with pytest.raises(UsageFault, match="opens_at of wood-2 must be empty: every bot of ocean-of-code begins there"):
        read(lowest.format("2027-03-01T19:00:00Z"))
    assert read(lowest.format('""')).leagues == {"wood-2": {"opens_at": None}}


def two_leagues(boss_of_silver: str | None = "s") -> list[LeagueSettings]:
    return [a_league({"boss": boss_of_silver}, "silver"), a_league({"boss": "g"}, "gold")]


def test_a_bot_cannot_guard_two_leagues_but_bosses_can_change_places() -> None:
    leagues = two_leagues()
    check_bosses([], leagues)
    check_bosses([SettingChange("silver", "boss", "s", "g"), SettingChange("gold", "boss", "g", "s")], leagues)
    with pytest.raises(UsageFault, match="s would be the boss of silver and of gold; a bot can guard one league"):
        check_bosses([SettingChange("gold", "boss", "g", "s")], leagues)


@pytest.mark.parametrize("title", ["Deep Water", "deep water", "Gold", "GOLD "])
def test_a_league_cannot_have_the_title_or_name_of_another(title: str) -> None:
    leagues = [a_league({"title": "Silver"}, "silver"), a_league({"title": "Deep Water"}, "gold")]
    with pytest.raises(UsageFault, match=r"^title of silver would be .*, which is what people call gold: ") as refusal:
        changes(LeagueFile(GAME, {"silver": {"title": title}}), leagues)
    assert "\n" not in str(refusal.value)


def test_leagues_can_change_titles_in_one_file() -> None:
    leagues = [a_league({"title": "Low"}, "silver"), a_league({"title": "High"}, "gold")]
    swapped = {"silver": {"title": "High"}, "gold": {"title": "Low"}}
    assert len(changes(LeagueFile(GAME, swapped), leagues)) == 2


def test_leagues_can_have_their_own_names_as_titles() -> None:
    leagues = [a_league({"title": "Low"}, "silver"), a_league({"title": "High"}, "gold")]
    own = {"silver": {"title": "Silver"}, "gold": {"title": "gold"}}
    assert len(changes(LeagueFile(GAME, own), leagues)) == 2


def test_a_league_below_another_needs_a_boss_and_the_highest_does_not() -> None:
    check_bosses([SettingChange("gold", "boss", "g", None)], two_leagues())
    check_bosses([SettingChange("silver", "boss", "s", "g"), SettingChange("gold", "boss", "g", None)], two_leagues())
    with pytest.raises(UsageFault, match="silver would have no boss, and then no version could go up from silver to g"):
        check_bosses([SettingChange("silver", "boss", "s", None)], two_leagues())


def test_a_league_that_lost_its_boss_long_ago_can_be_changed_but_not_its_promotion() -> None:
    check_bosses([SettingChange("silver", "battles", 100, 50)], two_leagues(None))
    check_bosses([SettingChange("silver", "boss", None, "s")], two_leagues(None))
    with pytest.raises(UsageFault, match="silver would have no boss"):
        check_bosses([SettingChange("silver", "promotion", "rank_above_boss", "boss_wins")], two_leagues(None))


def test_no_more_wins_against_the_boss_can_be_asked_for_than_a_versions_own_battles_can_bring() -> None:
    values: dict[str, Value] = {"promotion": "rank_above_boss", "battles": 5, "boss_wins": 7}
    league = a_league(values, "silver")
    check_boss_wins([], [league])
    check_boss_wins([SettingChange("silver", "battles", 5, 4)], [league])
    by_wins = SettingChange("silver", "promotion", "rank_above_boss", "boss_wins")
    check_boss_wins([by_wins, SettingChange("silver", "boss_wins", 7, 6)], [league])
    sentence = "boss_wins of silver would be 7, but of 5 battles a version plays at most 3 against the boss"
    with pytest.raises(UsageFault, match=sentence):
        check_boss_wins([by_wins], [league])
    check_boss_wins([by_wins], [replace(league, battle_matches=3)])
    few = replace(league, values={**values, "boss_wins": 10}, battle_matches=3)
    with pytest.raises(UsageFault, match="at most 3 against the boss, which are 9 matches: lower boss_wins or raise"):
        check_boss_wins([by_wins], [few])
