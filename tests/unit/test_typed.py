"""Commands that are shown to be typed name the program as the person can call it."""

from pathlib import Path

import pytest

from cli.terminal.words import next_commands, own_command


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


def test_a_program_that_path_leads_to_is_named_alone(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(program.parent))
    assert own_command() == "ladder"
    monkeypatch.setenv("LADDER_CALLED_AS", str(program))
    assert own_command() == "ladder"
    monkeypatch.setenv("LADDER_CALLED_AS", "/other/clone/bin/ladder")
    assert own_command() == "/other/clone/bin/ladder"


def test_commands_and_what_they_are_for_stand_in_columns(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LADDER_CALLED_AS", "bin/ladder")
    assert next_commands({"up": "start", "board -w": "watch"}) == (
        "  bin/ladder up        start\n  bin/ladder board -w  watch"
    )
