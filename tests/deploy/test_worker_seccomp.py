"""The worker's seccomp profile, put on by libseccomp as a container runtime does it, with the real sandbox under it."""

import json
import os
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.sandbox.seccomp import TABLE_TEXT
from tests.processes import finished
from tests.throwaway import public_folder_named

CHECKOUT = Path(__file__).parents[2]
PROFILE = CHECKOUT / "deploy" / "worker-seccomp.json"
BOTS = CHECKOUT / "engine" / "games" / "ocean_of_code" / "bots"
CAGED = Path(__file__).with_name("caged.py")
WORKER_UID = 10001

BOX_CALLS = ("clone", "unshare", "mount", "umount2", "pivot_root", "sethostname", "capget", "capset", "prctl")
"""What bubblewrap makes a box with. Of the two rules on clone its own is the first."""


@dataclass(frozen=True)
class Cage:
    """Where the image's user may write."""

    folder: Path

    def told(self, profile: dict[str, Any], *words: str | Path) -> str:
        file = self.folder / "profile.json"
        file.write_text(json.dumps(profile), "utf-8")
        home = str(self.folder / "home")
        environment = {"PYTHONPATH": str(CHECKOUT), "HOME": home, "LADDER_CACHE": f"{home}/cache"}
        done = finished([sys.executable, CAGED, file, *words], cwd="/", env={**os.environ, **environment})
        return done.stdout.strip() or done.stderr.strip()


@pytest.fixture
def cage() -> Iterator[Cage]:
    with public_folder_named("cage") as folder:
        (folder / "home").mkdir()
        if os.geteuid() == 0:
            os.chown(folder / "home", WORKER_UID, WORKER_UID)
        yield Cage(folder)


def profile() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(PROFILE.read_text("utf-8"))
    return loaded


def without(name: str) -> dict[str, Any]:
    changed = profile()
    next(rule for rule in changed["syscalls"] if name in rule["names"])["names"].remove(name)
    return changed


def test_every_rule_allows_and_says_what_for() -> None:
    rules = profile()["syscalls"]
    assert profile()["defaultAction"] == "SCMP_ACT_ERRNO"
    assert {rule["action"] for rule in rules} == {"SCMP_ACT_ALLOW"}
    assert len({rule["comment"] for rule in rules}) == len(rules)


def test_no_call_is_allowed_twice_without_looking_at_its_arguments() -> None:
    """A second, wider rule would make the narrow one mean nothing."""
    rules = profile()["syscalls"]
    freely = [name for rule in rules if "args" not in rule for name in rule["names"]]
    narrowly = {name for rule in rules if "args" in rule for name in rule["names"]}
    assert len(freely) == len(set(freely))
    assert not narrowly & set(freely)


def test_bots_are_built_and_play_under_the_profile(cage: Cage) -> None:
    assert cage.told(profile(), "play", BOTS / "trivial.c", BOTS / "hunter.py") == "ok"


def test_the_sandbox_keeps_all_that_it_guarantees_under_the_profile(cage: Cage) -> None:
    """A box's own filter of system calls and all else can be made by a worker that is filtered itself."""
    assert cage.told(profile(), "examine") == "bubblewrap: all hold"


def test_where_part_of_proc_is_covered_bots_play_in_the_nested_tier(cage: Cage) -> None:
    assert cage.told(profile(), "covered-examine") == "nested: host-name"
    assert cage.told(profile(), "covered-play", BOTS / "trivial.c", BOTS / "hunter.py") == "ok"


def test_the_profile_allows_whatever_a_boxs_own_filter_allows() -> None:
    """Or a bot that plays on the table of calls elsewhere would fail in a container."""
    table = tomllib.loads(TABLE_TEXT)
    by_argument = {call for call, values in table.pop("argument").items() if values.keys() - {"position", "refused"}}
    del table["refused"]
    by_name = {call for groups in table.values() for calls in groups.values() for call in calls.split()}
    allowed = {name for rule in profile()["syscalls"] for name in rule["names"]}
    assert by_name | by_argument <= allowed


@pytest.mark.parametrize("name", BOX_CALLS)
def test_no_box_is_built_without_any_one_of_its_calls(cage: Cage, name: str) -> None:
    """Nothing that Docker would forbid is allowed for bubblewrap unless bubblewrap needs it."""
    assert "the sandbox could not be built" in cage.told(without(name), "probe")


FOR_NO_BOT = (
    "add_key 0 0 0 0 0",
    "bpf 0 0 0",
    "clone 0x20000011",  # a process namespace without the user namespace that has to come first
    "clone3 0 0",
    "io_uring_setup 0 0",
    "keyctl 0 -3 0",
    "perf_event_open 0 0 -1 -1 0",
    "process_vm_readv 1 0 0 0 0 0",
    "ptrace 0 0 0 0",
    "setns -1 0",
    "setuid 10001",
    "socket 40 1 0",  # AF_VSOCK, which reaches the host
    "userfaultfd 0",
)


def test_calls_that_no_bot_needs_do_not_exist(cage: Cage) -> None:
    """Not forbidden but unknown: the C library and runtimes then look for another way by themselves."""
    told = dict(zip(FOR_NO_BOT, cage.told(profile(), "call", *FOR_NO_BOT).splitlines(), strict=True))
    assert told == dict.fromkeys(FOR_NO_BOT, "[Errno 38] Function not implemented")


def test_ordinary_sockets_can_be_made(cage: Cage) -> None:
    assert cage.told(profile(), "call", "socket 1 1 0", "socket 2 1 0") == "ok\nok"
