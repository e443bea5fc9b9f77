"""Programs as archives, for other machines: the same bytes everywhere, and no way out of the folder."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from engine.errors import SandboxFault
from engine.sandbox.box import Sandbox
from engine.toolchains.build import build, find_built
from engine.toolchains.languages import Language
from engine.toolchains.program import pack, unpack
from tests.integration.toolchain.conftest import HELLO, Counting, output_of, programs, scratch


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
        assert find_built("a" * 64) is None

    def test_an_archive_of_something_else_is_our_fault(self) -> None:
        with pytest.raises(SandboxFault, match="does not say how it was built"):
            unpack(self.malicious(self.member("readme")), "a" * 64)

    @pytest.mark.parametrize("key", ["", "../../etc", "A" * 64, "a" * 63])
    def test_only_a_key_names_a_program(self, key: str) -> None:
        with pytest.raises(ValueError, match="is not the key of a program"):
            find_built(key)
