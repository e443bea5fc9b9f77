"""How a source becomes a program: what is kept, what is refused in the compiler's words, its limits, busy hosts."""

import dataclasses
import os
import resource
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from engine.boxes import Limits
from engine.cores import FOLDER, core_for_a_match, try_lock
from engine.errors import BuildRefused, HostBusy, MissingTool, SandboxFault
from engine.sandbox.box import Box, BoxedProcess, Sandbox
from engine.sandbox.budget import Budget
from engine.sandbox.run_to_end import Finished, run_to_end
from engine.series import MOST_TRIES
from engine.toolchains.bot_folder import source_hash
from engine.toolchains.build import BUILD_THREADS, build
from engine.toolchains.languages import Language, find_language
from engine.toolchains.program import Program, find_program, pack, program_key, unpack
from engine.workspace import open_workspace
from tests.fair import busy_programs
from tests.integration.toolchain.conftest import HELLO, SCRIPT_LANGUAGE, Counting, output_of, programs, scratch
from tests.patience import patience_s
from tests.throwaway import written


def by_python(program: str) -> str:
    return f"cd /out; echo 'echo hello' > bot; python3 - <<'END'\n{program}\nEND\n"


def leaving(archive: str) -> str:
    """Return a source whose build writes the archive that comes to us itself; lines of Python add to `tar`."""
    return by_python(f"""
import io, os, tarfile
out = io.BytesIO()
tar = tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT)
def add(name, kind=tarfile.REGTYPE, **header):
    entry = tarfile.TarInfo(name)
    entry.type = kind
    for key, value in header.items():
        setattr(entry, key, value)
    tar.addfile(entry)
{archive}
tar.close()
ours = {{os.readlink(f"/proc/self/fd/{{number}}") for number in range(3)}}
for name in os.listdir("/proc/1/fd"):
    path = os.readlink(f"/proc/1/fd/{{name}}")
    if path.startswith("pipe:") and path not in ours and name != "0":
        open(f"/proc/1/fd/{{name}}", "wb", buffering=0).write(out.getvalue())
""")


class TestBuilding:
    def test_what_the_compiler_leaves_is_the_bot(self, script: Language, sandbox: Sandbox) -> None:
        program = build(HELLO, script, sandbox)
        assert output_of(sandbox, program) == "hello\n"
        assert program.command == ("sh", "/bot/bot")
        assert (program.language, program.key) == ("script", program_key(source_hash(HELLO), script))

    def test_the_limits_of_a_bot_are_those_of_its_box(self, script: Language, sandbox: Sandbox) -> None:
        box = build("echo 'ulimit -n; ulimit -d' > /out/bot", script, sandbox).box(Limits(memory_mb=300, open_files=77))
        assert run_to_end(sandbox, box, wall_limit_s=patience_s(), output_kb=1).stdout == b"77\n307200\n"

    def test_bot_and_compiler_have_their_own_variables(self, script: Language, sandbox: Sandbox) -> None:
        program = build('echo "echo $DEPTH $BUILD; echo \\$DEPTH \\$BUILD" > /out/bot', script, sandbox)
        assert output_of(sandbox, program) == "7 yes\n7\n"

    def test_a_bot_may_be_many_files_in_folders(self, script: Language, sandbox: Sandbox) -> None:
        source = "mkdir -p /out/a/b; echo 'read word </bot/a/b/c; echo $word; exec ls -l /bot/run' > /out/bot\n"
        source += "echo deep > /out/a/b/c; echo > /out/run; chmod 700 /out/run; chmod 600 /out/bot\n"
        assert output_of(sandbox, build(source, script, sandbox)).startswith("deep\n-r-xr-xr-x")

    def test_the_compiler_sees_the_source_and_cannot_write_there(self, script: Language, sandbox: Sandbox) -> None:
        source = "ls /bot; touch /bot/more && exit 0; echo 'echo fine' > /out/bot\n"
        counting = Counting()
        assert output_of(sandbox, build(source, script, counting)) == "fine\n"
        assert [box.writable for box in counting.boxes] == [True]

    def test_the_compiler_may_write_beside_its_source_in_a_copy(self, script: Language, sandbox: Sandbox) -> None:
        source = 'cd "$(dirname "$0")"; touch beside; echo more >> bot.script; ls > /out/bot\n'
        assert "beside" in (build(source, script, sandbox).folder / "bot").read_text().split()
        program = build(f"{HELLO} touch beside; touch $0.o\n", script, sandbox)
        assert [path.name for path in program.folder.iterdir()] == ["bot"]
        assert output_of(sandbox, program) == "hello\n"

    def test_a_failure_has_the_compilers_words(self, script: Language, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused, match=r"^the Script source does not compile$") as caught:
            build("echo looking; echo '/bot/bot.script:1: no' >&2; exit 3", script, sandbox)
        assert caught.value.output == "looking\nbot.script:1: no"

    def test_words_cannot_play_with_a_terminal(self, script: Language, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused) as caught:
            build("printf '\\033]0;owned\\007\\r\\tok \\303\\251 \\302\\233 \\377'; exit 1", script, sandbox)
        assert caught.value.output == "\u241b]0;owned\u2407\u240d\tok é \ufffd \ufffd"

    def test_endless_words_are_cut(self, script: Language, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused) as caught:
            build("yes no | head -c 30000000; yes no | head -c 30000000 >&2; exit 1", script, sandbox)
        assert len(caught.value.output) < 40_000
        assert caught.value.output.endswith("\n[...]")

    def test_a_build_that_takes_too_long_says_the_limit(self, script: Language, sandbox: Sandbox) -> None:
        hasty = dataclasses.replace(script, toolchains=(dataclasses.replace(script.toolchains[0], build_seconds=1),))
        with pytest.raises(
            BuildRefused, match=r"^compiling the Script source took more than the 1 s that it may$"
        ) as caught:
            build("echo still busy; sleep 600", hasty, sandbox)
        assert caught.value.output == "still busy"

    def test_a_build_that_needs_too_much_memory_says_the_limit(self, script: Language, sandbox: Sandbox) -> None:
        with pytest.raises(
            BuildRefused, match=r"^compiling .* took more than the 2048 MB of memory that it may$"
        ) as caught:
            build("dd if=/dev/urandom of=/dev/null bs=3G count=1", script, sandbox)
        assert "memory exhausted" in caught.value.output

    @pytest.mark.parametrize(
        ("source", "words"),
        [
            ("true", "compiling left nothing that could be run"),
            ("mkdir /out/a", "compiling left nothing that could be run"),
            ("ln -s /etc/shadow /out/bot", "left what cannot be kept: 'bot' is neither a file nor a folder"),
        ],
    )
    def test_what_cannot_be_kept_is_refused(self, source: str, words: str, script: Language, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused, match=words):
            build(source, script, sandbox)
        assert programs() == scratch() == []

    @pytest.mark.parametrize(
        ("source", "words"),
        [
            pytest.param(
                by_python("import os\nfor _ in range(22): os.mkdir('x' * 255); os.chdir('x' * 255)\nopen('f', 'w')"),
                "the name ./x+... is too long",
                id="long names in each other",
            ),
            pytest.param(
                by_python("import os\nfor _ in range(300): os.mkdir('x'); os.chdir('x')\nopen('f', 'w')"),
                "x/x/x.* is too deep: 64 folders in each other are the limit",
                id="folders in each other",
            ),
            pytest.param(
                leaving("tar.format = tarfile.PAX_FORMAT; add('a', pax_headers={'path': 'a\\0b'})"),
                "the name a",
                id="NUL",
            ),
            pytest.param(
                by_python("import os\nos.symlink('b', 'a'); os.symlink('a', 'b')"), "'[ab]' is neither", id="loop"
            ),
            pytest.param(leaving("add('bot'); add('bot/x')"), "bot is a file and a folder", id="below a file"),
            pytest.param(
                leaving("add('bot'); add('bot', tarfile.DIRTYPE)"), "bot is a file and a folder", id="file and folder"
            ),
            pytest.param(leaving("add('a/b'); add('a')"), "a is a file and a folder", id="over a folder"),
            pytest.param(leaving("add('bot'); add('./bot')"), "two files called bot", id="twice"),
            pytest.param(leaving("add('../bot')"), "the name ../bot leads out of it", id="outside"),
            pytest.param(leaving("add('.')"), "'' is neither a file nor a folder", id="the folder itself"),
            pytest.param(leaving("add('a', tarfile.LNKTYPE, linkname='a')"), "'a' is neither", id="link to itself"),
            pytest.param(leaving("add('a', tarfile.FIFOTYPE)"), "'a' is neither", id="pipe"),
            pytest.param(leaving("add('a', tarfile.CHRTYPE)"), "'a' is neither", id="device"),
            pytest.param(leaving("add('a', size=2**80)"), "", id="a size beyond all numbers"),
            pytest.param(
                leaving("for _ in range(2000): add('a', tarfile.GNUTYPE_LONGNAME, size=0)"),
                ".*recursion",
                id="headers of headers",
            ),
            pytest.param(leaving("add('a', tarfile.GNUTYPE_SPARSE)"), "'a' is neither", id="holes"),
        ],
    )
    def test_names_kinds_and_depths_that_cannot_be_unpacked_are_the_bots_fault(
        self, source: str, words: str, script: Language, sandbox: Sandbox, public_folder: Path
    ) -> None:
        with pytest.raises(BuildRefused, match=f"^compiling left what cannot be kept: .*{words}") as caught:
            build(source, script, sandbox)
        said = f"{caught.value}{caught.value.output}"
        assert said.isprintable()
        assert str(public_folder) not in said
        assert programs() == scratch() == []

    def test_a_name_that_is_no_text_is_kept_as_it_is(self, script: Language, sandbox: Sandbox) -> None:
        program = build(by_python("open(b'\\xff\\n\\x1b[2J', 'w')"), script, sandbox)
        assert os.fsdecode(b"\xff\n\x1b[2J") in {path.name for path in program.folder.iterdir()}
        archive = pack(program)
        shutil.rmtree(program.folder.parent)
        assert pack(unpack(archive, program.key)) == archive

    def test_a_disk_without_room_is_our_fault(self, script: Language, sandbox: Sandbox, public_folder: Path) -> None:
        """Here a limit on the size of files is what makes the disk refuse."""
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        build(HELLO, script, sandbox)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, before[1]))
        try:
            with pytest.raises(SandboxFault, match=f"^cannot build below {public_folder}.*: File too large"):
                build("head -c 2M /dev/urandom > /out/bot", script, sandbox)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    def test_a_bot_is_built_once(self, script: Language) -> None:
        counting = Counting()
        first = build(HELLO, script, counting)
        made = (first.folder / "bot").stat()
        assert build(HELLO, script, counting) == first
        assert len(counting.boxes) == 1
        assert (first.folder / "bot").stat() == made
        assert find_program(first.key) == first

    def test_a_bot_that_was_never_built_is_not_found(self, script: Language) -> None:
        assert find_program(program_key(source_hash(HELLO), script)) is None

    def test_a_bot_is_ours_and_cannot_be_changed_by_bots(self, script: Language, sandbox: Sandbox) -> None:
        program = build("umask 0; echo 'echo x > /bot/bot || echo no' > /out/bot; chmod 777 /out/bot", script, sandbox)
        status = (program.folder / "bot").stat()
        assert (status.st_uid, status.st_mode & 0o777) == (os.geteuid(), 0o755)
        assert output_of(sandbox, program) == "no\n"

    def test_a_tool_that_vanished_is_our_problem_and_not_the_bots(
        self, script: Language, sandbox: Sandbox, public_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = build(HELLO, script, sandbox)
        other = written(
            public_folder / "other.toml", SCRIPT_LANGUAGE.replace('tools = ["sh"]', 'tools = ["sh", "gone"]')
        )
        monkeypatch.setenv("LADDER_LANGUAGES", str(other))
        with pytest.raises(MissingTool, match="Script bots are run by gone, not installed"):
            find_program(program.key)

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
        monkeypatch.setenv("LADDER_LANGUAGES", str(written(public_folder / "other.toml", table)))
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


COMPUTING = "python3 -c 'import time\nwhile time.process_time() < 0.6: pass'\n"
"""A compiler that computes for 0.6 s."""
BUSY_PROGRAMS = 2
UNSEEN = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        until = time.monotonic() + 0.01
        while time.monotonic() < until: pass
        os._exit(0)
    time.sleep(0.009)
"""
"""Lets others compute for it that nobody waits for, each for a moment."""
HOARD = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        break
filled = b"x" * (40 * 2**20)
time.sleep(600)
"""
"""Four processes that fill 160 MB, each of them 40."""


def hasty(language: Language, build_seconds: int = 20, build_memory_mb: int = 2048) -> Language:
    (way,) = language.toolchains
    limited = dataclasses.replace(way, build_seconds=build_seconds, build_memory_mb=build_memory_mb)
    return dataclasses.replace(language, toolchains=(limited,))


def compiled(sandbox: Sandbox, code: str, *, wall_limit_s: float, budget: Budget) -> Finished:
    box = Box(("python3", "-I", "-S", "-c", code), Path("/usr"), Limits(threads=BUILD_THREADS), compiles=True)
    return run_to_end(sandbox, box, wall_limit_s=wall_limit_s, output_kb=1, budget=budget)


def built_at_last(source: str, language: Language, sandbox: Sandbox) -> Program:
    for _ in range(MOST_TRIES - 1):
        with suppress(HostBusy):
            return build(source, language, sandbox)
    return build(source, language, sandbox)


def test_a_busy_host_does_not_make_a_compiler_late(script: Language, sandbox: Sandbox, one_core: int) -> None:
    """With two programs beside it 0.6 s take 1.8 s. Where it got too little time it is built again, as by workers."""
    with busy_programs(BUSY_PROGRAMS, {one_core}):
        program = built_at_last(COMPUTING + HELLO, hasty(script, build_seconds=1), sandbox)
    assert output_of(sandbox, program) == "hello\n"


def test_a_compiler_that_sleeps_is_refused_on_a_busy_host(script: Language, sandbox: Sandbox, one_core: int) -> None:
    with (
        busy_programs(BUSY_PROGRAMS, {one_core}),
        pytest.raises(BuildRefused, match="took more than the 1 s that it may"),
    ):
        build("sleep 600", hasty(script, build_seconds=1), sandbox)


def test_where_the_host_leaves_no_time_no_bot_is_at_fault(sandbox: Sandbox, one_core: int) -> None:
    budget = Budget(seconds=600, memory_mb=100)
    with busy_programs(BUSY_PROGRAMS, {one_core}), pytest.raises(HostBusy, match="the host was so busy"):
        compiled(sandbox, "while True: pass", wall_limit_s=1, budget=budget)


def test_what_computes_unseen_does_not_blame_the_host(sandbox: Sandbox, one_core: int) -> None:
    with busy_programs(BUSY_PROGRAMS, {one_core}):
        finished = compiled(sandbox, UNSEEN, wall_limit_s=2, budget=Budget(seconds=1, memory_mb=100))
    assert finished.timed_out


def test_what_many_processes_fill_counts_together(sandbox: Sandbox) -> None:
    finished = compiled(sandbox, HOARD, wall_limit_s=600, budget=Budget(seconds=300, memory_mb=100))
    assert (finished.too_much_memory, finished.timed_out) == (True, False)


def test_a_source_whose_build_fills_memory_by_many_processes_is_refused(script: Language, sandbox: Sandbox) -> None:
    with pytest.raises(BuildRefused, match="took more than the 100 MB of memory that it may"):
        build(f"exec python3 -c '{HOARD}'", hasty(script, build_memory_mb=100), sandbox)


def test_a_build_stays_on_a_core_that_it_holds(script: Language, sandbox: Sandbox) -> None:
    """So no match runs there meanwhile, and what a compiler sets in motion is nowhere else."""

    class Looking(Counting):
        """The real sandbox; it notes on which cores boxes start, and whether others could have those."""

        cores: set[int]
        free: bool

        def start(self, box: Box) -> BoxedProcess:
            self.cores = os.sched_getaffinity(0)
            self.free = try_lock(open_workspace().root / FOLDER / str(min(self.cores))) is not None
            return super().start(box)

    allowed, looking = os.sched_getaffinity(0), Looking()
    build(HELLO, script, looking)
    assert (len(looking.cores), looking.free) == (1, False)
    assert os.sched_getaffinity(0) == allowed
    with core_for_a_match():
        pass
