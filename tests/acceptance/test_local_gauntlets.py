"""Gauntlets and replays that are played at once in local processes, with no services and leaving no trace."""

import json
import os
import re
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.live import play
from engine.match import MatchSpec
from engine.sandbox.choice import open_sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import find_language
from ladder.bots.sources import fetch_source
from ladder.database.connection import Pool, open_pool, transaction
from ladder.flows.recording import record
from ladder.ids import VersionId
from tests.acceptance.conftest import NONSENSE, SURFACER, Desk, Shell, without_waits
from tests.catalogue import GAMES
from tests.ladder.arena import a_pair, accept_bosses, claimed, on_the_board, within
from tests.ladder.foragers import FOLDER as FORAGERS
from tests.patience import patience_s, wait_until
from tests.processes import players_of
from tests.throwaway import written
from workers.embedded import control
from workers.embedded.home import LadderHome

GAME = "ocean-of-code"
OF_GAME = ("--game", GAME)
LOCAL = ("--local", "--jobs", "1", *OF_GAME)


def gauntlet(desk: Desk, status: int, *words: str | Path) -> Any:
    done = desk.run("gauntlet", "run", "--jobs", "1", *words, "--local", "--json")
    assert done.returncode == status, done
    return json.loads(done.stdout)


def refused(desk: Desk, status: int, *words: str | Path) -> str:
    """Run a command that must fail with that status, nothing but one sentence, and return the sentence."""
    done = desk.run(*words)
    assert (done.returncode, done.stdout) == (status, ""), done
    assert done.stderr.startswith("ladder: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.fixture
def surfacer(bot: Path) -> Path:
    return bot


def test_a_weaker_file_fails_and_every_lost_pair_has_its_seed(desk: Desk, surfacer: Path, nonsense: Path) -> None:
    found = gauntlet(desk, 1, nonsense, "--against", surfacer, *OF_GAME, "--seeds", "5,-6,7,0,9")
    assert found["verdict"] == "failed"
    assert found["candidate"] == "nonsense.py"
    assert found["opponents"] == ["surfacer.py"]
    assert found["counts"] == [5, 0, 0, 0, 0]
    assert sorted(pair["seed"] for pair in found["lost_pairs"]) == [-6, 0, 5, 7, 9]
    assert found["faults"] == [{"version": "nonsense.py", "timeouts": 0, "faults": 10}]
    assert not desk.home.exists(), "nothing was written"


def test_bosses_of_the_game_need_no_ladder(desk: Desk, nonsense: Path) -> None:
    found = gauntlet(desk, 1, nonsense, "--against", "boss-wood-2,Boss-Legend", *OF_GAME, "--pairs", "3")
    assert found["opponents"] == ["boss-wood-2", "boss-legend"]
    assert found["counts"] == [6, 0, 0, 0, 0]
    assert not desk.home.exists(), "nothing was written"


def test_a_stronger_file_passes_early_on_any_cores(desk: Desk, surfacer: Path, nonsense: Path) -> None:
    words = (surfacer, "--against", nonsense, *OF_GAME, "--sprt", "0,400", "--seed", "5")
    alone, together = (gauntlet(desk, 0, *words, "--jobs", jobs) for jobs in ("1", "3"))
    assert alone["verdict"] == "passed"
    assert 0 < alone["pairs_played"] < 50
    for name in ("pairs_played", "counts", "llr", "estimate"):
        assert alone[name] == together[name]


def test_the_time_there_is_says_which_bounds_the_test_has(desk: Desk, nonsense: Path) -> None:
    twin = written(nonsense.with_name("twin.py"), NONSENSE)
    words = ("gauntlet", "run", nonsense, "--against", twin, *LOCAL, "--pairs", "15")
    done = desk.run(*words, "--minutes", "60")
    assert "SPRT -96 to 96 Elo" in done.stdout
    assert re.search(r"equally good takes about \d+ pairs \(\d+ (s|min)\), of at most 15\n", done.stderr)
    assert "leave --sprt and --vary out" in refused(desk, 2, *words, "--minutes", "5", "--sprt", "0,10")


def test_both_candidates_play_the_same_field_and_seeds(desk: Desk, surfacer: Path, nonsense: Path) -> None:
    twin = written(surfacer.with_name("twin.py"), SURFACER)
    words = (nonsense, "--baseline", surfacer, "--against", twin, *OF_GAME, "--pairs", "5")
    found = gauntlet(desk, 1, *words)
    assert found["baseline"] == "surfacer.py"
    assert found["pairs_played"] == found["slots"] == 10
    assert found["counts"] == [5, 0, 0, 0, 0], "the candidate's own"


def test_the_command_says_that_twins_are_undecided(desk: Desk, surfacer: Path) -> None:
    twin = written(surfacer.with_name("twin.py"), SURFACER)
    done = desk.run("gauntlet", "run", surfacer, "--against", twin, *LOCAL, "--pairs", "1")
    assert done.returncode == 6
    assert "undecided after 1 pair: too few to tell (surfacer.py against twin.py)" in done.stdout


def test_without_a_sandbox_it_says_so(desk: Desk, surfacer: Path, nonsense: Path) -> None:
    words = ("gauntlet", "run", nonsense, "--against", surfacer, *LOCAL, "--pairs", "1", "--json")
    assert "sandbox NONE: nothing contained these bots" in desk.run(*words, "--sandbox", "none").stderr
    assert "sandbox" not in desk.run(*words).stderr


def test_a_local_run_can_end_with_only_what_was_lost(desk: Desk, nonsense: Path, surfacer: Path) -> None:
    told = desk.run("gauntlet", "run", nonsense, "--against", surfacer, *LOCAL, "--seeds", "5,6", "--worse-only")
    assert told.returncode == 6
    *lines, total = told.stdout.splitlines()
    assert total == f"lost 2 of 2 pairs against {surfacer.name}"
    assert [line.partition(", ")[0] for line in lines] == [
        f"lost against {surfacer.name} on seed {seed}" for seed in (5, 6)
    ]
    assert "0 won, 0 drawn, 2 lost" in desk.run(*shlex.split(lines[0].split("`")[1])[1:]).stdout


@pytest.mark.parametrize(
    "words", [("{bot}", "--against", "{other}", "--local"), ("{bot}", "--vary", "DEPTH=1,2")], ids=["against", "vary"]
)
def test_ctrl_c_prints_what_was_found(shell: Shell, surfacer: Path, nonsense: Path, words: tuple[str, ...]) -> None:
    filled = [word.format(bot=surfacer, other=nonsense) for word in words]
    endless = (*OF_GAME, "--pairs", "20000", "--jobs", "2", "--json")
    running = shell.begin("gauntlet", "run", *filled, *endless, start_new_session=True)
    command = psutil.Process(running.pid)
    wait_until(lambda: players_of(command), "a match that is played")
    os.killpg(running.pid, signal.SIGINT)
    stdout, stderr = running.communicate(timeout=patience_s())
    assert (running.returncode, without_waits(stderr)) == (130, "ladder: interrupted\n")
    found = json.loads(stdout)
    assert (found["state"], found.get("verdict")) == ("stopped", None)


def test_impossible_input_gets_one_sentence(desk: Desk, surfacer: Path, nonsense: Path) -> None:
    empty = written(surfacer.with_name("empty-seeds"), "# none\n")
    strange, folder, pipe = (surfacer.with_name(name) for name in ("old.xyz", "folder", "pipe"))
    strange.write_text(SURFACER)
    folder.mkdir()
    os.mkfifo(pipe)
    paths = {"bot": surfacer, "other": nonsense, "empty": empty, "strange": strange, "folder": folder, "pipe": pipe}
    places = {name: str(path) for name, path in paths.items()}
    for words, status, told in (
        (("{bot}", "--local", "--pairs", "1"), 4, "there is no ladder in"),
        (("{bot}", "--local", "--against", "kraken@v7"), 4, "there is no ladder in"),
        (("{bot}", *LOCAL, "--against", "{bot}"), 3, "surfacer.py cannot play against itself"),
        (("{bot}", *LOCAL, "--against", "./missing.py"), 2, "cannot read missing.py"),
        (("{bot}", *LOCAL, "--against", "{strange}"), 2, "unknown file ending '.xyz'"),
        (("{folder}", *LOCAL, "--against", "{bot}"), 2, "folder: there are no files in it"),
        (("{bot}", *LOCAL, "--against", "{pipe}"), 2, "a source is a plain file"),
        (("{bot}", *LOCAL, "--against", "{other}", "--bot", ""), 2, "--bot is empty"),
        (("{bot}", *LOCAL, "--against", "{other}", "--league", ""), 2, "unknown league"),
        (("{bot}", *LOCAL, "--against", "{other}", "--baseline", "{bot}"), 3, "cannot be compared with itself"),
        (("{bot}", *LOCAL, "--against", "{other}", "--league", "tin"), 2, "unknown league"),
        (("{bot}", "--local", "--game", "chess", "--against", "{other}"), 2, "unknown game"),
        (("{bot}", *LOCAL, "--against", "{other}", "--seeds", "{empty}"), 2, "there is no seed in"),
        (("{bot}", *LOCAL, "--against", "{other}", "--sandbox", "sand"), 2, "unknown sandbox 'sand'"),
        (("{bot}", *LOCAL, "--against", "{other}", "--seed", "99999999999999999999"), 2, "not a signed 64-bit number"),
    ):
        assert told in refused(desk, status, "gauntlet", "run", *(word.format(**places) for word in words)), words


@pytest.mark.parametrize("words", [("gauntlet", "run", "one@v2"), ("tune", "run", "one@v2", "--param", "K=1..4")])
def test_options_of_local_play_are_refused_beside_what_workers_play(desk: Desk, words: tuple[str, ...]) -> None:
    given = [("--jobs", "2"), ("--sandbox", "none"), ("--bot", "two"), ("--game-folder", "."), ("--trusted",)]
    own: tuple[str, ...] = ("--state", "one.json") if words[0] == "tune" else ("--cases",)
    for option in (*given, own):
        assert f"ladder: {option[0]} goes with --local: " in refused(desk, 2, *words, *option)


@pytest.fixture(scope="module")
def ladder_home(open_folder: Path) -> Iterator[LadderHome]:
    """A home with two versions of surfacer, one of nonsense, and a match of theirs. Its services run, no workers."""
    home = LadderHome.at(open_folder / "stopped")
    pool = open_pool(control.up(home, prepare="ladder.actions.installation:bring_up_to_date").database_url)
    accept_bosses(pool)
    on_the_board(pool, "surfacer", SURFACER)
    later = on_the_board(pool, "surfacer", SURFACER + "# better\n")
    play_for_real(pool, later, on_the_board(pool, "nonsense", "print('nonsense', flush=True)\ninput()\n"))
    pool.close()
    yield home
    control.destroy(home)


@pytest.fixture
def stopped(ladder_home: LadderHome) -> Desk:
    control.down(ladder_home)
    return Desk(ladder_home.folder)


def play_for_real(pool: Pool, first: VersionId, second: VersionId) -> None:
    match_id, _ = a_pair(pool, first, second)
    claim = claimed(pool, match_id)
    sandbox = open_sandbox()
    with transaction(pool) as connection:
        sources = [fetch_source(connection, source_hash) for source_hash in claim.source_hashes]
    programs = [build(source, find_language("python"), sandbox) for source in sources]
    spec = MatchSpec(GAMES.find(claim.game), claim.rules_level, claim.seed, claim.first_limit_ms, claim.turn_limit_ms)
    assert within(pool, record, claim, play(spec, (programs[0], programs[1]), sandbox, claim.conditions))


def test_versions_of_the_database_play_and_nothing_is_written(ladder_home: LadderHome, nonsense: Path) -> None:
    control.up(ladder_home)
    words = (nonsense, "--against", f"surfacer@v1,boss,{nonsense.with_name('surfacer.py')}", "--pairs", "1")
    nonsense.with_name("surfacer.py").write_text(SURFACER)
    found = gauntlet(Desk(ladder_home.folder), 6, *words)
    assert found["opponents"] == ["surfacer@v1", "boss-wood-2@v1", "surfacer.py"]
    assert (found["game"], found["league"]) == (GAME, "Wood 2")
    assert Desk(ladder_home.folder).run("gauntlet", "list", "--json").stdout == "[]\n"


def test_without_services_a_file_meets_its_earlier_versions_and_boss(stopped: Desk, surfacer: Path) -> None:
    found = gauntlet(stopped, 6, surfacer, "--pairs", "1")
    assert found["opponents"] == ["surfacer@v2", "surfacer@v1", "boss-wood-2@v1"]
    assert [row["is_prior"] for row in found["against"]] == [True, True, False]
    assert found["deciding"] == ["surfacer@v2"], "it would be the third version"
    before = gauntlet(stopped, 6, "surfacer@v1", "--against", "surfacer@v2,boss", "--pairs", "1")
    assert before["deciding"] == ["surfacer@v2"], "there is none before it"
    deeper = gauntlet(stopped, 6, "surfacer@v1", "--param", "DEPTH=6", "--against", "surfacer@v1", "--pairs", "1")
    assert (deeper["candidate"], deeper["opponents"]) == ("surfacer@v1 (DEPTH=6)", ["surfacer@v1"])
    varied = stopped.json("gauntlet", "run", "surfacer@v2", "--vary", "DEPTH=6,8", "--pairs", "2", "--local")
    assert (varied["bot"], varied["league"]) == ("surfacer@v2", "Wood 2"), "the rules are those of its league"
    words = ("gauntlet", "run", surfacer, "--local", "--against")
    assert "unknown version" in refused(stopped, 2, *words, "surfacer@v9")
    assert "there are BOT@vN" in refused(stopped, 2, *words, "best:3")


def test_without_services_boards_and_matches_are_shown(ladder_home: LadderHome, stopped: Desk, desk: Desk) -> None:
    reading = (
        ("board", "--game", GAME),
        ("bot", "show", "surfacer"),
        ("match", "list"),
        ("match", "show", "1", "--turns"),
        ("match", "rejudge", "1"),
        ("league", "list"),
        ("gauntlet", "auto"),
        ("deeds",),
    )
    shown = [stopped.run(*words) for words in reading]
    assert [told.returncode for told in shown] == [0] * len(reading)
    for words, part in {0: "surfacer@v2", 1: "v1", 2: "nonsense@v1", 3: "nonsense"}.items():
        assert part in shown[words].stdout, reading[words]
    assert "no services run" in refused(stopped, 4, "board", "--watch")
    assert "there is no ladder in" in refused(desk, 4, "board")
    control.up(ladder_home)
    for command, before in zip(reading, shown, strict=True):
        assert without_estimate(stopped.run(*command).stdout) == without_estimate(before.stdout), command


def without_estimate(text: str) -> str:
    return re.sub(r", about [^)]*\)", ")", text)


def test_a_file_plays_versions_of_a_ladder_whose_services_are_down(stopped: Desk, nonsense: Path) -> None:
    (row,) = stopped.json("play", GAME, nonsense, "surfacer@v1")
    assert row["bots"] == ["nonsense.py", "surfacer@v1"]
    assert row["points_of_first"] == 0
    assert row["spec"]["rules_level"] == 1, "surfacer is in Wood 2, so these are the rules"
    versions = stopped.run("play", GAME, "nonsense", "surfacer", "--seed", "7", "--league", "bronze")
    assert versions.stdout.startswith("surfacer@v2 beats nonsense@v1 ("), "a bot's name means the version that plays"
    assert versions.stderr.startswith("the match that nonsense@v1 lost:\n  ladder match view local:")
    other_game = refused(stopped, 3, "play", "ice-and-fire", "surfacer@v1", "boss-bronze")
    assert "surfacer@v1 plays ocean-of-code, not ice-and-fire" in other_game


def test_another_file_replays_a_match_in_its_seat(stopped: Desk, surfacer: Path, nonsense: Path) -> None:
    again = stopped.json("match", "rematch", "1")
    assert again["parting_turn"] is None
    assert again["replayed"]["bots"] == again["stored"]["bots"] == ["surfacer@v2", "nonsense@v1"]
    assert again["replayed"]["outcome"] == again["stored"]["outcome"]
    surfacer.write_text(NONSENSE)
    words = stopped.run("match", "rematch", "1", "--with", surfacer).stdout
    assert "seed -5  surfacer.py - nonsense@v1" in words
    assert "surfacer.py: illegal" in words
    assert "match 1 had ended" in words
    assert "now turn 1 is the first that differs" in words
    on = stopped.json("match", "rematch", "1", "--with", surfacer, "--from-turn", "1")
    assert on["parting_turn"] == 1
    assert on["replayed"]["bots"] == ["surfacer.py", "nonsense@v1"]
    assert on["replayed"]["kept_as"]
    nonsense.write_text(SURFACER)
    swapped = stopped.json("match", "rematch", "1", "--with", nonsense)
    assert swapped["replayed"]["bots"] == ["surfacer@v2", "nonsense.py"]
    limits = {"first_limit_ms": 1000, "turn_limit_ms": 50}
    assert swapped["replayed"]["spec"] == {"game": GAME, "rules_level": 1, "seed": -5, "players": 2, **limits}


def test_a_replay_that_cannot_be_is_one_sentence(stopped: Desk, desk: Desk, surfacer: Path) -> None:
    other = written(surfacer.with_name("other.py"), SURFACER)
    words = ("match", "rematch", "1")
    assert "neither of them is a version of other" in refused(stopped, 2, *words, "--with", other)
    assert "surfacer@v2 - other.py" in stopped.run(*words, "--with", other, "--seat", "1").stdout
    assert "--seat says where" in refused(stopped, 2, *words, "--seat", "0")
    assert "there is no match 9" in refused(stopped, 2, "match", "rematch", "9")
    assert "match 2 is queued" in refused(stopped, 3, "match", "rematch", "2")
    assert "there is no ladder in" in refused(desk, 4, *words)


def test_a_lost_pair_comes_with_the_command_that_plays_it_again(desk: Desk, surfacer: Path) -> None:
    broken = written(surfacer.with_name("broken bot.py"), "input()\nprint('nonsense', flush=True)\ninput()\n")
    done = desk.run("gauntlet", "run", broken, "--against", surfacer, *LOCAL, "--league", "wood-2", "--pairs", "1")
    line = done.stdout.partition("lost against ")[2]
    assert line.startswith("surfacer.py on seed ")
    command = shlex.split(line.split("`")[1])
    assert command[:2] == ["ladder", "play"]
    again = desk.ok(*command[1:])
    assert "surfacer.py against" not in again
    assert "2 lost" in again


PICKER = """
import os
choose = {choose}
seat, seats = map(int, input().split())
bushes, count, rounds = map(int, input().split())
while True:
    number = int(input())
    for _ in range(seats):
        input()
    berries = list(map(int, input().split()))
    for _ in range(count):
        print("PICK", choose(range(bushes), key=berries.__getitem__), flush=True)
"""
WORST = "max if os.environ.get('WANTS') == 'most' else min"
OF_MANY = ("--local", "--game-folder", FORAGERS)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, choose in (("most", "max"), ("least", WORST), ("first", "lambda all, key: 0")):
        (tmp_path / f"{name}.py").write_text(PICKER.format(choose=choose))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_others_are_drawn_from_the_files_and_what_was_lost_can_be_played_again(desk: Desk, here: Path) -> None:
    against = ("--against", "./most.py,./first.py", "--players", "3", "--seeds", "5", "--jobs", "2")
    done = desk.run("gauntlet", "run", "./least.py", *against, *OF_MANY)
    assert done.returncode == 6, "one seed proves nothing"
    assert re.search(r"^2 drawn from 2 +1 ", done.stdout, re.MULTILINE)
    assert "the others of each match were drawn from most.py and first.py\n" in done.stdout
    (lost,) = (line for line in done.stdout.splitlines() if "on seed 5," in line)
    again = desk.json(*lost.split("`")[1].split()[1:])
    points = 0.0
    for match, seat in zip(again, (0, 2, 1), strict=True):
        own, scores = match["outcome"]["scores"][seat], match["outcome"]["scores"]
        points += (sum(other < own for other in scores) + (scores.count(own) - 1) / 2) / 2
    assert f"on seed 5, {points:.3g} of 3 points" in lost


def test_variants_of_a_file_meet_in_matches_of_three(desk: Desk, here: Path) -> None:
    vary = ("--vary", "WANTS=least,most", "--players", "3", "--seeds", "5", "--jobs", "2")
    found = desk.json("gauntlet", "run", "./least.py", *vary, *OF_MANY)
    assert [one["name"] for one in found["variants"]] == ["WANTS=most", "WANTS=least"]
    (row,) = found["compared"]
    assert (row["pairs"], len(row["counts"])) == (1, 13)
    assert row["share"] < 0.5


def test_what_cannot_be_played_is_said_in_one_sentence(desk: Desk, here: Path) -> None:
    run = ("gauntlet", "run", "./least.py", "--against", "./most.py")
    said = desk.refused(2, *run, *OF_MANY, "--players", "5")
    assert said == "ladder: --players 5: matches of foragers have 2, 3 or 4 players\n"
    assert "--game-folder goes with --local" in desk.refused(2, *run, "--game-folder", FORAGERS)
    assert "the game in" in desk.refused(2, *run, *OF_MANY, "--game", "ocean-of-code")
    assert "nowhere/game.toml cannot be read" in desk.refused(2, *run, "--local", "--game-folder", "nowhere")
