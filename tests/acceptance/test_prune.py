"""`ladder prune`, as it is typed, and what commands, pages and programs say of a match whose turns were let go."""

from pathlib import Path

import pytest

from ladder.database.connection import Pool
from ladder.ids import MatchId
from tests.acceptance.conftest import Desk
from tests.ladder.arena import GAME, league_named, on_the_board, within
from tests.ladder.battles import insert_battle
from tests.ladder.rated import change
from tests.web.a_ladder import record_as, records_of
from tests.web.serving import serving
from tests.web.test_matches import text_of

pytestmark = pytest.mark.usefixtures("broker_url")


@pytest.fixture
def old_match(pool: Pool) -> MatchId:
    """The first of two, in which each bot lost once."""
    both = on_the_board(pool, "kraken"), on_the_board(pool, "orca")
    league = league_named(pool, "wood-2")
    decided = next(one for one in records_of(GAME, league.rules_level, 1000) if one.scores[0] != one.scores[1])
    played = within(pool, insert_battle, league.id, both, seed=decided.seed)
    for match_id in played:
        record_as(pool, match_id, decided, is_hostile=False)
    change(pool, "UPDATE matches SET finished_at = finished_at - interval '3 years'")
    return played[0]


LET_ALL_GO = {"LADDER_KEEP_NEWEST": "0", "LADDER_RECORD_DAYS": "365"}


def test_an_archived_match_is_looked_at_as_before_and_the_ladder_says_what_is_gone(
    desk: Desk, pool: Pool, old_match: MatchId, tmp_path: Path
) -> None:
    number, folder = str(old_match), tmp_path / "old"
    before = desk.json("match", "view", number)
    assert "the turns of 2 matches and the stderr of 2 matches" in desk.ok("prune", "--dry-run", **LET_ALL_GO)
    assert desk.json("match", "view", number) == before
    done = desk.json("prune", "--archive", folder, **LET_ALL_GO)
    assert (done["records"], done["stderr"]) == (2, 2)
    assert desk.ok("prune", **LET_ALL_GO) == "nothing is due\n"

    archived = desk.json("match", "view", folder / f"{number}.match")
    assert archived["turns"] == before["turns"]
    assert "kraken@v1" in desk.ok("match", "show", folder / f"{number}.match")
    shown = " ".join(desk.ok("match", "show", number).split())
    assert "its turns and what its bots wrote to stderr were let go on 2" in shown
    assert f"match {number}" in shown
    for words in (["view", number], ["rematch", number], ["rejudge", number], ["input", number, "--seat", "0"]):
        refused = desk.run("match", *words)
        assert refused.returncode == 3, words
        assert refused.stderr.startswith(
            f"ladder: of match {number} its turns and what its bots wrote to stderr were let go"
        ), words
        assert refused.stderr.count("\n") == 1
    losses = [desk.run("losses", bot) for bot in ("kraken", "orca")]
    assert [done.returncode for done in losses] == [0, 0]
    assert "".join(done.stderr for done in losses).count("left out: 1 match whose turns were let go") == 2
    desk.ok("rating", "verify")
    assert "prune" in desk.ok("deeds")
    with serving(pool) as site:
        page = site.get(f"/matches/{number}")
        assert page.status_code == 200
        assert "cannot be shown turn by turn: its turns and what its bots wrote to stderr were let go on" in text_of(
            page.text
        )
        parts = ["replay", "seats/0/stderr", "seats/0/input"]
        answers = [site.get(f"/api/v1/matches/{number}/{part}") for part in parts]
        assert [answer.status_code for answer in answers] == [410, 410, 410]
        assert all("let go on" in answer.json()["detail"] for answer in answers)
        assert site.get(f"/api/v1/matches/{number}").json()["record_pruned_at"]


def test_bad_input_is_one_sentence_and_changes_nothing(desk: Desk, old_match: MatchId) -> None:
    nowhere = "/dev/full/below"
    rows: list[tuple[list[str], dict[str, str], int, str]] = [
        (
            ["--stderr-days", "-1"],
            {},
            2,
            "LADDER_STDERR_DAYS is '-1'; it must be a number from 0 to 1000000, or `forever`",
        ),
        ([], {"LADDER_RECORD_DAYS": "-1"}, 2, "LADDER_RECORD_DAYS is '-1'; it must be a number from 0 to 1000000"),
        (["--gauntlet", "99"], {}, 2, "there is no gauntlet 99"),
        (["--archive", nowhere], LET_ALL_GO, 4, f"the archive {nowhere} cannot be written: Not a directory"),
    ]
    for words, variables, status, sentence in rows:
        refused = desk.run("prune", *words, **variables)
        assert (refused.returncode, refused.stdout) == (status, "")
        assert sentence in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
        assert desk.json("match", "view", str(old_match))["turns"]
