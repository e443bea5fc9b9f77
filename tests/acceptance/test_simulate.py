"""`ladder simulate`: small ladders through the command."""

import json
import os
import signal
import sys
from pathlib import Path
from xml.etree import ElementTree

import psutil
import pytest

from tests.acceptance.conftest import Desk, Shell
from tests.patience import patience_s, wait_until

SAMPLE = Path(__file__).parents[1] / "golden" / "ocean-of-code.jsonl.gz"
SMALL = ("simulate", "--bots", "20", "--battles", "10", "--repeats", "2", "--resubmissions", "2", "--seed", "5")


def test_every_matchmaker_and_rating_is_listed_and_the_same_seed_gives_the_same_figures(desk: Desk) -> None:
    first = desk.json(*SMALL, "--jobs", "1")
    assert first == desk.json(*SMALL, "--jobs", "3")
    kinds = {(row["matchmaker"], row["rating"]) for row in first}
    assert kinds == {
        (name, rating)
        for name in ("random", "codingame", "informed")
        for rating in ("trueskill", "openskill", "settle")
    }
    assert {row["battles"] for row in first} == {1, 2, 5, 10}
    assert all(-1 <= row["tau"] <= 1 and row["low"] <= row["middle"] <= row["high"] for row in first)
    assert {row["true_rank"] for row in first} == {5}


def test_some_of_them_are_shown_as_a_table_and_drawn(desk: Desk, tmp_path: Path) -> None:
    picture = tmp_path / "plot.svg"
    done = desk.run(*SMALL, "--matchmaker", "informed", "--rating", "settle", "--leagues", "2", "--plot", picture)
    assert (done.returncode, done.stderr) == (0, f"the picture is in {picture}\n")
    table = done.stdout
    assert "informed" in table
    assert "right league" in table
    assert "codingame" not in table
    assert "trueskill" not in table
    drawn = ElementTree.parse(picture).getroot()  # noqa: S314 - our own
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("informed, settle") == 2
    assert "bot number 5 submitted again" in texts


def test_counts_of_one_are_singular_and_columns_without_submissions_are_left_out(desk: Desk, tmp_path: Path) -> None:
    few = (*SMALL[:6], "1", "--seed", "5", "--jobs", "1", "--matchmaker", "random", "--rating", "trueskill")
    once = desk.ok(*few, "--resubmissions", "1")
    assert "20 bots, 1 ladder of each kind; a bot that is really number 5 submitted again 1 time\n" in once
    assert "median" in once
    picture, wide = tmp_path / "narrow.svg", tmp_path / "wide.svg"
    never = desk.ok(*few, "--resubmissions", "0", "--plot", picture)
    assert "20 bots, 1 ladder of each kind\n" in never
    assert not any(word in never for word in ("again", "median", "5-95"))
    assert len(never.splitlines()) == len(once.splitlines())
    desk.ok(*few, "--resubmissions", "1", "--plot", wide)
    assert b'width="480"' in picture.read_bytes()
    assert b'width="960"' in wide.read_bytes()


def test_idle_battles_are_made_by_the_matchmaker_that_uses_them(desk: Desk) -> None:
    few = (*SMALL[:6], "1", "--rating", "trueskill", "--jobs", "1", "--idle", "7", "--matchmaker", "random", "--json")
    rows = json.loads(desk.ok(*few, "--matchmaker", "informed"))
    assert {row["matchmaker"] for row in rows if row["battles"] == 17} == {"informed"}
    assert desk.refused(2, *few) == (
        "ladder: only informed makes idle battles: leave --idle out, or add --matchmaker informed\n"
    )


def test_a_rating_whose_package_is_not_here_is_left_out_or_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill", None)
    few = (*SMALL[:6], "1", "--jobs", "1", "--matchmaker", "random", "--json")
    assert {row["rating"] for row in json.loads(desk.ok(*few))} == {"trueskill", "settle"}
    assert "deploy/setup.sh openskill" in desk.refused(5, *few, "--rating", "openskill")


def test_input_that_makes_no_sense_gets_one_sentence(desk: Desk) -> None:
    for words, sentence in (
        (("--matchmaker", "swiss"), "unknown matchmaker 'swiss'; known: random, codingame, informed"),
        (("--rating", "elo"), "unknown rating 'elo'; known: trueskill, openskill, settle"),
        (("--plot", "plot.png"), "ends in .svg"),
        (("--plot", "/nowhere/plot.svg"), "cannot be written"),
        (("--bots", "1"), "at least 2"),
        (("--settled",), "--settled goes with --leagues"),
        (("--draws", "1"), "1 must be a number from 0 to 0.9"),
        (("--tau", "nan"), "nan must be a number from 0 to 10000"),
        (("--spread", "wide"), "wide must be a number from 0.01 to 100"),
    ):
        assert sentence in desk.refused(2, "simulate", *words)


@pytest.mark.parametrize(
    ("words", "whole_group"),
    [(("simulate", "--bots", "300"), True), (("game", "verify", "{records}"), False)],
    ids=["simulate, all processes", "verify, the command alone"],
)
def test_ctrl_c_ends_all_with_one_word(shell: Shell, tmp_path: Path, words: tuple[str, ...], whole_group: bool) -> None:
    records = tmp_path / "records.jsonl.gz"
    records.write_bytes(4 * SAMPLE.read_bytes())
    filled = (word.format(records=records) for word in words)
    command = shell.begin(*filled, "--jobs", "2", start_new_session=True)

    def work(children: list[psutil.Process]) -> bool:
        return len(children) == 2 and all(sum(child.cpu_times()[:2]) > 0.1 for child in children)

    children = wait_until(psutil.Process(command.pid).children, "two children that work", fits=work)
    if whole_group:
        os.killpg(command.pid, signal.SIGINT)
    else:
        command.send_signal(signal.SIGINT)
    _, stderr = command.communicate(timeout=patience_s())
    assert (command.returncode, stderr) == (130, "ladder: interrupted\n")
    assert not any(child.is_running() for child in children)
