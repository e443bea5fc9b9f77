"""Values that people type, and text as official referees read it, as people read it, and as a terminal shows it."""

import io
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from unicodedata import category

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text
from typer.core import TyperCommand
from typer.main import get_command

from cli.options.files import check_free, new_file, write_file
from cli.options.numbers import following_seed, read_seeds, seed_or_drawn
from cli.program.assembly import NOT_PLAIN, QuickCommand, plain
from cli.terminal.words import next_commands, own_command, quoted
from engine.errors import Refused, UsageFault
from engine.text import BLANKS, harmless, one_line, shortened
from ladder.names import NamedVersion, in_natural_order, read_name, read_version
from tests.processes import finished
from tests.throwaway import written
from tests.unit.conversations import ANY_TEXT

LEAST, MOST = -(2**63), 2**63 - 1


def complaint(words: str) -> str:
    with pytest.raises(UsageFault) as fault:
        read_seeds(words)
    assert fault.value.exit_status == 2
    assert "\n" not in str(fault.value)
    return str(fault.value)


def test_a_list_of_seeds_keeps_its_order() -> None:
    assert read_seeds("3,1, -2") == (3, 1, -2)
    assert read_seeds("42") == (42,)
    assert read_seeds(f"{LEAST},{MOST}") == (LEAST, MOST)


def test_a_range_is_all_seeds_from_its_first_to_its_last(tmp_path: Path) -> None:
    assert read_seeds("1..4") == (1, 2, 3, 4)
    assert read_seeds("-1 .. 1, 7, 9..9") == (-1, 0, 1, 7, 9)
    path = written(tmp_path / "seeds", "3..5  # the hard maps\n9\n")
    assert read_seeds(str(path)) == (3, 4, 5, 9)


def test_a_range_that_is_empty_or_far_too_long_is_refused(tmp_path: Path) -> None:
    assert "5..2 is empty: the lower seed comes first, as in 2..5" in complaint("1,5..2")
    assert "more than 1,000,000 seeds" in complaint(f"0..{MOST}")
    assert "the seed 3 comes a second time" in complaint("1..3,3..5")
    path = written(tmp_path / "seeds", "1\n9..7\n")
    assert f"{path}, line 2: 9..7 is empty" in complaint(str(path))


def test_a_drawn_seed_is_short_enough_to_be_typed() -> None:
    assert {len(str(seed_or_drawn(None))) for _ in range(100)} == {6}
    assert seed_or_drawn(LEAST) == LEAST


def test_seeds_follow_one_another_around_the_end_of_64_bits() -> None:
    assert following_seed(MOST, 1) == LEAST
    assert following_seed(-1, 3) == 2


def test_a_file_has_a_seed_in_each_line_with_blank_lines_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "seeds"
    path.write_bytes("\ufeff# the hard maps\r\n7\r\n\r\n -9  # two islands\r\n8".encode())
    assert read_seeds(str(path)) == (7, -9, 8)


def test_a_file_without_a_seed_is_no_list_of_seeds(tmp_path: Path) -> None:
    for text in ("", "\n\n", "# none yet\n"):
        path = written(tmp_path / "seeds", text)
        assert f"no seed in {path}" in complaint(str(path))


def test_a_seed_has_64_bits(tmp_path: Path) -> None:
    for word in (str(MOST + 1), str(LEAST - 1), "9" * 5000):
        assert "not a signed 64-bit number" in complaint(f"1,{word}")
        path = written(tmp_path / "seeds", f"1\n{word}\n")
        assert f"{path}, line 2" in complaint(str(path))


def test_a_line_that_is_no_number_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "seeds", "1\n2 3\n")
    assert f"{path}, line 2: 2 3 is not" in complaint(str(path))


def test_the_same_seed_twice_would_count_the_same_evidence_twice(tmp_path: Path) -> None:
    assert "the seed 5 comes a second time" in complaint("5,6,5")
    path = written(tmp_path / "seeds", "5\n6\n+5\n")
    assert f"{path}, line 3: the seed 5 comes a second time" in complaint(str(path))


def test_what_is_neither_list_nor_text_file_is_said_so(tmp_path: Path) -> None:
    assert "neither a range as in 1..200, nor a list as in 1,2,3, nor a file to read" in complaint("1..")
    assert "nor a list as in 1,2,3, nor a file to read" in complaint("1;2;3")
    assert "nor a list as in 1,2,3, nor a file to read" in complaint(str(tmp_path))
    path = tmp_path / "binary"
    path.write_bytes(b"\xff\xfe\x00\x01")
    assert "nor a text file" in complaint(str(path))


def test_a_file_that_exists_is_written_over_only_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    write_file(path, b"one", over=False)
    with pytest.raises(Refused, match="exists already, and may be your work: name a new file, or add --force"):
        write_file(path, b"two", over=False)
    assert path.read_text() == "one"
    write_file(path, b"two", over=True)
    assert path.read_text() == "two"
    link = tmp_path / "link"
    link.symlink_to("match.html")
    write_file(link, b"three", over=True)
    assert link.is_symlink()
    assert path.read_text() == "three"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link", "match.html"]


def test_where_no_file_can_be_is_said_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="it is a folder"):
        check_free(tmp_path, over=True)
    with pytest.raises(UsageFault, match="there is no folder"):
        check_free(tmp_path / "none" / "match.html", over=False)
    write_file(Path("/dev/null"), b"nothing is left", over=True)
    assert Path("/dev/null").is_char_device()


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let no file grow beyond that many bytes, as on a disk that is full then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


def test_a_disk_that_fills_up_leaves_no_half_file_and_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    path.write_text("before")
    with files_of_at_most(1000), pytest.raises(UsageFault, match=r"^cannot write .*match\.html: File too large$"):
        write_file(path, b"x" * 100_000, over=True)
    assert path.read_text() == "before"
    path.unlink()
    with files_of_at_most(1000), pytest.raises(UsageFault):
        write_file(path, b"x" * 100_000, over=False)
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from cli.options.files import write_file
os.fsync = lambda _: signal.raise_signal(signal.SIGINT)
write_file(Path(sys.argv[1]), b"x" * 100_000, over=False)
"""


def test_ctrl_c_leaves_no_half_file(tmp_path: Path) -> None:
    path = tmp_path / "match.html"
    done = finished([sys.executable, "-c", INTERRUPTED, str(path)])
    assert (done.returncode, done.stderr.splitlines()[-1]) == (-signal.SIGINT, "KeyboardInterrupt")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_a_file_is_written_leaves_none_and_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "kraken.ndjson"
    for before in ((), (b"before",)):
        for content in before:
            path.write_bytes(content)
        with pytest.raises(KeyboardInterrupt), new_file(path, over=True) as place:
            place.write_text("half")
            raise KeyboardInterrupt
        assert [file.read_bytes() for file in tmp_path.iterdir()] == list(before)


LARGEST = 999_999_999

ODD = [
    *(f"kraken@{number}" for number in ("", "3", "v", "v0", "v03", "v-1", "v+1", "v1.5", "v1_0", "v٣", "vv", "vv3")),
    *(
        f"kraken@{number}"
        for number in ("V3", "v 3", "v3 ", "v3\n", "v3@v4", "@v3", f"v{LARGEST + 1}", "v" + "9" * 5000)
    ),
    *("@v3", "@"),
]


def test_a_bot_with_a_number_names_that_version() -> None:
    assert read_version("kraken@v3") == ("kraken", 3)
    assert read_name("Kra.ken-2_x@v12") == NamedVersion("Kra.ken-2_x", 12)
    assert read_version(f"kraken@v{LARGEST}") == ("kraken", LARGEST)


@pytest.mark.parametrize("words", ["kraken", "v3", "kraken-v3", ""])
def test_what_has_no_at_sign_names_a_bot_alone(words: str) -> None:
    """Whether there is one of that name is for the database to say."""
    assert read_name(words) == NamedVersion(words)


@pytest.mark.parametrize("words", ["kraken", "v3", "kraken-v3", ""])
def test_a_bot_alone_is_no_version(words: str) -> None:
    with pytest.raises(UsageFault, match="names no version"):
        read_version(words)


@pytest.mark.parametrize("words", ODD)
def test_anything_else_is_refused_in_one_sentence(words: str) -> None:
    for read in (read_name, read_version):
        with pytest.raises(UsageFault) as refusal:
            read(words)
        assert str(refusal.value) == f"{words!r} names no version: it should look like kraken@v3"


@given(st.text("abcXYZ019_.-", min_size=1, max_size=39), st.none() | st.integers(min_value=1, max_value=LARGEST))
def test_a_name_that_is_written_is_read_as_the_same(bot: str, number: int | None) -> None:
    assert read_name(str(NamedVersion(bot, number))) == NamedVersion(bot, number)


def test_names_are_sorted_as_people_sort_them() -> None:
    names = ["student10", "Student2", "b", "student1", "7b", "10a", "student2-x"]
    assert sorted(names, key=in_natural_order) == ["7b", "10a", "b", "student1", "Student2", "student2-x", "student10"]


WORDS = ("0", "7", "10", "11", "-1", "+3", " 3", "3_0", "03", "3.0", "1e3", "x", "", "\u0663", "9" * 30, "e\u0301")


def even(word: str) -> int:
    number = int(word)
    if number % 2:
        raise ValueError("it is odd")
    return number


def the_command(kind: type[TyperCommand]) -> Any:
    app = typer.Typer()

    @app.command(cls=kind)
    def command(
        word: Annotated[str | None, typer.Option()] = None,
        number: Annotated[int | None, typer.Option()] = None,
        small: Annotated[int, typer.Option(min=1, max=10)] = 5,
        evenly: Annotated[int | None, typer.Option(parser=even)] = None,
        share: Annotated[float | None, typer.Option(min=0)] = None,
        words: Annotated[list[str] | None, typer.Option()] = None,
        flag: Annotated[bool, typer.Option("--flag")] = False,
    ) -> None:
        """Do nothing."""

    return get_command(app)


def read(kind: type[TyperCommand], *words: str) -> Any:
    try:
        return the_command(kind).make_context("command", list(words)).params
    except typer.TyperException as error:
        return error.format_message()


@pytest.mark.parametrize("option", ["--word", "--number", "--small", "--evenly", "--share", "--words"])
def test_each_word_is_the_value_that_it_is_to_typer_and_each_wrong_one_is_said_in_the_same_words(option: str) -> None:
    for word in WORDS:
        assert read(QuickCommand, option, word) == read(TyperCommand, option, word), word


def test_what_is_left_out_is_what_it_is_to_typer() -> None:
    assert read(QuickCommand) == read(TyperCommand)
    assert read(QuickCommand, "--flag") == read(TyperCommand, "--flag")


def test_what_is_plain_is_read_here_and_what_is_not_is_left_to_typer() -> None:
    options = {option.name: option for option in the_command(QuickCommand).params}
    assert plain(options["word"], "a") == "a"
    assert plain(options["number"], "17") == plain(options["number"], 17) == 17
    assert plain(options["evenly"], "4") == 4
    assert plain(options["words"], None) == ()
    assert plain(options["flag"], None) is None
    for name, word in (("small", "11"), ("number", "-1"), ("evenly", "3"), ("share", "1"), ("words", ["a"])):
        assert plain(options[name], word) is NOT_PLAIN, name


def test_blanks_are_the_first_33_characters() -> None:
    assert all((chr(code) in BLANKS) == (code <= 0x20) for code in range(0x110000))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("MOVE N TORPEDO", "MOVE N TORPEDO"),
        ("caf\u00e9 \u65e5\u672c", "caf\u00e9 \u65e5\u672c"),
        ("a\tb\x00c", "a\\tb\\x00c"),
        ("\ud800", "\\ud800"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "x" * 77 + "..."),
        ("\x00" * 80, ("\\x00" * 20)[:77] + "..."),
    ],
)
def test_quotes_for_people(text: str, quoted: str) -> None:
    """What can be printed stays, the rest is escaped, and the end of a long text is left out."""
    assert shortened(text) == quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("caf\u00e9 \u65e5\u672c\n\tindented", "caf\u00e9 \u65e5\u672c\n\tindented"),
        ("\x1b]0;owned\x07\x1b[2J", "\u241b]0;owned\u2407\u241b[2J"),
        ("one\r\ntwo\rthree\x00\x7f", "one\ntwo\u240dthree\u2400\u2421"),
        ("\x9b2J \u202eright to left \ud800", "\ufffd2J \ufffdright to left \ufffd"),
    ],
)
def test_strangers_words_are_shown_and_steer_nothing(text: str, shown: str) -> None:
    """What is text stays; what a terminal would obey is seen."""
    assert harmless(text) == shown


@given(ANY_TEXT)
def test_harmless_words_can_be_printed_and_have_no_control_characters(text: str) -> None:
    shown = harmless(text)
    assert not any(category(character) in {"Cc", "Cs"} for character in shown if character not in "\n\t")
    assert len(shown) == len(text) - text.count("\r\n")
    assert harmless(shown) == shown


@given(ANY_TEXT)
def test_quotes_are_short_and_printable(text: str) -> None:
    assert len(shortened(text)) <= 80
    assert shortened(text).isprintable()


@given(st.text(st.characters(), max_size=20))
def test_one_line_is_what_harmless_makes_of_it_without_line_ends_and_tabs(text: str) -> None:
    assert one_line(text) == harmless(text).replace("\n", "␊").replace("\t", "␉")


def printed(words: Text | str) -> str:
    """Return what a terminal with colours would get."""
    file = io.StringIO()
    Console(file=file, force_terminal=True, color_system="standard", width=200).print(quoted(words), highlight=False)
    return file.getvalue()


def test_a_bots_words_are_neither_commands_nor_markup() -> None:
    words = "\x1b]0;owned\x07 [red]red[/red] [/bold] [link=file:///etc] int a[b];"
    assert printed(words) == "\u241b]0;owned\u2407 [red]red[/red] [/bold] [link=file:///etc] int a[b];\n"


def test_our_own_colours_stay_where_they_are() -> None:
    text = Text("\x1b[2J ")
    text.append("kraken@v1", style="green")
    text.append("\x1b[2J")
    assert printed(text) == "\u241b[2J \x1b[32mkraken@v1\x1b[0m\u241b[2J\n"
    assert text.plain.startswith("\x1b"), "what is quoted stays itself"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that was called by its whole path, in a folder that PATH does not name."""
    program = tmp_path / "bin" / "ladder"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(program), "up"])
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.delenv("LADDER_CALLED_AS", raising=False)
    return program


def test_the_program_is_named_by_its_whole_path_or_as_the_script_of_the_clone_was_called(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert own_command() == str(program)
    monkeypatch.setenv("LADDER_CALLED_AS", "bin/ladder")
    assert own_command() == "bin/ladder"


def test_commands_and_what_they_are_for_stand_in_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LADDER_CALLED_AS", "bin/ladder")
    columns = "  bin/ladder up        start\n  bin/ladder board -w  watch"
    assert next_commands({"up": "start", "board -w": "watch"}) == columns


def test_a_program_that_path_leads_to_is_named_alone(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(program.parent))
    assert own_command() == "ladder"
    monkeypatch.setenv("LADDER_CALLED_AS", str(program))
    assert own_command() == "ladder"
    monkeypatch.setenv("LADDER_CALLED_AS", "/other/clone/bin/ladder")
    assert own_command() == "/other/clone/bin/ladder"
