"""Sources that are alike: what is found in spite of changes, and what is not taken for a copy."""

import re

import pytest

from engine.toolchains.bot_folder import PROGRAM
from engine.toolchains.languages import languages
from ladder.bots.similar import MOST_OWNERS, fingerprints, likenesses
from tests.catalogue import GAMES
from tests.ladder.arena import GAME

BOTS = GAMES.find(GAME).bots_folder
TRACKER = (BOTS / "tracker_v1.py").read_text("utf-8")
DRIFTER = (BOTS / "drifter_v1.py").read_text("utf-8")
OWNERS = {1: "kim", 2: "lee"}


def disguised(source: str) -> str:
    """Give all names of one's own, numbers, texts and comments of a source another form."""
    renamed = re.sub(r"\b(self|cell|turn|path|order|opponent|line)(s?)\b", r"my_\1_\2", source)
    return re.sub(r"#.*", "# mine", renamed).replace("10", "11").replace('"', "'").replace("\n\n", "\n\n\n")


@pytest.mark.parametrize("language", sorted(set(languages()) - {PROGRAM}))
def test_sources_of_every_language_can_be_compared(language: str) -> None:
    begin = "<?php\n" if language == "php" else ""
    assert fingerprints(begin + "total = total + values[index] * 2;\n" * 20, language)


def test_a_copy_with_other_names_numbers_comments_and_layout_is_found_whole() -> None:
    assert disguised(TRACKER) != TRACKER
    own, copy = (fingerprints(source, "python") for source in (TRACKER, disguised(TRACKER)))
    [found] = likenesses({1: own, 2: copy}, OWNERS)
    assert found.share > 0.95


def test_a_part_that_was_taken_over_is_found_in_a_larger_source() -> None:
    functions = TRACKER.split("\n\n\n")
    stolen = "\n\n\n".join(functions[: len(functions) // 2])
    part, larger = (fingerprints(one, "python") for one in (stolen, TRACKER[len(stolen) :] + disguised(stolen)))
    [found] = likenesses({1: part, 2: larger}, OWNERS)
    assert found.first_share > 0.9
    assert found.second_share < found.first_share


def test_bots_that_were_written_apart_are_not_alike_and_a_source_that_is_too_short_says_nothing() -> None:
    marcher = (GAMES.find("ice-and-fire").bots_folder / "marcher.py").read_text("utf-8")
    assert not likenesses({1: fingerprints(TRACKER, "python"), 2: fingerprints(marcher, "python")}, OWNERS)
    assert not fingerprints("print(7, 7)", "python")
    assert not likenesses({1: frozenset({1, 2}), 2: frozenset({1, 2})}, OWNERS)


def test_versions_of_one_player_are_not_compared_and_what_was_given_to_all_does_not_count() -> None:
    same = fingerprints(TRACKER, "python")
    assert likenesses({1: same, 2: same}, OWNERS)
    assert not likenesses({1: same, 2: same}, {1: "kim", 2: "kim"})
    assert not likenesses({1: same, 2: same}, OWNERS, everybodys=same)
    many = range(MOST_OWNERS + 1)
    assert not likenesses(dict.fromkeys(many, same), {one: f"player{one}" for one in many})


def test_the_most_alike_come_first() -> None:
    whole = fingerprints(TRACKER, "python")
    half = fingerprints(TRACKER[: len(TRACKER) // 2] + DRIFTER, "python")
    found = likenesses({1: half, 2: whole, 3: whole}, {1: "kim", 2: "lee", 3: "mia"})
    assert (found[0].first, found[0].second) == (2, 3)
    assert [one.share for one in found] == sorted((one.share for one in found), reverse=True)
