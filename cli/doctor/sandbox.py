"""Which tiers of the sandbox work here, why the others do not, and what the one that is used guarantees."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cli.doctor.finding import Finding, too_busy
from engine.boxes import CGROUP, NONE
from engine.errors import ArenaError, HostBusy, MissingTool, NoBotUser, Refused, SandboxFault
from engine.sandbox.box import Sandbox
from engine.sandbox.choice import VARIABLE, offered, open_sandbox
from engine.sandbox.examine import examine
from engine.sandbox.guarantees import TABLE, GuaranteeFinding, demand_of
from engine.sandbox.starter import AS_ORDINARY_USER

PACKAGES = "sudo apt install bubblewrap libseccomp2 util-linux"
ALL = "all guarantees"
"""The finding in their place where this machine is too busy to try any."""
CONTAINER = (
    "docker run --security-opt seccomp=deploy/worker-seccomp.json --security-opt systempaths=unconfined "
    "--security-opt apparmor=unconfined ...  # see deploy/README.md"
)
OBSTACLES = (
    ("kernel/unprivileged_userns_clone", "0", "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)
"""Settings of the kernel that keep ordinary users from making boxes: file, value, and the command that changes it."""


def the_sandbox() -> tuple[Sandbox | None, Finding]:
    """Return the sandbox by machine and settings, or the strongest that works if none will do, and say which."""
    try:
        sandbox = open_sandbox()
    except HostBusy as busy:
        return None, too_busy("sandbox", "sandbox", busy)
    except (MissingTool, Refused, SandboxFault) as fault:
        finding = Finding("sandbox", "sandbox", ok=False, detail=str(fault), remedy=remedy_for(fault), needed=True)
        return strongest_that_works() if isinstance(fault, Refused) else None, finding
    if sandbox.name == NONE:
        words = "the tier `none`, as LADDER_SANDBOX asks for: for your own bots only, and workers refuse it"
        return sandbox, Finding(
            "sandbox", "sandbox", ok=False, detail=words, remedy="unset LADDER_SANDBOX", needed=True
        )
    return sandbox, Finding("sandbox", "sandbox", ok=True, detail=f"bots run in the tier `{sandbox.name}`", needed=True)


def strongest_that_works() -> Sandbox | None:
    return next((open_sandbox(tier) for tier, fault in offered().items() if fault is None), None)


def tiers(used: Sandbox | None) -> Iterator[Finding]:
    for tier, fault in offered().items():
        if fault is None:
            detail = "works, and is used" if used and used.name == tier else "works"
            yield Finding("sandbox", f"tier {tier}", ok=True, detail=detail)
        elif isinstance(fault, HostBusy):
            yield Finding("sandbox", f"tier {tier}", ok=None, detail=str(fault))
        else:
            lacks_group = tier == CGROUP and not isinstance(fault, MissingTool | NoBotUser)
            remedy = delegation() if lacks_group else remedy_for(fault)
            yield Finding("sandbox", f"tier {tier}", ok=False, detail=str(fault), remedy=remedy)


def delegation() -> str:
    whose = "" if os.geteuid() == 0 else "--user "
    return f"systemd-run {whose}--scope --property=Delegate=yes ladder up  # or deploy/ladder-worker.service"


def weaker_by_choice(used: Sandbox) -> str:
    """Return the command that would let a stronger tier be used, where one works; else nothing."""
    strongest = strongest_that_works()
    if strongest is None or strongest.name == used.name or not os.environ.get(VARIABLE):
        return ""
    return f"unset {VARIABLE}  # the tier `{strongest.name}` works here as well"


def guarantees(sandbox: Sandbox | None, without: Finding) -> Iterator[Finding]:
    """Attack the sandbox from within and say what holds each guarantee. `without`: found in place of a sandbox."""
    demand = demand_of()
    if sandbox is None and without.ok is None:
        yield replace(without, group="guarantees", name=ALL)
        return
    why = "nothing enforces it, for want of a sandbox"
    try:
        findings = (
            examine(sandbox)
            if sandbox
            else [GuaranteeFinding(one, holds=False, how=why, remedy=without.remedy) for one in TABLE]
        )
    except HostBusy as busy:
        yield too_busy("guarantees", ALL, busy)
        return
    by_choice = weaker_by_choice(sandbox) if sandbox else ""
    for found in findings:
        is_demanded = demand in found.guarantee.demanded_by
        means = f"enforced by {found.how}" if found.holds else found.how
        yield Finding(
            group="guarantees",
            name=found.guarantee.name,
            ok=found.holds,
            detail=f"{found.guarantee.sentence}; {means}{'' if is_demanded else ' (workers start without it)'}",
            remedy=(by_choice or found.remedy) if found.remedy else "",
            needed=is_demanded and (found.holds is not None or found.fails(demand)),
        )


def remedy_for(fault: ArenaError) -> str:
    if isinstance(fault, MissingTool):
        return PACKAGES
    if isinstance(fault, NoBotUser):
        return AS_ORDINARY_USER
    for setting, value, command in OBSTACLES:
        if setting_of(setting) == value:
            return command
    if "container" in os.environ or any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")):
        return CONTAINER
    return ""


def setting_of(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text("utf-8").strip()
    except OSError:
        return ""
