"""Bots of many files, built in the box by their `ladder.toml`, and programs that play as they are.

A bot starts no processes, so the shell scripts here do all by themselves.
"""

import os
import shutil
from pathlib import Path

import pytest

from engine.bot.runtime_work import NO_RUNTIME
from engine.errors import BuildRefused, UsageFault
from engine.sandbox.box import Sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.series import build_file, built
from engine.toolchains.build import build
from engine.toolchains.given_bot import OwnProgram, mount_program, read_bot, shows_too_much, tree_of_own_program
from engine.toolchains.languages import Language, find_language
from engine.toolchains.program import Program, find_program, missing_tools, pack, unpack
from engine.toolchains.source import Member, Tree, read_folder, tree_of
from engine.workspace import open_workspace
from tests.integration.toolchain.conftest import output_of, programs, scratch
from tests.patience import patience_s
from tests.throwaway import written


def tree(folder: Path, settings: str, **files: str) -> Tree:
    for name, text in {"ladder_toml": settings, **files}.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read_folder(folder)


class TestFavours:
    """Processes, shared memory, an allowance: they are for what the language's own recipe starts."""

    @staticmethod
    def program(folder: Path, sandbox: Sandbox, settings: str, **files: str) -> Program:
        return build(tree(folder, settings, **files), find_language(settings.split('"')[1]), sandbox)

    @pytest.mark.parametrize(
        ("settings", "files", "forks"),
        [
            pytest.param('source = "bot.sh"', {}, True, id="the recipe's own command"),
            pytest.param('run = ["sh", "{folder}/bot.sh"]', {}, False, id="a command of its own"),
            pytest.param('build = ["true"]', {}, False, id="a build of its own"),
            pytest.param('source = "bot.sh"', {"tool": "\x7fELF"}, False, id="machine code beside it"),
            pytest.param('source = "bot.sh"', {"data__tool_txt": "\x7fELF"}, False, id="machine code by another name"),
        ],
    )
    def test_a_bash_bot_may_start_processes_where_bash_is_what_runs(
        self, tmp_path: Path, sandbox: Sandbox, settings: str, files: dict[str, str], forks: bool
    ) -> None:
        program = self.program(tmp_path, sandbox, f'language = "bash"\n{settings}\n', bot_sh="read line\n", **files)
        assert program.forks is forks
        assert find_program(program.key) == program

    @pytest.mark.parametrize(
        ("settings", "make", "has_allowance"),
        [
            pytest.param("", "touch Player.class", True, id="a build of its own that leaves a class"),
            pytest.param("", "touch player", False, id="a build of its own that leaves none"),
            pytest.param("", "touch Player.class; printf '\\177ELF' > x", False, id="a build that leaves machine code"),
            pytest.param('run = ["java", "Player"]', "touch Player.class", False, id="a command of its own"),
        ],
    )
    def test_a_java_bot_has_the_allowance_where_java_runs_its_classes(
        self, tmp_path: Path, sandbox: Sandbox, settings: str, make: str, has_allowance: bool
    ) -> None:
        if missing_tools(("java", "javac"), []):
            pytest.skip("no JDK is installed here")
        settings = f'language = "java"\nbuild = ["sh", "make.sh"]\nsource = "Player.java"\n{settings}\n'
        program = self.program(tmp_path, sandbox, settings, Player_java="class Player {}\n", make_sh=make)
        assert (program.runtime != NO_RUNTIME) is has_allowance


class TestFolders:
    def test_a_bot_of_several_files_runs_by_its_language_alone(self, tmp_path: Path, sandbox: Sandbox) -> None:
        source = tree(
            tmp_path,
            'language = "python"\nsource = "src/main.py"\n',
            src__main_py="import words\nprint(words.WORD, open('/bot/data.txt').read())\n",
            src__words_py="WORD = 'three'\n",
            data_txt="fish",
        )
        program = build(source, find_language("python"), sandbox)
        assert program.command == ("python3", "-u", "/bot/src/main.py")
        assert output_of(sandbox, program) == "three fish\n"
        assert find_program(program.key) == program
        shutil.rmtree(open_workspace().entry(program.key))
        packed = pack(build(source, find_language("python"), sandbox))
        shutil.rmtree(open_workspace().entry(program.key))
        assert unpack(packed, program.key) == program, "on another machine it is the same"

    @pytest.mark.parametrize("name", ["by_line.c", "by_line.c/more.c"])
    def test_what_is_in_our_files_way_is_the_bots_fault(self, tmp_path: Path, sandbox: Sandbox, name: str) -> None:
        source = tree_of(
            [
                Member("ladder.toml", b'language = "c"\nsource = "bot.c"\n'),
                Member("bot.c", b"int main() {}"),
                Member(name, b""),
            ]
        )
        with pytest.raises(BuildRefused, match=r"^Ladder puts a file called by_line\.c beside the source"):
            build(source, find_language("c"), sandbox)

    def test_a_folder_says_itself_how_it_is_built_and_run(self, tmp_path: Path, sandbox: Sandbox) -> None:
        """The build runs in a copy that it may write to, and what then is there is the bot."""
        source = tree(
            tmp_path,
            'language = "script"\nsource = "main.script"\n'
            'build = ["sh", "make.sh", "{folder}", "{out}"]\nrun = ["./bin/bot", "six moves", "{folder}"]\n',
            main_script="unused",
            make_sh="pwd; echo $1 $2 $BUILD; mkdir bin; echo '#!/bin/sh' > bin/bot; cat words >> bin/bot; "
            "chmod +x bin/bot; echo more >> words; touch /bot/x && exit 1; touch done; exit 0\n",
            words='echo "$0 $1 $2" *; while read -r line; do echo "$line"; done < words\n',
        )
        program = build(source, find_language("script"), sandbox)
        assert output_of(sandbox, program) == (
            "./bin/bot six moves /bot bin done ladder.toml main.script make.sh words\n"
            'echo "$0 $1 $2" *; while read -r line; do echo "$line"; done < words\nmore\n'
        )
        assert "/out\n/bot /out yes" in program.warnings
        assert find_program(program.key) == program

    def test_what_a_compiler_makes_stands_beside_the_bots_own_files(self, tmp_path: Path, sandbox: Sandbox) -> None:
        source = tree(
            tmp_path,
            'language = "cpp"\nsource = "src/main.cpp"\n',
            src__main_cpp='#include "../parts/fish.h"\n#include <fstream>\n#include <iostream>\n#include <string>\n'
            'int main() { std::string words; std::ifstream("/bot/data.txt") >> words; '
            "std::cout << FISH << words << std::endl; }\n",
            parts__fish_h='#define FISH "kraken "\n',
            data_txt="weights",
        )
        assert output_of(sandbox, build(source, find_language("cpp"), sandbox)) == "kraken weights\n"

    def test_that_a_file_may_be_run_stays_so(self, tmp_path: Path, script: Language, sandbox: Sandbox) -> None:
        (tmp_path / "tool").write_text("#!/bin/sh\necho ran\n")
        (tmp_path / "tool").chmod(0o755)
        source = tree(tmp_path, 'language = "script"\nsource = "tool"\nbuild = ["./tool"]\nrun = ["./tool"]\n')
        assert output_of(sandbox, build(source, script, sandbox)) == "ran\n"

    def test_the_same_content_alone_is_built_once(self, tmp_path: Path, script: Language, sandbox: Sandbox) -> None:
        settings = 'language = "script"\nbuild = ["true"]\nrun = ["cat", "words"]\n'
        first = build(tree(tmp_path / "a", settings, words="one"), script, sandbox)
        assert build(tree(tmp_path / "b", settings, words="one"), script, sandbox) == first
        other = build(tree(tmp_path / "c", settings, words="two"), script, sandbox)
        assert [output_of(sandbox, program) for program in (first, other)] == ["one", "two"]
        assert programs() == sorted([first.key, other.key])

    @pytest.mark.parametrize(
        ("build_words", "words"),
        [
            ('["false"]', "the Script source does not compile"),
            ('["sh", "-c", "dd if=/dev/urandom of=/dev/null bs=3G count=1"]', "more than the 2048 MB of memory"),
            (
                '["sh", "-c", "seq 30000 | xargs touch"]',
                "made more than the 20,000 files|left what cannot be kept: it has 3",
            ),
        ],
    )
    def test_a_build_of_ones_own_has_the_limits_of_builds(
        self, tmp_path: Path, script: Language, sandbox: Sandbox, build_words: str, words: str
    ) -> None:
        source = tree(tmp_path, f'language = "script"\nsource = "x.script"\nbuild = {build_words}\n', x_script="")
        with pytest.raises(BuildRefused) as caught:
            build(source, script, sandbox)
        assert any(part in f"{caught.value}" for part in words.split("|")), str(caught.value)
        assert programs() == scratch() == []


def compiled(folder: Path, name: str, code: str) -> Path:
    """Write a program of one's own, a script or machine code, that says what it finds."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    path = written(folder / name, f"#!/bin/sh\n{code}\n")
    path.chmod(0o755)
    return path


class TestPrograms:
    def test_it_sees_its_folder_and_cannot_write_there(self, public_folder: Path, sandbox: Sandbox) -> None:
        code = 'echo "$0" "$@"; read -r line < book; echo "$line"; echo x > x || pwd; echo *; echo ../*'
        path = compiled(public_folder / "wahoo", "wahoo_bin", code)
        (path.parent / "book").write_text("opening\n")
        lines = output_of(sandbox, build_file(f"{path} --depth '8 plies'", 100, None)).splitlines()
        assert lines[:4] == ["/bot/wahoo_bin --depth 8 plies", "opening", "/bot", "book wahoo_bin"]
        assert not {"../home", "../root", "../tmp", "../var"} & {*lines[4].split()}
        assert sorted(file.name for file in path.parent.iterdir()) == ["book", "wahoo_bin"]

    def test_what_lies_in_a_common_folder_is_shown_alone(
        self, public_folder: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOME", str(public_folder / "home"))
        (public_folder / "home").mkdir()
        (public_folder / "home" / "secret").write_text("secret")
        path = compiled(public_folder / "home", "wahoo", 'echo * "$@"')
        assert output_of(sandbox, build_file(f"{path} -v", 100, None)) == "ladder.toml wahoo -v\n"
        for folder in ("/", "/tmp", "/etc", "/usr/bin", "/usr/games", "/dev/shm", "/root/.ssh", "/home"):  # noqa: S108
            assert shows_too_much(Path(folder)), folder
        assert not shows_too_much(public_folder / "wahoo")
        assert isinstance(read_bot("/usr/bin/true", 100).content, Tree)

    @pytest.mark.parametrize("kind", ["pipe", "closed", "interpreter", "mode", "text", "arguments"])
    def test_what_cannot_be_played_is_refused_in_one_sentence(self, public_folder: Path, kind: str) -> None:
        path = compiled(public_folder / "wahoo", "wahoo", "true")
        word, words = str(path), ""
        if kind == "pipe":
            os.mkfifo(path.parent / "talk")
            words = "talk is a pipe, a socket or a device: give the program a folder of its own"
        elif kind == "closed":
            path.parent.chmod(0o700 if os.geteuid() == 0 else 0o300)
            words = f"may not enter {path.parent}: put wahoo into a folder that others may enter"
        elif kind == "interpreter":
            path.write_text("#!/opt/python/bin/python3\n")
            words = "is run by '/opt/python/bin/python3', which bots cannot use: it is not below /usr"
        elif kind == "mode":
            path.chmod(0o644)
            words = f"{path} is a program that may not be run: type chmod +x {path}"
        elif kind == "text":
            path.write_text("hello")
            words = "'wahoo' has no ending that names its language"
        else:
            source = path.with_suffix(".py")
            source.write_text("print()")
            word, words = f"{source} --depth 8", f"{source} is not a program, and only programs can be given arguments"
        with pytest.raises(UsageFault) as caught:
            build_file(word, 100, None)
        assert words in str(caught.value)
        path.parent.chmod(0o755)

    def test_as_a_submission_it_is_a_tree_of_its_one_file(self, public_folder: Path, sandbox: Sandbox) -> None:
        path = compiled(public_folder / "wahoo", "wa hoo", 'echo *; echo "$@"')
        given = read_bot(f"'{path}' --name 'ö \"x\\y' ''", 100)
        assert isinstance(given.content, OwnProgram)
        assert (given.name, given.stem) == ("wa hoo --name 'ö \"x\\y' ''", "wa hoo")
        assert output_of(sandbox, build(given.source, given.language, sandbox)) == (
            'ladder.toml wa hoo\n--name ö "x\\y \n'
        )
        assert (
            tree_of_own_program(given.content).hash
            == tree_of_own_program(OwnProgram(path.resolve(), given.arguments)).hash
        )

    def test_machine_code_plays_too(self, public_folder: Path, sandbox: Sandbox) -> None:
        folder = public_folder / "wahoo"
        compiled(folder, "x", "true").unlink()
        shutil.copy("/usr/bin/printf", folder / "wahoo_bin")
        program = build_file(f"{folder}/wahoo_bin %s 7", 100, None)
        assert isinstance(program, Program)
        assert run_to_end(sandbox, program.box(), wall_limit_s=patience_s(), output_kb=1).stdout == b"7"
        assert mount_program(OwnProgram((folder / "wahoo_bin").resolve(), ("%s", "7"))) == program
        assert built(read_bot(folder / "wahoo_bin", 100).source, find_language("program"), None).language == "program"
