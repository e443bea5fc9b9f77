"""The lists of words: the schema's own lists and what is registered for each word follow them."""

import re
from enum import StrEnum

from engine.bot.clock import Clock, Policy
from engine.conversation import Verdict
from engine.sandbox.choice import TIERS
from ladder import choices
from ladder.choices import Matchmaking, Promotion, RankedBy, RatingSystem, ScoreFormula
from ladder.database.connection import Pool, transaction
from ladder.leagues.settings import SETTINGS
from ladder.matchmaking.matchmaker import OPPONENTS
from ladder.promotions import rules
from ladder.ratings.models import SCORE_FORMULAS, SYSTEMS
from tests.ladder.arena import rows_of

IN_THE_SCHEMA: dict[tuple[str, str], type[StrEnum]] = {
    ("versions", "state"): choices.VersionState,
    ("matches", "state"): choices.MatchState,
    ("gauntlets", "state"): choices.GauntletState,
    ("gauntlets", "verdict"): choices.GauntletVerdict,
    ("leagues", "promotion"): Promotion,
    ("leagues", "matchmaking"): Matchmaking,
    ("leagues", "ranked_by"): RankedBy,
    ("leagues", "rating_system"): RatingSystem,
    ("leagues", "score_formula"): ScoreFormula,
    ("leagues", "time_policy"): Policy,
    ("leagues", "clock"): Clock,
    ("matches", "time_policy"): Policy,
    ("matches", "clock"): Clock,
    ("moves", "kind"): choices.MoveKind,
    ("hooks", "form"): choices.NoticeForm,
    ("hooks", "events"): choices.NoticeEvent,
    ("seats", "verdict"): Verdict,
}
WORDS = r"\({column} (?:= ANY \(ARRAY\[(.*?)\]\)|<@ '{{(.*?)}}'::text\[\])\)"


def words_in_schema(pool: Pool, table: str, column: str) -> set[str]:
    rows = rows_of(
        pool,
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'c'",
        table,
    )
    found = [match for (row,) in rows if (match := re.search(WORDS.format(column=column), row))]
    assert len(found) == 1, f"{table}.{column} has {len(found)} lists of words"
    alone, of_many = found[0].groups()
    return set(of_many.split(",") if of_many else re.findall(r"'([^']*)'::text", alone))


def test_the_schema_lets_exactly_the_known_words_through(pool: Pool) -> None:
    for (table, column), words in IN_THE_SCHEMA.items():
        assert words_in_schema(pool, table, column) == {word.value for word in words}, (table, column)


def test_every_list_of_words_is_compared_with_the_schema() -> None:
    listed = {
        value
        for value in vars(choices).values()
        if isinstance(value, type) and issubclass(value, StrEnum) and value not in {StrEnum, choices.ExplainedChoice}
    }
    assert listed <= set(IN_THE_SCHEMA.values())


def test_a_match_waits_in_every_state_but_those_of_its_end_and_is_found_by_an_index(pool: Pool) -> None:
    rows = rows_of(
        pool, "SELECT state FROM unnest(%s::text[]) AS state WHERE is_waiting(state)", list(choices.MatchState)
    )
    assert {state for (state,) in rows} == set(choices.MatchState) - {
        choices.MatchState.FINISHED,
        choices.MatchState.VOID,
    }
    with transaction(pool) as connection:
        connection.execute("SET LOCAL enable_seqscan = off")
        plan = connection.execute("EXPLAIN SELECT id FROM matches WHERE is_waiting(state)").fetchall()
    assert "matches_waiting" in str(plan)


def test_something_is_registered_for_each_word() -> None:
    assert set(SYSTEMS) == set(RatingSystem)
    assert set(SCORE_FORMULAS) == set(ScoreFormula)
    assert set(OPPONENTS) - {"random"} == set(Matchmaking), "`random` is for simulations alone"
    assert set(rules.EARNED) == set(Promotion)


def test_the_help_of_a_setting_explains_each_of_its_words() -> None:
    for setting, words in (
        ("promotion", Promotion),
        ("matchmaking", Matchmaking),
        ("rating_system", RatingSystem),
        ("score_formula", ScoreFormula),
    ):
        about = SETTINGS[setting].about
        assert all(f"{word.value}: {word.about}" in about for word in words), setting
        assert all(SETTINGS[setting].takes(word.value) for word in words)


def test_every_tier_of_the_sandbox_can_be_named_on_the_command_line() -> None:
    from cli.options.names import sandboxes

    assert set(sandboxes("")) == {"auto", *TIERS}
