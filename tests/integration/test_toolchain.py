"""Sources become programs: real compilers in the real sandbox, and the workspace that keeps what comes out.

What does not need a compiler is tested with a language of our own, `script`: its source is a shell script, run as the
compile step, and what it leaves in /out is the bot. So every test says itself what "the compiler" does.
"""

from __future__ import annotations

import dataclasses
import io
import os
import select
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import BuildRefused, MissingTool, SandboxFault, UsageFault
from engine.languages import Language, find_language, languages
from engine.program import Program, program_key
from engine.sandbox import open_sandbox
from engine.sandbox.box import Box, BoxedProcess, Limits, Sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.toolchain import build, choose_toolchain, find_built, pack, unpack
from engine.tools import missing_tools
from engine.workspace import STALE_S, open_workspace

CHECKOUT = Path(__file__).parents[2]
PATIENCE_S = 30.0

SCRIPT_LANGUAGE = """
[script]
title = "Script"
extensions = [".script"]
source = "bot.script"
[script.toolchains.sh]
run = ["sh", "{folder}/bot"]
tools = ["sh"]
compile = ["sh", "{source}"]
environment = { DEPTH = "7" }
build_environment = { BUILD = "yes" }
build_seconds = 20
"""
HELLO = "echo 'echo hello' > /out/bot\n"

# Bots that answer each line, in the way that CodinGame's own starting code does: without flushing where it does not.
ANSWERING = {
    "python": """
        while True:
            print("got", input())
    """,
    "c": """
        #include <stdio.h>
        int main(void) { char word[99]; while (scanf("%98s", word) == 1) printf("got %s\\n", word); }
    """,
    "cpp": """
        #include <cstdio>
        #include <iostream>
        int main() { std::string word; while (std::cin >> word) std::printf("got %s\\n", word.c_str()); }
    """,
    "rust": """
        fn main() { for line in std::io::stdin().lines() { println!("got {}", line.unwrap()); } }
    """,
    "java": """
        import java.util.Scanner;
        class Player {
            public static void main(String[] args) {
                Scanner in = new Scanner(System.in);
                while (in.hasNext()) System.out.println("got " + in.next());
            }
        }
    """,
    "javascript": """
        while (true) { console.log("got " + readline()); }
    """,
    "typescript": """
        function answer(word: string): string { return "got " + word; }
        while (true) { console.log(answer(readline())); }
    """,
    "go": """
        package main
        import "fmt"
        func main() { var word string; for { fmt.Scan(&word); fmt.Println("got", word) } }
    """,
    "csharp": """
        using System;
        class Player { static void Main() { while (true) Console.WriteLine("got " + Console.ReadLine()); } }
    """,
    "kotlin": """
        fun main(args: Array<String>) { while (true) println("got " + readLine()) }
    """,
    "ruby": """
        STDOUT.sync = true
        loop { puts "got " + gets }
    """,
    "php": """
        <?php while (true) { echo "got ", stream_get_line(STDIN, 99, "\\n"), "\\n"; }
    """,
    "perl": """
        $| = 1;
        while (my $line = <STDIN>) { print "got $line"; }
    """,
    "lua": """
        while true do print("got " .. io.read()) end
    """,
    "bash": """
        while read -r line; do echo "got $line"; done
    """,
}


class Counting:
    """The real sandbox, counting what it starts."""

    def __init__(self) -> None:
        self.name = "counting"
        self.real = open_sandbox()
        self.boxes: list[Box] = []

    def probe(self) -> None:
        self.real.probe()

    def start(self, box: Box) -> BoxedProcess:
        self.boxes.append(box)
        return self.real.start(box)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that everybody on this machine can reach, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="ladder-test-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def _own_cache_and_language(monkeypatch: pytest.MonkeyPatch, public_folder: Path) -> None:
    monkeypatch.setenv("LADDER_CACHE", str(public_folder / "cache"))
    monkeypatch.setenv("LADDER_LANGUAGES", str(public_folder / "languages.toml"))
    (public_folder / "languages.toml").write_text(SCRIPT_LANGUAGE)


@pytest.fixture
def sandbox() -> Sandbox:
    """The real sandbox."""
    return open_sandbox()


@pytest.fixture
def script() -> Language:
    """The language whose sources say themselves what their compiler does."""
    return find_language("script")


def converse(sandbox: Sandbox, program: Program, lines: list[str]) -> list[str]:
    """Send lines one by one, each after the answer to the one before."""
    process = sandbox.start(program.box())
    answers: list[str] = []
    try:
        process.ready()
        process.release()
        for line in lines:
            os.write(process.stdin, f"{line}\n".encode())
            answer = b""
            while not answer.endswith(b"\n") and select.select([process.stdout], [], [], PATIENCE_S)[0]:
                answer += os.read(process.stdout, 4096) or b"(end)\n"
            answers.append(answer.decode().rstrip("\n"))
    finally:
        process.kill()
    return answers


def output_of(sandbox: Sandbox, program: Program) -> str:
    """Run a program to its end and return what it printed."""
    return run_to_end(sandbox, program.box(), wall_limit_s=PATIENCE_S, output_kb=64).stdout.decode()


def is_installed(language: Language, sandbox: Sandbox) -> bool:
    """Say whether some toolchain of the language is here."""
    try:
        choose_toolchain(language, sandbox)
    except MissingTool:
        return False
    return True


def programs() -> list[str]:
    """Return the names of the entries in the workspace."""
    return sorted(path.name for path in (open_workspace().root / "programs").iterdir())


def scratch() -> list[str]:
    """Return what is in progress in the workspace."""
    return sorted(path.name for path in (open_workspace().root / "scratch").iterdir())


class TestEveryLanguage:
    """What is installed builds, runs and converses; what is not is named."""

    @pytest.mark.parametrize("name", sorted(set(languages()) - {"script"}))
    def test_a_bot_answers_line_by_line(self, name: str, sandbox: Sandbox) -> None:
        language = find_language(name)
        source = textwrap.dedent(ANSWERING[name]).strip()
        if is_installed(language, sandbox):
            assert converse(sandbox, build(source, language, sandbox), ["one", "two"]) == ["got one", "got two"]
        else:
            with pytest.raises(MissingTool, match=f"no toolchain for .* is installed.*{language.toolchains[0].name}"):
                build(source, language, sandbox)

    @pytest.mark.parametrize("name", sorted(set(languages()) - {"script", "typescript"}))
    def test_a_source_that_is_no_program_is_refused_in_the_tools_own_words(self, name: str, sandbox: Sandbox) -> None:
        language = find_language(name)
        if not is_installed(language, sandbox):
            assert missing_tools((*language.toolchains[0].build_tools, *language.toolchains[0].tools), [])
            return
        with pytest.raises(BuildRefused, match=r"source (does not compile|is not well formed)$") as caught:
            build("<?php )(\n", language, sandbox)
        assert language.source in caught.value.output
        assert str(open_workspace().root) not in caught.value.output
        assert programs() == scratch() == []

    def test_python_is_always_here(self, sandbox: Sandbox) -> None:
        assert is_installed(find_language("python"), sandbox)

    def test_a_python_source_is_refused_with_its_line_and_without_our_own(self, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused) as caught:
            build("a = 1\nb = = 2\n", find_language("python"), sandbox)
        assert caught.value.output.startswith('File "/bot/bot.py", line 2\n')
        assert "SyntaxError: invalid syntax" in caught.value.output

    @pytest.mark.parametrize("name", ["java", "javascript"])
    def test_a_runtime_with_a_heap_of_its_own_stays_below_the_memory_limit(self, name: str, sandbox: Sandbox) -> None:
        """It collects its garbage in time: 4 GB are allocated in all, 64 MB are alive."""
        source = {
            "java": "class Player { static byte[][] kept = new byte[8][]; public static void main(String[] args) {"
            'for (int i = 0; i < 512; i++) kept[i % 8] = new byte[8 << 20]; System.out.println("done"); } }',
            "javascript": "const kept = []; for (let i = 0; i < 512; i++) kept[i % 8] = new Float64Array(1 << 20);"
            'console.log("done");',
        }[name]
        language = find_language(name)
        if is_installed(language, sandbox):
            assert output_of(sandbox, build(source, language, sandbox)) == "done\n"
        else:
            with pytest.raises(MissingTool):
                build(source, language, sandbox)


class TestACompilerOfC:
    """What C++ sources may try with their compiler."""

    @pytest.fixture
    def cpp(self, sandbox: Sandbox) -> Language:
        return find_language("cpp")

    def refusal(self, source: str, language: Language, sandbox: Sandbox) -> str:
        """Build what must be refused and return message and words; where no compiler is, that it is missing."""
        if not is_installed(language, sandbox):
            with pytest.raises(MissingTool):
                build(source, language, sandbox)
            return ""
        with pytest.raises(BuildRefused) as caught:
            build(source, language, sandbox)
        return f"{caught.value}\n{caught.value.output}"

    @pytest.mark.parametrize("path", ["/etc/shadow", "/etc/passwd", "/root/.ssh/id_rsa"])
    def test_it_cannot_include_what_is_not_its_business(self, path: str, cpp: Language, sandbox: Sandbox) -> None:
        words = self.refusal(f'#include "{path}"\nint main() {{}}\n', cpp, sandbox)
        assert words == "" or "bot.cpp:1" in words
        assert "root:" not in words
        assert "LADDER" not in words

    def test_endless_templates_are_refused(self, cpp: Language, sandbox: Sandbox) -> None:
        source = "template <int N> struct S { S<N + 1> next; };\nS<0> s;\nint main() {}\n"
        words = self.refusal(source, cpp, sandbox)
        assert words == "" or "template instantiation depth" in words

    def test_a_compilation_without_end_is_stopped(self, cpp: Language, sandbox: Sandbox) -> None:
        source = "template <int N, int M> struct S { static constexpr long v = S<N-1, M*2>::v + S<N-1, M*2+1>::v; };\n"
        source += (
            "template <int M> struct S<0, M> { static constexpr long v = M; };\nint main() { return S<25, 1>::v; }\n"
        )
        hasty = tuple(dataclasses.replace(way, build_seconds=2) for way in cpp.toolchains)
        words = self.refusal(source, dataclasses.replace(cpp, toolchains=hasty), sandbox)
        assert words == "" or "does not compile within the limit of" in words


class TestBuilding:
    """The steps of a build and what can go wrong in them."""

    def test_what_the_compiler_leaves_is_the_bot(self, script: Language, sandbox: Sandbox) -> None:
        program = build(HELLO, script, sandbox)
        assert output_of(sandbox, program) == "hello\n"
        assert program.command == ("sh", "/bot/bot")
        assert (program.language, program.key) == ("script", program_key(HELLO, script))

    def test_the_limits_of_a_bot_are_those_of_its_box(self, script: Language, sandbox: Sandbox) -> None:
        program = build("echo 'ulimit -n; ulimit -d' > /out/bot", script, sandbox)
        box = program.box(Limits(memory_mb=300, open_files=77))
        assert run_to_end(sandbox, box, wall_limit_s=PATIENCE_S, output_kb=1).stdout == b"77\n307200\n"

    def test_bot_and_compiler_have_their_own_variables(self, script: Language, sandbox: Sandbox) -> None:
        program = build('echo "echo $DEPTH $BUILD; echo \\$DEPTH \\$BUILD" > /out/bot', script, sandbox)
        assert output_of(sandbox, program) == "7 yes\n7\n"

    def test_a_bot_may_be_many_files_in_folders(self, script: Language, sandbox: Sandbox) -> None:
        source = "mkdir -p /out/a/b; echo 'read word </bot/a/b/c; echo $word; exec ls -l /bot/run' > /out/bot\n"
        source += "echo deep > /out/a/b/c; echo > /out/run; chmod 700 /out/run; chmod 600 /out/bot\n"
        assert output_of(sandbox, build(source, script, sandbox)).startswith("deep\n-rwxr-xr-x")

    def test_the_compiler_sees_the_source_and_cannot_write_there(self, script: Language, sandbox: Sandbox) -> None:
        source = "ls /bot; touch /bot/more && exit 0; echo 'echo fine' > /out/bot\n"
        counting = Counting()
        assert output_of(sandbox, build(source, script, counting)) == "fine\n"
        assert [box.writable for box in counting.boxes] == [True]

    def test_a_failure_has_the_compilers_words(self, script: Language, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused, match=r"^the Script source does not compile$") as caught:
            build("echo looking; echo '/bot/bot.script:1: no' >&2; exit 3", script, sandbox)
        assert caught.value.output == "looking\n/bot/bot.script:1: no"

    def test_words_cannot_play_with_a_terminal(self, script: Language, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused) as caught:
            build("printf '\\033]0;owned\\007\\r\\tok \\303\\251 \\302\\233 \\377'; exit 1", script, sandbox)
        assert caught.value.output == "]0;owned\tok é  \ufffd"

    def test_endless_words_are_cut(self, script: Language, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused) as caught:
            build("yes no | head -c 30000000; yes no | head -c 30000000 >&2; exit 1", script, sandbox)
        assert len(caught.value.output) < 40_000
        assert caught.value.output.endswith("\n[...]")

    def test_a_build_that_takes_too_long_says_the_limit(self, script: Language, sandbox: Sandbox) -> None:
        hasty = dataclasses.replace(script, toolchains=(dataclasses.replace(script.toolchains[0], build_seconds=1),))
        with pytest.raises(
            BuildRefused, match=r"^the Script source does not compile within the limit of 1 s$"
        ) as caught:
            build("echo still busy; sleep 600", hasty, sandbox)
        assert caught.value.output == "still busy"

    def test_a_build_that_needs_too_much_memory_says_the_limit(self, script: Language, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused, match=r"does not compile within the limit of 2048 MB of memory$") as caught:
            build("dd if=/dev/urandom of=/dev/null bs=3G count=1", script, sandbox)
        assert "memory exhausted" in caught.value.output

    @pytest.mark.parametrize(
        ("source", "words"),
        [
            ("true", "compiling left nothing that could be run"),
            ("mkdir /out/a", "compiling left nothing that could be run"),
            ("ln -s /etc/shadow /out/bot", "left what cannot be kept: 'bot' is neither a file nor a folder"),
            ("mkfifo /out/bot", "does not compile"),
            (
                "truncate -s 70M /out/bot",
                "the built bot has 70 MB in 1 files, the limit is 64 MB|too large: the limit is 64 MB",
            ),
        ],
    )
    def test_what_cannot_be_kept_is_refused(self, source: str, words: str, script: Language, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused, match=words):
            build(source, script, sandbox)
        assert programs() == scratch() == []

    def test_a_bot_is_built_once(self, script: Language) -> None:
        counting = Counting()
        first = build(HELLO, script, counting)
        made = (first.folder / "bot").stat()
        assert build(HELLO, script, counting) == first
        assert len(counting.boxes) == 1
        assert (first.folder / "bot").stat() == made
        assert find_built(first.key) == first

    def test_a_bot_that_was_never_built_is_not_found(self, script: Language) -> None:
        assert find_built(program_key(HELLO, script)) is None

    def test_a_bot_is_ours_and_cannot_be_changed_by_bots(self, script: Language, sandbox: Sandbox) -> None:
        program = build("umask 0; echo 'echo x > /bot/bot || echo no' > /out/bot; chmod 777 /out/bot", script, sandbox)
        status = (program.folder / "bot").stat()
        assert (status.st_uid, status.st_mode & 0o777) == (os.geteuid(), 0o755)
        assert output_of(sandbox, program) == "no\n"

    def test_a_tool_that_vanished_is_our_problem_and_not_the_bots(
        self, script: Language, sandbox: Sandbox, public_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = build(HELLO, script, sandbox)
        other = public_folder / "other.toml"
        other.write_text(SCRIPT_LANGUAGE.replace('tools = ["sh"]', 'tools = ["sh", "gone"]'))
        monkeypatch.setenv("LADDER_LANGUAGES", str(other))
        with pytest.raises(MissingTool, match="Script bots are run by gone, not installed"):
            find_built(program.key)

    def test_tools_outside_usr_are_found_where_the_table_says(
        self, sandbox: Sandbox, public_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tool = public_folder / "kit-2.0" / "bin" / "our-compiler"
        tool.parent.mkdir(parents=True)
        tool.write_text("#!/bin/sh\ncp $1 /out/bot\n")
        tool.chmod(0o755)
        table = SCRIPT_LANGUAGE.replace('compile = ["sh", "{source}"]', 'compile = ["our-compiler", "{source}"]')
        table += f'build_tools = ["our-compiler"]\nextra_paths = ["{public_folder}/none", "{public_folder}/kit-*"]\n'
        table = table.replace("build_seconds = 20\n", "")
        other = public_folder / "other.toml"
        other.write_text(table)
        monkeypatch.setenv("LADDER_LANGUAGES", str(other))
        assert output_of(sandbox, build("echo ours", find_language("script"), sandbox)) == "ours\n"
        tool.parent.parent.chmod(0o700 if os.geteuid() == 0 else 0o000)
        with pytest.raises(MissingTool, match="our-compiler missing"):
            build("echo again", find_language("script"), sandbox)
        tool.parent.parent.chmod(0o755)

    def test_a_toolchain_whose_probe_fails_is_passed_over(self, script: Language, sandbox: Sandbox) -> None:
        good = script.toolchains[0]
        old = dataclasses.replace(good, name="old", probe=("sh", "-c", "exit 9"), compile=("false",))
        both = dataclasses.replace(script, toolchains=(old, dataclasses.replace(good, probe=("true",))))
        assert output_of(sandbox, build(HELLO, both, sandbox)) == "hello\n"
        with pytest.raises(MissingTool, match=r"old \(sh too old or incomplete\)"):
            build(HELLO + "#", dataclasses.replace(script, toolchains=(old,)), sandbox)


class TestArchives:
    """Built bots as bytes."""

    def test_a_bot_runs_on_another_machine(
        self, script: Language, sandbox: Sandbox, public_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        source = "mkdir /out/deep; echo data > /out/deep/data\n"
        source += "echo 'read word </bot/deep/data; echo $word; exec /bot/run' > /out/bot\n"
        source += "printf '#!/bin/sh\\necho ran\\n' > /out/run; chmod +x /out/run\n"
        here = build(source, script, sandbox)
        archive = pack(here)
        monkeypatch.setenv("LADDER_CACHE", str(public_folder / "another machine"))
        counting = Counting()
        there = unpack(archive, here.key)
        assert there.folder != here.folder
        assert output_of(sandbox, there) == "data\nran\n"
        assert pack(there) == archive
        assert unpack(b"no archive at all", here.key) == there
        assert build(source, script, counting) == there
        assert counting.boxes == []

    def test_the_same_bot_gives_the_same_bytes(
        self, script: Language, sandbox: Sandbox, public_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        archives = set[bytes]()
        for name in ("one", "two"):
            monkeypatch.setenv("LADDER_CACHE", str(public_folder / name))
            program = build(HELLO, script, sandbox)
            os.utime(program.folder / "bot", (len(name), 12345))
            archives.add(pack(program))
        assert len(archives) == 1

    def malicious(self, *members: tarfile.TarInfo) -> bytes:
        """Return an archive with these members, regular files filled with zeros."""
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
            for member in members:
                archive.addfile(member, io.BytesIO(bytes(member.size)) if member.isreg() else None)
        return buffer.getvalue()

    def member(self, name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0) -> tarfile.TarInfo:
        """Return a member of an archive."""
        member = tarfile.TarInfo(name)
        member.type, member.linkname, member.size = kind, link, size
        return member

    @pytest.mark.parametrize(
        ("name", "kind", "link"),
        [
            ("../outside", tarfile.REGTYPE, ""),
            ("bot/../../outside", tarfile.REGTYPE, ""),
            ("/tmp/ladder-test-outside", tarfile.REGTYPE, ""),  # noqa: S108 - what an attacker would name
            ("bot", tarfile.SYMTYPE, "/etc"),
            ("bot", tarfile.LNKTYPE, "/etc/passwd"),
            ("bot", tarfile.CHRTYPE, ""),
            ("bot", tarfile.FIFOTYPE, ""),
        ],
    )
    def test_an_archive_cannot_reach_outside(self, name: str, kind: bytes, link: str) -> None:
        with pytest.raises(SandboxFault, match="the stored build aaaaaaaaaaaa cannot be unpacked"):
            unpack(self.malicious(self.member(name, kind, link)), "a" * 64)
        assert programs() == scratch() == []
        assert not Path("/tmp/ladder-test-outside").exists()  # noqa: S108

    def test_an_archive_cannot_be_a_bomb(self) -> None:
        for words, bomb in (
            ("larger than 64 MB", self.malicious(self.member("large", size=75 * 2**20))),
            ("5001 files", self.malicious(*(self.member(f"file-{number}") for number in range(5001)))),
        ):
            with pytest.raises(SandboxFault, match=f"cannot be unpacked: .*{words}"):
                unpack(bomb, "a" * 64)
        assert programs() == scratch() == []

    def test_a_damaged_archive_is_our_fault(self, script: Language, sandbox: Sandbox) -> None:
        archive = pack(build(HELLO, script, sandbox))
        flipped = bytearray(archive)
        flipped[len(archive) // 2] ^= 0xFF
        for damaged in (b"", b"garbage", archive[: len(archive) // 2], archive[:-1], bytes(flipped)):
            with pytest.raises(SandboxFault, match="the stored build a"):
                unpack(damaged, "a" * 64)
        assert find_built("a" * 64) is None

    def test_an_archive_of_something_else_is_our_fault(self) -> None:
        with pytest.raises(SandboxFault, match="does not say how it was built"):
            unpack(self.malicious(self.member("readme")), "a" * 64)

    @pytest.mark.parametrize("key", ["", "../../etc", "A" * 64, "a" * 63])
    def test_only_a_key_names_a_program(self, key: str) -> None:
        with pytest.raises(ValueError, match="is not the key of a program"):
            find_built(key)


class TestTheWorkspace:
    """Where built bots are kept."""

    def builder(self, source: str, *, uid: int | None = None) -> subprocess.Popen[str]:
        """Start a process that builds `source`, as another user where one is named, and prints the key."""
        code = textwrap.dedent(f"""
            import os
            from engine.languages import find_language
            from engine.sandbox import open_sandbox
            from engine.sandbox.run_to_end import run_to_end
            from engine.sandbox.seccomp import Policy, compile_filter
            from engine.sandbox.watch import our_watch
            from engine.toolchain import build
            find_language("script"), our_watch(), compile_filter(Policy())  # that user may not reach our Python
            if {uid!r} is not None:
                os.setgroups([])
                os.setresgid({uid}, {uid}, {uid})
                os.setresuid({uid}, {uid}, {uid})
            sandbox = open_sandbox()
            program = build({source!r}, find_language("script"), sandbox)
            print(run_to_end(sandbox, program.box(), wall_limit_s=30, output_kb=1).stdout.decode().strip(), program.key)
        """)
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
        return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)

    def test_workers_that_build_the_same_at_the_same_time_all_get_it(self, script: Language) -> None:
        builders = [self.builder(f"sleep 0.3; {HELLO}") for _ in range(4)]
        words = {builder.communicate(timeout=60)[0] for builder in builders}
        key = program_key(f"sleep 0.3; {HELLO}", script)
        assert words == {f"hello {key}\n"}
        assert (programs(), scratch()) == ([key], [])

    def test_a_worker_killed_while_it_builds_leaves_nothing_that_counts(self, script: Language) -> None:
        open_workspace()
        builder = self.builder("echo half > /out/bot; sleep 600")
        try:
            deadline = time.monotonic() + 60
            root = open_workspace().root
            while not list(root.glob("scratch/*/source/bot.script")):
                assert time.monotonic() < deadline
                time.sleep(0.02)
        finally:
            builder.send_signal(signal.SIGKILL)
            builder.communicate()
        assert programs() == []
        (left,) = (root / "scratch").iterdir()
        os.utime(left, (0, time.time() - STALE_S - 60))
        with open_workspace().scratch():
            assert not left.exists()

    def test_an_ordinary_user_has_a_workspace_of_its_own(
        self, public_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        uid = 4242 if os.geteuid() == 0 else os.geteuid()
        home = public_folder / "home"
        home.mkdir()
        os.chown(home, uid, uid)
        monkeypatch.delenv("LADDER_CACHE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        builder = self.builder(HELLO, uid=4242 if os.geteuid() == 0 else None)
        assert builder.communicate(timeout=60)[0].startswith("hello ")
        entry = next((home / "cache" / "ladder" / "programs").iterdir())
        assert entry.stat().st_uid == uid
        assert (home / "cache").stat().st_mode & 0o777 == 0o700

    @pytest.mark.parametrize("path", ["/proc/nowhere/ladder", "/dev/null/ladder"])
    def test_a_cache_that_cannot_be_made_is_told(self, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LADDER_CACHE", path)
        with pytest.raises(UsageFault, match=rf"cannot use the cache folder {path}: .*LADDER_CACHE"):
            open_workspace()

    def test_a_cache_that_bots_cannot_reach_is_told(self, public_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        closed = public_folder / "closed"
        closed.mkdir()
        monkeypatch.setenv("LADDER_CACHE", str(closed / "cache"))
        open_workspace()
        closed.chmod(0o700)
        monkeypatch.setattr(os, "getresuid", lambda: (0, 0, 0))
        with pytest.raises(UsageFault, match=rf"bots run as uid 65432, which may not enter {closed} .*LADDER_CACHE"):
            open_workspace()

    def test_a_disk_without_room_is_our_fault(self) -> None:
        with pytest.raises(SandboxFault, match=r"MB free, 1000000000 MB are needed"):
            open_workspace().require_free(10**9)

    def test_a_workspace_that_vanishes_is_our_fault(self, script: Language) -> None:
        workspace = open_workspace()
        shutil.rmtree(workspace.root)
        with pytest.raises(SandboxFault, match="cannot write below"), workspace.scratch():
            pass

    def test_the_umask_does_not_matter(
        self, script: Language, sandbox: Sandbox, public_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("LADDER_CACHE", str(public_folder / "a" / "b" / "c"))
        before = os.umask(0o077)
        try:
            program = build(HELLO, script, sandbox)
            again = pack(program)
            monkeypatch.setenv("LADDER_CACHE", str(public_folder / "d"))
            assert output_of(sandbox, unpack(again, program.key)) == "hello\n"
        finally:
            os.umask(before)
        assert output_of(sandbox, program) == "hello\n"
