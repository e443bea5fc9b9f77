"""Bots of many files, as a folder, a zip or a tar, and bots that come as programs: submitted, played, compared."""

import json
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.database.connection import Pool, transaction
from tests.acceptance.conftest import NO_BROKER, SURFACER, Desk
from tests.ladder.arena import GAME
from tests.throwaway import written

MAIN = """
#include "parts/words.h"
#include <fstream>
#include <iostream>
#include <string>
int main() {
    int width, height, me; std::string row, word;
    std::ifstream("data/word.txt") >> word;
    std::cin >> width >> height >> me;
    bool found = false; int column = 0, line = 0;
    for (int y = 0; y < height; y++) {
        std::cin >> row;
        for (int x = 0; x < width; x++) if (!found && row[x] == '.') { found = true; column = x; line = y; }
    }
    std::cout << column << " " << line << std::endl;
    for (std::string text; std::getline(std::cin >> std::ws, text);)
        for (int rest = 0; rest < 2 && std::getline(std::cin, text); rest++)
            if (rest == 1) std::cout << word << ENDING << std::endl;
}
"""
FOLDER = {
    "ladder.toml": f'game = "{GAME}"\nbot = "shoal"\nlanguage = "cpp"\n'
    'build = ["sh", "build.sh"]\nrun = ["./bin/shoal", "--quiet"]\n',
    "build.sh": "mkdir bin && g++ -O1 -o bin/shoal src/main.cpp -I.\n",
    "src/main.cpp": MAIN,
    "parts/words.h": '#define ENDING "ACE"\n',
    "data/word.txt": "SURF\n",
}
"""A bot that surfaces, made of all of its files: it builds only with its header and plays only with its data."""


@pytest.fixture
def shoal(open_folder: Path) -> Iterator[Path]:
    place = open_folder / "authors"
    for name, text in FOLDER.items():
        file = place / "shoal" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for folder in (place, *(path for path in place.rglob("*") if path.is_dir())):
        folder.chmod(0o755)
    yield place / "shoal"
    shutil.rmtree(place)


def zipped(folder: Path) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.rglob("*"):
            archive.write(file, file.relative_to(folder.parent))
    return path


def test_a_folder_is_submitted_built_and_played_and_comes_back_as_it_was(arena: Desk, shoal: Path) -> None:
    said = arena.ok("submit", shoal, "--watch")
    assert "shoal@v1" in said
    assert "ranks" in said
    (shown,) = arena.json("bot", "show", "shoal")["versions"]
    assert (shown["state"], shown["language"]) == ("accepted", "cpp")
    tarred = shutil.make_archive(str(shoal), "gztar", shoal)
    for packed in (zipped(shoal), tarred):
        assert "it is shoal@v1" in arena.refused(3, "submit", packed, "--game", GAME)
    back = shoal.with_name("back")
    arena.ok("bot", "source", "shoal@v1", "-o", back)
    assert {str(file.relative_to(back)): file.read_text() for file in back.rglob("*") if file.is_file()} == FOLDER
    assert "exists already" in arena.refused(3, "bot", "source", "shoal@v1", "-o", back, "--force")
    assert arena.ok("bot", "source", "shoal@v1").split() == sorted(FOLDER)
    (shoal / "parts" / "words.h").write_text("#error not today\n")
    done = arena.run("submit", shoal, "--watch")
    assert done.returncode == 3
    assert "not today" in done.stderr
    assert "parts/words.h:1:2: error" in done.stderr
    assert "/out/" not in done.stderr
    diff = arena.ok("bot", "diff", "shoal@v1", "v2").splitlines()
    assert diff[:2] == ["--- shoal@v1/parts/words.h", "+++ shoal@v2/parts/words.h"]
    assert diff[3:] == ['-#define ENDING "ACE"', "+#error not today"]
    match = arena.json("match", "list", "--bot", "shoal")[0]["id"]
    assert arena.json("match", "rematch", str(match))["replayed"]["outcome"]["verdicts"][0]["verdict"] == "ok"
    (shoal / "parts" / "words.h").write_text(FOLDER["parts/words.h"])
    assert "shoal" in arena.json("match", "rematch", str(match), "--with", shoal)["replayed"]["bots"]


def test_a_program_is_submitted_as_its_file_with_its_arguments(arena: Desk, shoal: Path) -> None:
    path = written(
        shoal.with_name("piper"),
        f"#!/usr/bin/env -S python3 -u\nimport sys\nassert sys.argv[1:] == ['--depth', '8']\n{SURFACER}",
    )
    path.chmod(0o755)
    assert "ranks" in arena.ok("submit", f"{path} --depth 8", "--game", GAME, "--watch")
    (shown,) = arena.json("bot", "show", "piper")["versions"]
    assert (shown["state"], shown["language"]) == ("accepted", "program")
    assert "it is piper@v1" in arena.refused(3, "submit", f"{path} --depth 8", "--game", GAME)
    done = arena.run("submit", path, "--game", GAME, "--watch")
    assert done.returncode == 3
    assert "AssertionError" in done.stderr, "without its arguments it is another version"


def test_a_league_may_take_no_programs(desk: Desk, database_url: str, pool: Pool, shoal: Path, bosses: None) -> None:
    own = Desk(desk.home, {"LADDER_DATABASE_URL": database_url, **NO_BROKER})
    settings = own.ok("league", "show", GAME)
    assert "programs = true" in settings
    file = written(shoal.with_name("leagues.toml"), settings.replace("programs = true", "programs = false"))
    own.ok("league", "apply", file)
    program = Path(shutil.copy("/bin/true", shoal / "wahoo_bin"))
    words = "takes no programs: submit what it is built from"
    assert words in own.refused(3, "submit", program, "--game", GAME)
    assert words in own.refused(3, "submit", shoal)
    program.unlink()
    assert "shoal@v1" in own.ok("submit", shoal)
    with transaction(pool) as connection:
        assert connection.execute("SELECT FROM bots WHERE name = 'wahoo_bin'").fetchone() is None


def test_folders_archives_and_programs_play_here_without_services(desk: Desk, shoal: Path, bot: Path) -> None:
    program = shoal / "wahoo_bin"
    subprocess.run(["g++", "-O1", "-I.", "-o", program, "src/main.cpp"], cwd=shoal, check=True)
    archive = zipped(shoal)
    assert "shoal against surfacer.py" in desk.ok("play", GAME, f"{shoal}/", bot, "--matches", "2", "--jobs", "1")
    assert "shoal.zip against wahoo_bin --depth 8" in desk.ok("play", GAME, archive, f"{program} --depth 8", "-n", "2")
    played = desk.json("play", GAME, program, bot)[0]
    assert played["outcome"]["verdicts"][0]["verdict"] == "ok", "it has found its data"
    words = ("gauntlet", "run", "--local", "--jobs", "1", f"{program} --depth 8", "--game", GAME)
    done = desk.run(*words, "--against", f"{program} --depth 6,{shoal}/,{archive}", "--pairs", "1", "--json")
    report = json.loads(done.stdout)
    assert report["candidate"] == "wahoo_bin --depth 8"
    assert report["opponents"] == ["wahoo_bin --depth 6", "shoal", "shoal.zip"]


def test_in_its_folder_a_bot_needs_no_name(desk: Desk, shoal: Path, bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shoal / "src")
    assert "shoal" in desk.ok("play", bot)
    done = desk.run("gauntlet", "run", "--local", "--jobs", "1", "--against", bot, "--pairs", "1", "--json")
    assert json.loads(done.stdout)["candidate"] == "shoal"
