"""Filters: how they are read, and what is said of those that cannot be."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.errors import FilterFault
from ladder.matches.filters import FieldComparison, Filter, Joined, Not, Option, as_sql, bot_in, from_options, parse

BRONZE = FieldComparison("league", "=", "bronze")
SEED_7 = FieldComparison("seed", "=", 7)
KRAKEN = FieldComparison("opponent", "=", "kraken")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("league = bronze", BRONZE),
        ("LEAGUE=Bronze", BRONZE),
        ("league != 'Wood 2'", FieldComparison("league", "!=", "wood 2")),
        ("not seed = 7", Not(SEED_7)),
        ("not not seed = 7", Not(Not(SEED_7))),
        ("league = bronze and seed = 7", Joined("and", (BRONZE, SEED_7))),
        ("league = bronze or seed = 7 and opponent = kraken", Joined("or", (BRONZE, Joined("and", (SEED_7, KRAKEN))))),
        (
            "(league = bronze or seed = 7) and opponent = kraken",
            Joined("and", (Joined("or", (BRONZE, SEED_7)), KRAKEN)),
        ),
        ("not league = bronze and seed = 7", Joined("and", (Not(BRONZE), SEED_7))),
        ("time >= 2026-11-01", FieldComparison("time", ">=", datetime(2026, 11, 1, tzinfo=UTC))),
        ("time < '2026-11-01 18:30'", FieldComparison("time", "<", datetime(2026, 11, 1, 18, 30, tzinfo=UTC))),
        ("time < 2026-11-01T18:30+02:00", FieldComparison("time", "<", datetime(2026, 11, 1, 16, 30, tzinfo=UTC))),
        ("opponent != Kraken@v12", FieldComparison("opponent", "!=", "kraken@v12")),
        ("metric.depth > 5", FieldComparison("metric.depth", ">", 5.0)),
        ("metric.depth <= -2.5e3", FieldComparison("metric.depth", "<=", -2500.0)),
        ("metric.Mode = attack", FieldComparison("metric.Mode", "=", "attack")),
        ("metric.depth = '5'", FieldComparison("metric.depth", "=", "5")),
        ("'metric.time(ms)' > 5", FieldComparison("metric.time(ms)", ">", 5.0)),
        ("seed = -9223372036854775808", FieldComparison("seed", "=", -(2**63))),
        ("match >= 17", FieldComparison("match", ">=", 17)),
        ("game = ocean-of-code", FieldComparison("game", "=", "ocean-of-code")),
        ("bot = Kraken", FieldComparison("bot", "=", "kraken")),
        ("result = Lost", FieldComparison("result", "=", "lost")),
        ("fault = any", FieldComparison("fault", "=", "any")),
        ("reason = turn_limit", FieldComparison("reason", "=", "turn limit")),
        ("turns > 100", FieldComparison("turns", ">", 100)),
        ("rated != no", FieldComparison("rated", "!=", value=False)),
        ("seat = 1", FieldComparison("seat", "=", "1")),
        ("gauntlet = 12", FieldComparison("gauntlet", "=", 12)),
    ],
)
def test_a_filter_is_read_as_people_mean_it(text: str, expected: Filter) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", 1, "it ends where a field (game, league"),
        ("   ", 1, "it ends"),
        ("leage = bronze", 1, "'leage'"),
        ("league bronze", 8, "'bronze' where one of =, !="),
        ("league > bronze", 8, "'>'"),
        ("league = ", 9, "it ends where a league"),
        ("league = Wood 2", 15, "'2' where \"and\", \"or\" or the end (what has blanks stands in quotes: 'Wood 2')"),
        ("(league = Wood 2)", 16, "(what has blanks stands in quotes"),
        ("league = bronze adn seed = 7", 17, '\'adn\' where "and", "or" or the end'),
        ("league = bronze and", 20, "it ends where a field"),
        ("(league = bronze", 17, 'it ends where "and", "or" or ")"'),
        ("league = bronze)", 16, "')'"),
        ("seed = seven", 8, "'seven' where a whole number"),
        ("seed = 9223372036854775808", 8, "whole number of 64 bits"),
        ("time = 2026-11-01", 6, "'='"),
        ("time > yesterday", 8, "'yesterday' where a day or time"),
        ("time > 2026-13-01", 8, "day or time"),
        ("opponent = kraken@", 12, "where a bot or version"),
        ("metric. > 5", 1, "'metric.'"),
        ("metric.depth = (", 16, "'(' where a number or word"),
        ("seed = 7; drop table matches", 9, "';'"),
        ("league = 'bronze", 10, '"\'"'),
        ("not", 4, "it ends"),
        ("result = loss", 10, "'loss' where one of won, drawn, lost should be"),
        ("fault = slow", 9, "'slow' where one of any, timeout, crashed, illegal, memory, flooded, unknown should be"),
        ("rated = maybe", 9, "one of yes, no"),
        ("turns > many", 9, "whole number"),
        ("time > 5x", 8, "how long ago, such as 90m or 2d"),
        ("'league' = bronze", 1, "'league' where a field"),
    ],
)
def test_what_cannot_be_read_is_pointed_at(text: str, place: int, words: str) -> None:
    with pytest.raises(FilterFault) as caught:
        parse(text)
    assert f"at character {place}: " in str(caught.value)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["(" * 1_000, "not " * 400 + "seed = 7", "seed = 1 or " * 500], ids=["(", "not", "long"]
)
def test_a_filter_that_is_too_long_or_deep_is_refused_in_words(text: str) -> None:
    with pytest.raises(FilterFault, match=r"levels deep|the limit is"):
        parse(text)


@given(st.text(alphabet="abs ()=<>!'\"not and or league seed metric.x 0123456789-+.@:", max_size=60))
def test_whatever_is_typed_is_read_or_refused_in_words(text: str) -> None:
    try:
        condition, values = as_sql(parse(text))
    except FilterFault as fault:
        refusal = str(fault)
    else:
        refusal = ""
        assert set(re.findall(r"%\((\w+)\)s", condition.as_string(None))) == set(values)
    assert not refusal or re.fullmatch(r"(cannot read the filter|the filter is) .*at character [0-9]+.*", refusal)


def test_every_value_is_a_parameter() -> None:
    """So nothing that people type becomes SQL."""
    hostile = """opponent = kraken@v3 and metric.x = "'; DROP TABLE matches; --" and seed < 5"""
    condition, values = as_sql(parse(hostile))
    text = condition.as_string(None)
    assert "DROP" not in text
    assert "kraken" not in text
    assert set(values.values()) == {"kraken", 3, "x", "'; DROP TABLE matches; --", 5}


def test_how_long_ago_is_counted_by_the_clock_of_the_database() -> None:
    for text, seconds in (("90m", 5_400), ("1h", 3_600), ("2d", 172_800), ("30s", 30), ("1w", 604_800)):
        condition, values = as_sql(parse(f"time >= {text}"))
        assert condition.as_string(None) == "matches.finished_at >= now() - %(filter_0)s"
        assert values == {"filter_0": timedelta(seconds=seconds)}


def test_options_are_the_same_language() -> None:
    options = [Option("--against", "opponent", "=", "Wahoo"), Option("--longer-than", "turns", ">", "100")]
    assert from_options(options) == parse("opponent = wahoo and turns > 100")
    assert from_options(options[1:], "bot = kraken or seed = 7") == parse("turns > 100 and (bot = kraken or seed = 7)")
    assert from_options(options[:1]) == parse("opponent = wahoo")
    assert from_options([]) is None


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (Option("--fault", "fault", "=", "slow"), "--fault says 'slow' where one of any, timeout, crashed, "),
        (Option("--since", "time", ">=", "yesterday"), "--since says 'yesterday' where a day or time such as "),
        (Option("--longer-than", "turns", ">", "many"), "--longer-than says 'many' where a whole number "),
    ],
)
def test_an_option_that_cannot_be_read_is_named(option: Option, sentence: str) -> None:
    with pytest.raises(FilterFault, match=re.escape(sentence)):
        from_options([option])


def test_a_filter_all_of_whose_matches_are_of_one_bot_says_which() -> None:
    assert bot_in(parse("bot = Kraken@v3 and result = lost")) == "Kraken@v3"
    assert bot_in(parse("bot = kraken")) == "kraken"
    for text in ("seed = 7", "bot = kraken or seed = 7", "not bot = kraken", "bot != kraken", "bot = a and bot = b"):
        assert bot_in(parse(text)) is None
