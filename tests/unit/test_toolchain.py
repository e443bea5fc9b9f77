"""The table of languages, parameters of bots, what is checked of sources, which are alike, what is kept of builds."""

import os
import re
import time
from pathlib import Path

import pytest

from engine.errors import NoRoom, Refused, UnknownName, UsageFault
from engine.toolchains.bot_folder import PROGRAM, source_hash
from engine.toolchains.build import installed
from engine.toolchains.languages import Language, find_language, language_of, languages
from engine.toolchains.params import LONGEST_NAME, LONGEST_VALUE, MOST, params_text, read_params, with_params
from engine.toolchains.program import Program, program_key
from engine.toolchains.source import called_by_its_author, check_source
from engine.workspace import CACHE_MB_VARIABLE, Workspace, open_workspace
from ladder.bots.similar import MOST_OWNERS, fingerprints, likenesses
from tests.catalogue import GAMES
from tests.ladder.arena import GAME
from tests.throwaway import language_table


@pytest.fixture(autouse=True)
def _no_table_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def own_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> Path:
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setenv("LADDER_LANGUAGES", str(file))
    return file


def test_a_byte_order_mark_before_a_users_table_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own_table(monkeypatch, tmp_path, '\ufeff[python]\ntitle = "Snake"\n')
    assert find_language("snake").name == "python"


class TestCheckingASource:
    def test_a_proper_source_comes_back_as_it_is(self) -> None:
        assert check_source("print('é')\r\n\t".encode()) == "print('é')\r\n\t"

    @pytest.mark.parametrize(
        ("source", "words"),
        [
            *((empty, "empty") for empty in (b"", b" \n\t\r\n", "\u2003\n".encode())),
            (b"caf\xe9", "not UTF-8: byte 4 is 0xe9"),
            (b"\xff\xfeh\0", "not UTF-8: byte 1 is 0xff"),
            (b"ab\0c", "NUL character, at character 3"),
        ],
    )
    def test_what_is_empty_or_no_text_is_refused_with_the_place(self, source: bytes, words: str) -> None:
        with pytest.raises(Refused, match=words):
            check_source(source)

    def test_one_at_the_limit_passes_and_one_more_character_does_not(self) -> None:
        assert len(check_source("é".encode() * 100_000)) == 100_000
        with pytest.raises(Refused, match="100,001 characters, the limit is 100,000"):
            check_source("é".encode() * 100_001)

    def test_the_limit_can_be_chosen(self) -> None:
        with pytest.raises(Refused, match="4 characters, the limit is 3"):
            check_source(b"four", limit_chars=3)

    @pytest.mark.parametrize("size", [400_001, 600_000])
    def test_of_a_source_that_may_be_cut_only_certain_mistakes_are_reported(self, size: int) -> None:
        cut = ("#" + "\u20ac" * 200_000).encode()[:size]
        with pytest.raises(Refused, match="more than 100,000 characters; that is the limit"):
            check_source(cut)


class TestFindingALanguage:
    def test_by_name_or_title_in_any_case(self) -> None:
        assert [find_language(name).name for name in ("cpp", "C++", "CPP", " c++ ")] == ["cpp"] * 4

    def test_the_message_about_an_unknown_one_lists_the_known_ones(self) -> None:
        with pytest.raises(UnknownName, match="unknown language 'cobol'; known: python, c, cpp, rust, java"):
            find_language("cobol")

    def test_by_the_ending_of_a_file(self) -> None:
        expected = {"bot.py": "python", "my.bot.c": "c", "BOT.CPP": "cpp", "a.rs": "rust", "Player.java": "java"}
        expected |= {"a.js": "javascript", "a.ts": "typescript", "a.go": "go", "a.cs": "csharp", "a.kt": "kotlin"}
        assert {file: language_of(Path("folder.rb") / file).name for file in expected} == expected

    def test_the_message_about_an_unknown_ending_lists_the_known_ones(self) -> None:
        with pytest.raises(UnknownName, match=r"unknown file ending '\.exe'; known: \.py, \.c, "):
            language_of(Path("bot.exe"))

    @pytest.mark.parametrize("file", ["bot", ".py"])
    def test_of_a_file_without_an_ending_that_is_said(self, file: str) -> None:
        with pytest.raises(UnknownName, match=rf"'{file}' has no ending that names its language; known: \.py, \.c, "):
            language_of(Path(file))

    def test_no_ending_means_two_languages(self) -> None:
        endings = [ending for language in languages().values() for ending in language.extensions]
        assert len(endings) == len(set(endings))


CODINGAMES = (
    "Bash C C# C++ Clojure D Dart F# Go Groovy Haskell Java JavaScript Kotlin Lua Objective-C OCaml Pascal Perl PHP "
    "Python Ruby Rust Scala Swift TypeScript VB.NET"
)


def test_each_language_of_codingame_has_a_recipe_or_says_why_it_has_none() -> None:
    known = {language.title: language for language in languages().values()}
    assert set(CODINGAMES.split()) <= set(known)
    for language in known.values():
        assert bool(language.toolchains) != bool(language.lacking), language.title
    assert {title for title, language in known.items() if language.lacking} == {"Dart", "F#", "Swift", "VB.NET"}


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("bot.cpp:1:5: error", "kraken.cpp:1:5: error"),
        ("In bot.cpp, `robot.cpp` and sub/bot.cpp", "In kraken.cpp, `robot.cpp` and sub/bot.cpp"),
        ("/bot/bot.cpp:1:5: warning, /bot/sub/bot.cpp", "kraken.cpp:1:5: warning, /bot/sub/bot.cpp"),
        ('File "bot.cpp", line 2', 'File "kraken.cpp", line 2'),
        ("bot.cpp.o and bot.cppx; bot.cpp.", "bot.cpp.o and bot.cppx; kraken.cpp."),
    ],
)
def test_a_compilers_words_call_a_file_as_its_author_does(words: str, shown: str) -> None:
    assert called_by_its_author(words, "bot.cpp", "kraken.cpp") == shown
    assert called_by_its_author(words, "bot.cpp", "") == words


def test_what_is_compiled_is_a_copy() -> None:
    language = find_language("cpp")
    assert language.command(["{source}", "{folder}"], "/tmp/source") == ("/tmp/source/bot.cpp", "/bot")  # noqa: S108
    assert "/bot/bot.cpp" in language.command(language.toolchains[0].compile)
    assert "/out/bot" in language.command(language.toolchains[0].compile)


def test_commands_name_places_in_the_box() -> None:
    words = ["{folder}/a", "${x}", "{print $1}", "{out}{source}"]
    assert find_language("cpp").command(words) == ("/bot/a", "${x}", "{print $1}", "/out/bot/bot.cpp")


class TestAUsersTable:
    def test_it_gives_a_recipe_to_a_language_without_one(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        own_table(monkeypatch, tmp_path, "[dart.toolchains.sdk]\nrun = ['dart', '{source}']\n")
        assert [way.name for way in language_of(Path("a.dart")).toolchains] == ["sdk"]

    def test_it_adds_a_language(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        text = """
            [tcl]
            title = "Tcl"
            extensions = [".TCL"]
            source = "bot.tcl"
            [tcl.toolchains.tclsh]
            run = ["tclsh", "{source}"]
            tools = ["tclsh"]
            files = ["hello.txt"]
            [files]
            "hello.txt" = "hello"
            """
        own_table(monkeypatch, tmp_path, text)
        tcl = language_of(Path("a.tcl"))
        assert (tcl.name, tcl.title) == ("tcl", "Tcl")
        assert tcl.toolchains[0].files == {"hello.txt": "hello"}
        assert find_language("python").toolchains[0].tools == ("python3",)

    def test_it_changes_single_keys_and_keeps_the_others(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        before = find_language("rust").toolchains[0]
        own_table(monkeypatch, tmp_path, "[rust.toolchains.rustc]\nextra_paths = ['/opt/rust']\nbuild_seconds = 7\n")
        after = find_language("rust").toolchains[0]
        assert (after.extra_paths, after.build_seconds) == (("/opt/rust",), 7)
        assert (after.run, after.compile, after.build_tools) == (before.run, before.compile, before.build_tools)

    def test_its_toolchains_and_endings_come_first(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        text = """
            [snake]
            title = "Snake"
            extensions = [".py"]
            source = "bot.py"
            [snake.toolchains.snake]
            run = ["snake", "{source}"]
            [python.toolchains.pypy]
            run = ["pypy3", "{source}"]
            """
        own_table(monkeypatch, tmp_path, text)
        assert [way.name for way in find_language("python").toolchains] == ["pypy", "python3"]
        assert language_of(Path("a.py")).name == "snake"

    def test_it_is_found_in_the_config_folder(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        folder = tmp_path / "elsewhere" / "ladder"
        folder.mkdir(parents=True)
        (folder / "languages.toml").write_text("[python]\ntitle = 'Python the Third'\n")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
        assert find_language("python").title == "Python the Third"

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("[python\n", "line 1"),
            ("python = 3\n", "python must be a table"),
            ("[python]\ncolour = 'blue'\n", r"python\.colour is not a known key; known: title, extensions"),
            ("[python]\ntitle = 3\n", r"python\.title must be a text, not 3"),
            ("[python]\nextensions = '.py'\n", r"python\.extensions must be a list of texts"),
            ("[python]\nextensions = [3]\n", r"python\.extensions must be a list of texts"),
            ("[python]\ntoolchains = ['x']\n", r"python\.toolchains must be a table of tables"),
            ("[python]\nsource = 'a/b.py'\n", r"python\.source must be a file name without a folder"),
            ("[python]\nsource = '..'\n", r"python\.source must be a file name without a folder"),
            ("[python.toolchains.x]\nrun = 'python3'\n", r"python\.toolchains\.x\.run must be a list of texts"),
            ("[python.toolchains.x]\ntools = ['x']\n", r"python\.toolchains\.x\.run is missing"),
            ("[python.toolchains.x]\nbuild_seconds = true\n", r"build_seconds must be a whole number, not True"),
            ("[python.toolchains.x]\nbuild_seconds = 0\n", r"build_seconds must be a whole number, not 0"),
            ("[python.toolchains.x.environment]\nA = 1\n", r"environment must be a table of texts"),
            ("[python.toolchains.python3]\ncompile = ['x']\n", r"python3 has compile and check"),
            ("[python.toolchains.python3]\nfiles = ['x']\n", r"files names 'x', which is not in the table \[files\]"),
            ("[files]\nx = 1\n", "files must be a table of texts"),
            ("[new]\ntitle = 'New'\n", r"new\.extensions is missing"),
            ("[new]\ntitle = ''\n", r"new\.title must be a text, not ''"),
        ],
    )
    def test_the_message_about_a_mistake_in_it_names_file_and_key(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, words: str
    ) -> None:
        file = own_table(monkeypatch, tmp_path, text)
        with pytest.raises(UsageFault, match=words) as caught:
            languages()
        assert str(caught.value).startswith(f"{file}: ")

    def test_one_that_is_missing_or_no_text_is_reported(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("LADDER_LANGUAGES", str(tmp_path / "nowhere.toml"))
        sentence = r"cannot read .*nowhere\.toml: No such file.*; is LADDER_LANGUAGES right\?"
        with pytest.raises(UsageFault, match=sentence):
            languages()
        own_table(monkeypatch, tmp_path, "").write_bytes(b"\xff\xfe")
        with pytest.raises(UsageFault, match=r"mine\.toml: .*utf-8"):
            languages()


class TestTheKeyOfAProgram:
    def test_same_source_same_key(self, cpp: Language) -> None:
        assert program_key(source_hash("int main() {}"), cpp) == program_key(source_hash("int main() {}"), cpp)
        assert len(program_key(source_hash(""), cpp)) == 64

    def test_another_source_or_language_gives_another_key(self, cpp: Language) -> None:
        hashes = [source_hash(source) for source in ("a", "b")]
        keys = {program_key(hash_, find_language(name)) for hash_ in hashes for name in ("c", "cpp", "python")}
        assert len(keys) == 6

    @pytest.mark.parametrize(
        ("changed", "is_same"),
        [("compile = ['g++', '-O3', '{source}']", False), ("build_seconds = 9\nextra_paths = ['/opt']", True)],
        ids=["another compile command", "other limits and places"],
    )
    def test_what_decides_what_is_built_is_in_the_key(
        self, changed: str, is_same: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cpp: Language
    ) -> None:
        before = program_key(source_hash("a"), cpp)
        own_table(monkeypatch, tmp_path, f"[cpp.toolchains.gcc]\n{changed}\n")
        assert (program_key(source_hash("a"), find_language("cpp")) == before) is is_same

    @pytest.fixture
    def cpp(self) -> Language:
        return find_language("cpp")


NOWHERE: dict[str, object] = {"run": ["no-such-interpreter", "{source}"], "tools": ["no-such-interpreter"]}
MISSING = ["no-such-compiler"]
OF_DIFFERENT_NEEDS = (
    language_table("compiled", run=["{folder}/bot"], compile=MISSING, build_tools=["sh", *MISSING])
    + language_table("translated", run=["sh", "{folder}/bot"], tools=["sh"], compile=MISSING, build_tools=MISSING)
    + language_table("absent", **NOWHERE)
    + language_table("spare", **NOWHERE)
    + '[spare.toolchains.other]\nrun = ["sh", "{source}"]\ntools = ["sh"]\n'
)


class TestWhatIsInstalled:
    def test_a_bot_that_is_built_needs_only_what_runs_it(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        own_table(monkeypatch, tmp_path, OF_DIFFERENT_NEEDS)
        ours = {"compiled", "translated", "absent", "spare"}
        found = installed(lambda *_: True)
        assert ours.intersection(found.builds) == {"spare"}
        assert ours.intersection(found.plays) == {"compiled", "translated", "spare"}

    def test_a_toolchain_that_does_not_work_is_none(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        own_table(monkeypatch, tmp_path, OF_DIFFERENT_NEEDS)
        found = installed(lambda language, _: language.name != "spare")
        assert "spare" not in {*found.builds, *found.plays}
        assert "translated" in found.plays


def complaint(*words: str) -> str:
    with pytest.raises(UsageFault) as fault:
        read_params(words)
    assert fault.value.exit_status == 2
    assert "\n" not in str(fault.value)
    return str(fault.value)


def test_parameters_are_read_and_written_as_they_are_typed() -> None:
    words = ("DEPTH=6", "_X2=", "FORMULA=a=b c", "NODES=1000", "PERLIN=0.5", "ENVIRONMENT=ocean")
    assert read_params(words) == {
        "DEPTH": "6", "_X2": "", "FORMULA": "a=b c", "NODES": "1000", "PERLIN": "0.5", "ENVIRONMENT": "ocean"
    }  # fmt: skip
    assert params_text(read_params(words)) == " ".join(sorted(words)), "in the order of their names"


def test_what_cannot_be_a_parameter_is_said() -> None:
    assert "'DEPTH' has no value: write it as in DEPTH=6" in complaint("DEPTH")
    for name in ("depth", "2X", "A-B", "", "É", "A B", "DEPTH\n"):
        assert "capital letters, digits and _" in complaint(f"{name}=1")
    assert "DEPTH comes twice" in complaint("DEPTH=1", "WIDTH=2", "DEPTH=3")
    assert "cannot be printed" in complaint("DEPTH=\x1b[2J")
    assert "cannot be printed" in complaint("DEPTH=\udcff")
    assert "too long" in complaint(f"DEPTH={'9' * (LONGEST_VALUE + 1)}")
    assert "too long" in complaint(f"{'A' * (LONGEST_NAME + 1)}=1")
    assert f"{MOST} is the limit" in complaint(*(f"A{number}=1" for number in range(MOST + 1)))


OBEYED = """
    LD_PRELOAD LD_LIBRARY_PATH PATH HOME LANG LC_ALL PYTHONPATH PYTHONHASHSEED JAVA_TOOL_OPTIONS _JAVA_OPTIONS
    NODE_OPTIONS GOMEMLIMIT GOCACHE DOTNET_GCSTRESS RUBYOPT PERL5LIB MALLOC_ARENA_MAX GLIBC_TUNABLES BASH_ENV ENV
    CLASSPATH RUST_BACKTRACE LADDER_HOME
"""


@pytest.mark.parametrize("name", OBEYED.split())
def test_a_name_that_loaders_and_runtimes_obey_is_refused(name: str) -> None:
    assert f"{name} cannot be a bot's parameter" in complaint(f"{name}=1")


def test_what_a_recipe_sets_stays_as_it_is() -> None:
    program = Program("", "go", Path("/usr"), ("true",), {"PATH": "/usr/bin", "LIMIT": "640"})
    found = with_params(program, {"DEPTH": "6", "LIMIT": "9"}).environment
    assert found == {"PATH": "/usr/bin", "LIMIT": "640", "DEPTH": "6"}
    assert with_params(program, {}) is program


DAYS = 24 * 3600


def entry(workspace: Workspace, key: str, days_ago: float, size: int = 1000) -> None:
    folder = workspace.entry(key)
    folder.mkdir()
    (folder / "program.json").write_bytes(bytes(size))
    used_at = time.time() - days_ago * DAYS
    os.utime(folder, (used_at, used_at))


def publish(workspace: Workspace, key: str) -> None:
    with workspace.scratch() as scratch:
        (scratch / "entry").mkdir()
        workspace.publish(scratch / "entry", key)


def kept(workspace: Workspace) -> set[str]:
    return {path.name for path in (workspace.root / "programs").iterdir()}


@pytest.mark.usefixtures("workspace")
def test_the_entries_used_last_are_kept_and_none_of_today_goes() -> None:
    workspace = open_workspace()
    for key, days_ago in (("old", 9), ("older", 10), ("of today", 0.5), ("in use", 8)):
        entry(workspace, key, days_ago)
    workspace.entry("in use")
    assert workspace.let_go(2500) == 2
    assert kept(workspace) == {"of today", "in use"}
    assert workspace.let_go(0) == 0
    assert list((workspace.root / "scratch").iterdir()) == []


@pytest.mark.usefixtures("workspace")
def test_what_a_match_holds_is_kept_however_long_it_takes() -> None:
    workspace = open_workspace()
    for key in ("held", "old"):
        entry(workspace, key, days_ago=9)
    with workspace.hold(workspace.root / "programs" / "held" / "bot"), workspace.hold(Path("/usr/bin")):
        assert workspace.let_go(0) == 1
        assert kept(workspace) == {"held"}
    assert workspace.let_go(0) == 1


@pytest.mark.usefixtures("workspace")
def test_a_new_entry_makes_room_for_itself_once_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_MB_VARIABLE, "0")
    workspace = open_workspace()
    entry(workspace, "old", 3)
    publish(workspace, "a")
    assert kept(workspace) == {"a"}
    entry(workspace, "old", 3)
    publish(workspace, "b")
    assert kept(workspace) == {"a", "b", "old"}, "it looked just now"


@pytest.mark.usefixtures("workspace")
def test_a_full_disk_is_cleared_of_what_was_not_used_today_before_it_is_called_full(tmp_path: Path) -> None:
    workspace = open_workspace()
    entry(workspace, "old", 2)
    with pytest.raises(NoRoom, match="99999999999 MB are needed: free some space there, or choose"):
        workspace.require_free(99_999_999_999)
    assert kept(workspace) == set()


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


def test_bots_that_were_written_apart_are_not_alike() -> None:
    marcher = (GAMES.find("ice-and-fire").bots_folder / "marcher.py").read_text("utf-8")
    assert not likenesses({1: fingerprints(TRACKER, "python"), 2: fingerprints(marcher, "python")}, OWNERS)


def test_a_source_that_is_too_short_says_nothing() -> None:
    assert not fingerprints("print(7, 7)", "python")
    assert not likenesses({1: frozenset({1, 2}), 2: frozenset({1, 2})}, OWNERS)


def test_versions_of_one_player_are_not_compared() -> None:
    same = fingerprints(TRACKER, "python")
    assert likenesses({1: same, 2: same}, OWNERS)
    assert not likenesses({1: same, 2: same}, {1: "kim", 2: "kim"})


def test_what_was_given_to_all_does_not_count() -> None:
    same = fingerprints(TRACKER, "python")
    assert not likenesses({1: same, 2: same}, OWNERS, everybodys=same)
    many = range(MOST_OWNERS + 1)
    assert not likenesses(dict.fromkeys(many, same), {one: f"player{one}" for one in many})


def test_the_most_alike_come_first() -> None:
    whole = fingerprints(TRACKER, "python")
    half = fingerprints(TRACKER[: len(TRACKER) // 2] + DRIFTER, "python")
    found = likenesses({1: half, 2: whole, 3: whole}, {1: "kim", 2: "lee", 3: "mia"})
    assert (found[0].first, found[0].second) == (2, 3)
    assert [one.share for one in found] == sorted((one.share for one in found), reverse=True)
