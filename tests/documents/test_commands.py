"""The reference of commands says what the program says."""

from __future__ import annotations

import pytest

from cli.exit_status import ExitStatus
from tests.documents.commands import MEANINGS, PAGE, RENEW, page


def test_the_reference_of_commands_is_what_the_program_says() -> None:
    if PAGE.read_text("utf-8") != page():
        pytest.fail(f"docs/commands.md is not what the program says; renew it: {RENEW}")


def test_every_exit_status_has_its_meaning_in_the_reference() -> None:
    assert list(MEANINGS) == list(ExitStatus)
    assert all(f"| {status} | {MEANINGS[status]} |" in PAGE.read_text("utf-8") for status in ExitStatus)
