"""The systemd unit against the commands, the code and what the sandbox needs. systemd itself is not asked."""

import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from cli.answer import ExitStatus
from cli.run import run
from engine.sandbox.cgroups import V2_CONTROLLERS
from engine.sandbox.choice import CONTAINING
from tests.deploy.test_compose import LONGEST_MATCH_S, that_nobody_reads
from workers.jobs import RECORDING_PAUSES_S

FILE = Path(__file__).parents[2] / "deploy" / "ladder-worker.service"
BESIDE = FILE.with_name("ladder@.service")
"""The unit of what runs no bots: an instance for each."""
INSTANCE = re.compile(r"ladder@(\w+)")
NO_BOX_WITH = {
    "RestrictNamespaces",
    "PrivateUsers",
    "ProtectKernelTunables",
    "ProtectKernelLogs",
    "ProtectProc",
    "ProcSubset",
    "ProtectControlGroups",
}
"""Settings under which no box can be built; the unit itself says why."""


@cache
def settings(file: Path = FILE) -> dict[str, list[str]]:
    """Return a unit's settings; some are there more than once."""
    found: dict[str, list[str]] = {}
    for line in file.read_text("utf-8").splitlines():
        if line and line[0] not in "#[":
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def only(name: str, file: Path = FILE) -> str:
    (value,) = settings(file)[name]
    return value


def test_it_runs_a_command_of_ladders() -> None:
    program, *words = shlex.split(only("ExecStart"))
    assert Path(program).is_absolute()
    assert Path(program).name == "ladder"
    assert run([*words, "--help"]) == 0


def test_each_instance_of_the_other_unit_is_a_command_of_ladders() -> None:
    program, *words = shlex.split(only("ExecStart", BESIDE))
    assert Path(program).name == "ladder"
    instances = set(INSTANCE.findall(BESIDE.read_text("utf-8")))
    assert instances == {"scheduler", "web", "metrics"}
    for instance in instances:
        assert run([*[word.replace("%i", instance) for word in words], "--help"]) == 0, instance


@pytest.mark.parametrize("file", [FILE, BESIDE], ids=["worker", "beside"])
def test_they_run_as_an_ordinary_user_that_cannot_become_more(file: Path) -> None:
    assert only("User", file) == only("Group", file) != "root"
    assert only("NoNewPrivileges", file) == "yes"
    assert only("CapabilityBoundingSet", file) == ""


def test_it_demands_the_tier_for_which_it_gets_its_cgroups() -> None:
    variables = dict(value.split("=", 1) for value in settings()["Environment"])
    assert variables["LADDER_SANDBOX"] in CONTAINING
    assert that_nobody_reads(variables) == set()
    assert set(only("Delegate").split()) == set(V2_CONTROLLERS)


def test_nothing_keeps_boxes_from_being_built() -> None:
    assert not NO_BOX_WITH & set(settings())
    assert all(f"{name}=" in FILE.read_text("utf-8") for name in NO_BOX_WITH), "each is named with its reason"


def test_built_bots_have_a_place_that_the_service_may_write_to() -> None:
    variables = dict(value.split("=", 1) for value in settings()["Environment"])
    assert variables["LADDER_CACHE"] == f"/var/cache/{only('CacheDirectory')}"


def test_a_worker_that_gets_a_signal_to_stop_has_time_to_finish() -> None:
    assert int(only("TimeoutStopSec")) >= LONGEST_MATCH_S + sum(RECORDING_PAUSES_S)
    assert only("KillMode") == "mixed", "the first process stops the others itself"


@pytest.mark.parametrize("file", [FILE, BESIDE], ids=["worker", "beside"])
def test_what_is_refused_is_not_tried_again(file: Path) -> None:
    refusals = {ExitStatus.USAGE, ExitStatus.REFUSED, ExitStatus.MISSING_TOOL}
    assert {int(word) for word in only("RestartPreventExitStatus", file).split()} == refusals
