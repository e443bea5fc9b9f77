"""A referee program is a stranger's: attacks of the table, run as referees, come to nothing in every tier too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from engine.errors import RefereeFault
from tests.sandbox.test_attacks import SMALL, known

if TYPE_CHECKING:
    from tests.sandbox.conftest import Arena, Host

HARMLESS = (
    *("processes.fork_bomb", "processes.outlive", "memory.share", "memory.page_tables", "memory.hoard_in_processes"),
    *("network.connect", "network.send_from_pair", "network.open_sockets", "network.serve", "files.read_private"),
    *("files.change", "files.change_settings", "files.fill", "neighbours.harm", "neighbours.leave_core"),
    *("kernel.make_namespaces", "kernel.make_calls", "processes.thread_bomb"),
)
"""What a referee tries in one match, one after the other."""


def led(arena: Arena, host: Host, token: str, *attacks: str) -> dict[str, Any]:
    """Play a match whose referee attacks. Raises RefereeFault."""
    facts = known(arena, host, token, SMALL)
    folder = str(host.folder / "attacker")
    return arena.order("led", attacks=",".join(attacks), folder=folder, known=facts, token=token, limits=SMALL)


def test_what_a_referee_tries_comes_to_nothing(arena: Arena, host: Host, token: str) -> None:
    result = led(arena, host, token, *HARMLESS)
    told = result["summary"]
    assert re.findall(r"^could (?!not ).*$", told, re.MULTILINE) == []
    assert len(re.findall(r"^could not ", told, re.MULTILINE)) > len(HARMLESS)
    assert result["scores"] == [1, 0]
    assert result["tier"] == arena.tier
    assert host.visitors() == []
    assert result["left"] == []


def test_a_referee_that_goes_on_as_a_setuid_program_is_who_it_was(arena: Arena, host: Host, token: str) -> None:
    told = led(arena, host, token, "files.become_root")["summary"]
    assert re.findall(r"^could (?!not ).*$", told, re.MULTILINE) == []
    assert "could not have another uid" in told


def test_a_referee_that_hoards_memory_is_ended_and_leaves_nothing(arena: Arena, host: Host, token: str) -> None:
    with pytest.raises(RefereeFault, match="96 MB"):
        led(arena, host, token, "memory.hoard")
    assert arena.order("left", token=token)["left"] == []


def test_without_a_sandbox_a_referee_reaches_what_it_wants(bare: Arena, host: Host, token: str) -> None:
    """This shows that the attacks are real."""
    told = led(bare, host, token, "network.connect")["summary"]
    assert len(re.findall(r"^could (?!not ).*$", told, re.MULTILINE)) >= len(host.servers)
    assert host.visitors() == list(host.servers)
