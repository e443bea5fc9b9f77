"""Sources become programs: real compilers in the real sandbox, and the workspace that keeps what comes out.

What does not need a compiler is tested with a language of our own, `script`: its source is a shell script, run as the
compile step, and what it leaves in /out is the bot. So every test says itself what "the compiler" does.
"""

import os
import select
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import MissingTool
from engine.sandbox.box import Box, BoxedProcess, Sandbox
from engine.sandbox.choice import open_sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.toolchains.build import build, choose_toolchain
from engine.toolchains.languages import Language, find_language
from engine.toolchains.program import Program
from engine.workspace import open_workspace
from tests.patience import patience_s
from tests.throwaway import language_table, public_folder_named

CHECKOUT = Path(__file__).parents[3]

SCRIPT_LANGUAGE = (
    language_table("script", run=["sh", "{folder}/bot"], tools=["sh"], compile=["sh", "{source}"], build_seconds=20)
    + 'environment = { DEPTH = "7" }\nbuild_environment = { BUILD = "yes" }\n'
)
HELLO = "echo 'echo hello' > /out/bot\n"


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
    with public_folder_named("toolchain") as folder:
        yield folder


@pytest.fixture(autouse=True)
def _own_cache_and_language(monkeypatch: pytest.MonkeyPatch, public_folder: Path) -> None:
    monkeypatch.setenv("LADDER_CACHE", str(public_folder / "cache"))
    monkeypatch.setenv("LADDER_LANGUAGES", str(public_folder / "languages.toml"))
    (public_folder / "languages.toml").write_text(SCRIPT_LANGUAGE)


@pytest.fixture
def sandbox() -> Sandbox:
    return open_sandbox()


@pytest.fixture
def script() -> Language:
    return find_language("script")


def converse(sandbox: Sandbox, program: Program, lines: list[str]) -> list[str]:
    process = sandbox.start(program.box())
    answers: list[str] = []
    try:
        process.ready()
        process.release()
        for line in lines:
            os.write(process.stdin, f"{line}\n".encode())
            answer = b""
            while not answer.endswith(b"\n") and select.select([process.stdout], [], [], patience_s())[0]:
                answer += os.read(process.stdout, 4096) or b"(end)\n"
            answers.append(answer.decode().rstrip("\n"))
    finally:
        process.kill()
    return answers


def output_of(sandbox: Sandbox, program: Program) -> str:
    return run_to_end(sandbox, program.box(), wall_limit_s=patience_s(), output_kb=64).stdout.decode()


def is_installed(language: Language, sandbox: Sandbox) -> bool:
    try:
        choose_toolchain(language, sandbox)
    except MissingTool:
        return False
    return True


def built(name: str, source: str, sandbox: Sandbox) -> Program | None:
    """Build a source; None where its language is not installed, and it is said to be missing."""
    language = find_language(name)
    if is_installed(language, sandbox):
        return build(source, language, sandbox)
    with pytest.raises(MissingTool):
        build(source, language, sandbox)
    return None


def programs() -> list[str]:
    return sorted(path.name for path in (open_workspace().root / "programs").iterdir())


def scratch() -> list[str]:
    return sorted(path.name for path in (open_workspace().root / "scratch").iterdir())
