"""On a machine where no box can be made workers refuse to start: a service manager need not try again."""

import os
from pathlib import Path

import pytest

from tests.acceptance.conftest import Shell

WORDS = "bwrap: No permissions to create new namespace"


@pytest.fixture
def forbidding(open_folder: Path) -> dict[str, str]:
    """Variables under which bubblewrap is there, and fails as it does where user namespaces are forbidden."""
    folder = open_folder / "forbidding"
    folder.mkdir(exist_ok=True)
    bwrap = folder / "bwrap"
    bwrap.write_text(f"#!/bin/sh\necho '{WORDS}' >&2\nexit 1\n")
    bwrap.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize(
    ("command", "environment"),
    [
        ("up", {}),
        ("worker", {}),
        ("worker", {"LADDER_SANDBOX": "bubblewrap"}),
        ("worker", {"LADDER_SANDBOX": "nested", "LADDER_HOUSE_BOTS_ONLY": "1"}),
        ("demo", {"LADDER_SANDBOX": "bubblewrap"}),
    ],
)
def test_a_machine_that_forbids_boxes_is_a_reason_to_refuse(
    shell: Shell, forbidding: dict[str, str], command: str, environment: dict[str, str]
) -> None:
    told = shell.refused(3, command, **forbidding, **environment)
    assert WORDS in told
    assert "`ladder doctor` says what would help" in told
    assert not shell.home.exists()
