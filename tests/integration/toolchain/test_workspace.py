"""The workspace that keeps what was built, and programs as archives for other machines: no way out of the folder."""

import io
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import textwrap
import time
from pathlib import Path

import pytest

from engine.errors import SandboxFault, UsageFault
from engine.sandbox.box import Sandbox
from engine.toolchains.bot_folder import source_hash
from engine.toolchains.build import build
from engine.toolchains.languages import Language
from engine.toolchains.program import find_program, pack, program_key, unpack
from engine.workspace import STALE_S, open_workspace
from tests.integration.toolchain.conftest import CHECKOUT, HELLO, Counting, output_of, programs, scratch
from tests.patience import patience_s, wait_until


class TestTheWorkspace:
    def builder(self, source: str, *, uid: int | None = None) -> subprocess.Popen[str]:
        """Start a process that builds `source`, as another user where one is named, and prints the key."""
        code = textwrap.dedent(f"""
            import os
            from engine.toolchains.languages import find_language
            from engine.sandbox.choice import open_sandbox
            from engine.sandbox.run_to_end import run_to_end
            from engine.sandbox.seccomp import CallPolicy, compile_filter
            from engine.sandbox.watchdog import our_watch
            from engine.toolchains.build import build
            find_language("script"), our_watch(), compile_filter(CallPolicy())  # that user may not reach our Python
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
        builders = [self.builder(f"sleep 0.3; {HELLO}") for _ in range(2)]
        words = {builder.communicate(timeout=patience_s())[0] for builder in builders}
        key = program_key(source_hash(f"sleep 0.3; {HELLO}"), script)
        assert words == {f"hello {key}\n"}
        assert (programs(), scratch()) == ([key], [])

    def test_a_worker_killed_while_it_builds_leaves_nothing_that_counts(self, script: Language) -> None:
        open_workspace()
        builder = self.builder("echo half > /out/bot; sleep 600")
        try:
            root = open_workspace().root
            wait_until(lambda: list(root.glob("scratch/*/source/bot.script")), "the source to be built")
        finally:
            builder.send_signal(signal.SIGKILL)
            builder.communicate()
        assert programs() == []
        (left,) = (root / "scratch").iterdir()
        os.utime(left, (0, time.time() - STALE_S - 60))
        with open_workspace().scratch():
            assert not left.exists()

    def test_an_ordinary_user_has_its_own_workspace(self, public_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        uid = 4242 if os.geteuid() == 0 else os.geteuid()
        home = public_folder / "home"
        home.mkdir()
        os.chown(home, uid, uid)
        monkeypatch.delenv("LADDER_CACHE")
        monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        builder = self.builder(HELLO, uid=4242 if os.geteuid() == 0 else None)
        assert builder.communicate(timeout=patience_s())[0].startswith("hello ")
        assert next((home / "cache" / "ladder" / "programs").iterdir()).stat().st_uid == uid
        assert (home / "cache").stat().st_mode & 0o777 == 0o700

    def test_no_other_account_of_this_machine_can_read_sources_and_programs(
        self, script: Language, sandbox: Sandbox, public_folder: Path
    ) -> None:
        root = open_workspace().root
        for name in ("programs", "scratch"):
            (root / name).chmod(0o755)
        root.chmod(0o755)
        assert output_of(sandbox, build(HELLO, script, sandbox)) == "hello\n"
        if os.geteuid() == 0:
            other = ["setpriv", "--reuid=4242", "--regid=4242", "--clear-groups"]
            look = [*other, "ls", f"{root}/programs", f"{root}/scratch"]
            assert subprocess.run(look, capture_output=True, check=False).stdout == b""
        else:
            assert root.stat().st_uid == os.geteuid()

    @pytest.mark.parametrize("path", ["/proc/nowhere/ladder", "/dev/null/ladder"])
    def test_a_cache_that_cannot_be_made_is_reported(self, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LADDER_CACHE", path)
        with pytest.raises(UsageFault, match=rf"cannot use the cache folder {path}: .*LADDER_CACHE"):
            open_workspace()

    def test_a_cache_that_no_bot_can_reach_is_told(self, public_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as archive:
            for member in members:
                archive.addfile(member, io.BytesIO(bytes(member.size)) if member.isreg() else None)
        return buffer.getvalue()

    def member(self, name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 0) -> tarfile.TarInfo:
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
            (
                "more than 5,000 files and folders",
                self.malicious(*(self.member(f"file-{number}") for number in range(5002))),
            ),
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
        assert find_program("a" * 64) is None

    def test_an_archive_of_something_else_is_our_fault(self) -> None:
        with pytest.raises(SandboxFault, match="does not say how it was built"):
            unpack(self.malicious(self.member("readme")), "a" * 64)

    @pytest.mark.parametrize("key", ["", "../../etc", "A" * 64, "a" * 63])
    def test_only_a_key_names_a_program(self, key: str) -> None:
        with pytest.raises(ValueError, match="is not the key of a program"):
            find_program(key)
