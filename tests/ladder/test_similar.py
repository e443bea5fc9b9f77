"""Which players' bots are alike, as operators are told."""

from ladder.bots.similar import SimilarPair, similar_sources
from ladder.database.connection import Pool
from tests.catalogue import GAMES
from tests.ladder.arena import DRIFTER, GAME, submitted, within

OTHER = (GAMES.find(GAME).bots_folder / "tracker_v1.py").read_text("utf-8")
STARTER = (GAMES.find(GAME).folder / "starters" / "starter.py").read_text("utf-8")


def similar(pool: Pool) -> list[SimilarPair]:
    return within(pool, similar_sources, GAMES, GAME)


def test_a_copy_by_another_player_is_named_with_both_shares(pool: Pool) -> None:
    submitted(pool, "kraken", OTHER, "kim")
    submitted(pool, "orca", f"{OTHER}\n# my own\n", "lee")
    [found] = similar(pool)
    assert (found.first, found.first_player, found.second, found.second_player) == (
        *("kraken@v1", "kim"),
        *("orca@v1", "lee"),
    )
    assert (found.first_share, found.second_share, found.language) == (1, 1, "python")


def test_the_newest_version_counts_and_bots_of_one_player_are_not_compared(pool: Pool) -> None:
    submitted(pool, "kraken", OTHER, "kim")
    submitted(pool, "mine-too", f"{OTHER}\n#\n", "kim")
    submitted(pool, "orca", f"{OTHER}\n# a copy\n", "lee")
    assert {(found.first_player, found.second_player) for found in similar(pool)} == {("kim", "lee")}
    submitted(pool, "orca", DRIFTER, "lee")
    assert not similar(pool)


def test_starters_and_bosses_are_nobodys_own(pool: Pool, bosses: None) -> None:
    boss = (GAMES.find(GAME).bots_folder / "tracker.py").read_text("utf-8")
    for source in (STARTER, boss):
        submitted(pool, "kraken", source, "kim")
        submitted(pool, "orca", f"{source}\n# a copy\n", "lee")
        assert not similar(pool)
