"""A bot's own folder: what its `ladder.toml` says, and one sentence with file and key for each thing that is wrong."""

import os
import re
from pathlib import Path

import pytest

from engine.errors import UsageFault
from engine.toolchains.bot_folder import COMMANDS, TEXTS, find_bot_folder, read_bot_folder

GUIDE = Path(__file__).parents[2] / "docs" / "writing-a-bot.md"


def folder_with(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ladder.toml").write_text(text, "utf-8")
    return folder


def test_all_keys_are_read_as_the_file_has_them(tmp_path: Path) -> None:
    found = read_bot_folder(
        folder_with(
            tmp_path,
            'game = "ocean-of-code"\nbot = "kraken"\nlanguage = "cpp"\nsource = "src/kraken.cpp"\n'
            'build = ["make", "-s"]\nrun = ["{folder}/kraken", "--deep"]\n',
        )
    )
    assert (found.game, found.bot, found.language, found.source) == ("ocean-of-code", "kraken", "cpp", "src/kraken.cpp")
    assert found.build == ("make", "-s")
    assert found.run == ("{folder}/kraken", "--deep")
    assert found.source_file() == tmp_path / "src" / "kraken.cpp"


def test_every_key_may_be_left_out_but_a_source_that_is_asked_for(tmp_path: Path) -> None:
    found = read_bot_folder(folder_with(tmp_path, "# nothing yet\n"))
    assert (found.game, found.bot, found.language, found.source, found.build, found.run) == (None,) * 4 + ((), ())
    with pytest.raises(UsageFault, match=re.escape(f"{tmp_path}/ladder.toml: source is missing")):
        found.source_file()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('gmae = "x"', "ladder.toml: gmae is not a known key; known: game, bot, language, source, build, run"),
        ("game = 7", "ladder.toml: game is 7; it must be a text"),
        ('bot = " "', "ladder.toml: bot is  ; it must be a text"),
        ('bot = ""', "ladder.toml: bot is empty; it must be a text"),
        ('language = ["cpp"]', "ladder.toml: language is ['cpp']; it must be a text"),
        ('build = "make"', 'ladder.toml: build is make; it must be a list of words, as in ["make", "-s"]'),
        ("run = []", "ladder.toml: run is []; it must be a list of words"),
        ('run = ["./kraken", 8]', "ladder.toml: run is ['./kraken', 8]; it must be a list of words"),
        ('source = "/etc/passwd"', "ladder.toml: source is /etc/passwd; it must name a file inside the folder"),
        ('source = "../other.py"', "ladder.toml: source is ../other.py; it must name a file inside the folder"),
        ('source = "src/../../other.py"', "it must name a file inside the folder"),
        ('source = "."', "ladder.toml: source is .; it must name a file inside the folder"),
        ('source = "a\\u0000b"', "it must name a file inside the folder"),
        ("game = ocean", "ladder.toml is not TOML: "),
        ('game = "a"\ngame = "b"', "ladder.toml is not TOML: "),
        ("game = " + "[" * 5000, "ladder.toml is not TOML: "),
        ("#" * 70_000, "ladder.toml has more than 65,536 bytes; that is the limit"),
    ],
)
def test_what_is_wrong_is_one_short_sentence_that_names_file_and_key(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(UsageFault) as refused:
        read_bot_folder(folder_with(tmp_path, text))
    assert sentence in str(refused.value)
    assert str(tmp_path) in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < len(str(tmp_path)) + 250
    assert refused.value.exit_status == 2


def test_a_file_that_is_none_or_no_text_is_refused_and_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=r"cannot read .*/ladder.toml: No such file or directory"):
        read_bot_folder(tmp_path)
    (tmp_path / "ladder.toml").write_bytes(b"game = \xff\xfe")
    with pytest.raises(UsageFault, match=r"ladder.toml is not TOML: "):
        read_bot_folder(tmp_path)
    (tmp_path / "ladder.toml").unlink()
    os.mkfifo(tmp_path / "ladder.toml")
    with pytest.raises(UsageFault, match=r"cannot read .*/ladder.toml: it is a pipe"):
        read_bot_folder(tmp_path)


def test_the_nearest_folder_upwards_counts(tmp_path: Path) -> None:
    outer = folder_with(tmp_path / "bots", 'game = "ice-and-fire"')
    inner = folder_with(outer / "kraken", 'game = "ocean-of-code"')
    deep = inner / "src" / "deep"
    deep.mkdir(parents=True)
    (outer / "ladder.toml.d").mkdir()
    (deep / "ladder.toml").mkdir()  # a folder of that name is none
    assert find_bot_folder(deep) == inner
    assert find_bot_folder(inner) == inner
    assert find_bot_folder(outer / "ladder.toml.d") == outer
    assert find_bot_folder(tmp_path) is None
    assert find_bot_folder(inner / "..") == outer
    assert find_bot_folder(outer / "..") is None


def test_the_guide_explains_every_key_and_its_example_can_be_read(tmp_path: Path) -> None:
    page = GUIDE.read_text("utf-8").split("## A folder for a bot")[1].split("\n## ")[0]
    found = read_bot_folder(folder_with(tmp_path, page.split("```toml\n")[1].split("```")[0]))
    assert (found.game, found.bot, found.run) == ("ocean-of-code", "kraken", ("{folder}/kraken",))
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == {*TEXTS, *COMMANDS}
