"""The games do what the official referees did, question by question, as the golden records hold it.

The sample beside this file is always played. The whole set is played too where it lies: in `shared/golden` next to
the repository.
"""

from pathlib import Path

import pytest

from engine.games.golden import MapRecord, map_difference, numbered_records
from engine.records.repeat_match import record_difference
from tests.catalogue import GAMES

HERE = Path(__file__).parent
WHOLE_SET = HERE.parents[2] / "shared" / "golden"

SAMPLE = [path for game in GAMES.names for path in sorted(HERE.glob(f"{game}*.jsonl.gz"))]
FILES = SAMPLE + [path for game in GAMES.names for path in sorted((WHOLE_SET / game).glob("*.jsonl.gz"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_record_is_met(path: Path) -> None:
    """No question, score, winner or reason differs, and no map."""
    differences = []
    for number, record in numbered_records(path):
        game = GAMES.find(record.game)
        if isinstance(record, MapRecord):
            difference = map_difference(record, game.maps_or_refuse().facts(record.seed, game.leagues[-1].rules_level))
        else:
            difference = record_difference(record, game)
        if difference is not None:
            differences.append(f"line {number}: {difference}")
    assert differences == []


@pytest.mark.parametrize(
    ("game", "matches", "maps", "levels", "families", "ends"),
    [
        ("ocean-of-code", 454, 60, 4, "cap legal odd quirk", "dead disabled frame_limit turn_limit"),
        ("ice-and-fire", 128, 60, 4, "calm draw fatal lastcut mix siege soft timeout", "hq timeout turns unrecognised"),
    ],
)
def test_the_sample_covers_every_league_family_and_end(
    game: str, matches: int, maps: int, levels: int, families: str, ends: str
) -> None:
    """It is all that guards the games where the whole set is not at hand."""
    records = [record for path in HERE.glob(f"{game}*.jsonl.gz") for _, record in numbered_records(path)]
    played = [record for record in records if not isinstance(record, MapRecord)]
    assert {record.game for record in records} == {game}
    assert len(played) == matches
    assert len(records) - len(played) == maps
    assert {match.rules_level for match in played} == set(range(1, levels + 1))
    assert {match.id.split("-")[0] for match in played} == set(families.split())
    assert {match.end for match in played} == set(ends.split())
