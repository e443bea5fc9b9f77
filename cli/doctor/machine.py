"""Findings; those of what bears on how fair and steady matches are here: cores, load, clock rate, quotas, the disk."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.errors import ArenaError, HostBusy
from engine.immutable import immutable
from engine.sandbox.cgroups import mounts, own_group
from engine.text import counted


@immutable
class Finding:
    """One thing that was looked at.

    `group`: its heading; `ok`: None where not known; `remedy`: a command, or a sentence. `needed`: workers do not
    start without it; `warning`: without it matches are slower, and no worse.
    """

    group: str
    name: str
    ok: bool | None
    detail: str
    remedy: str = ""
    needed: bool = False
    warning: bool = False


WAIT = "uptime  # and once less else runs here: ladder doctor"


def too_busy(group: str, name: str, fault: HostBusy) -> Finding:
    return Finding(group, name, ok=None, detail=str(fault), remedy=WAIT, needed=True)


GROUP = "machine"
LOAD = "load"
MOST_STOLEN = 0.02
"""Share of the CPU time: below, it is lost among the other noise."""


def machine(home: Path) -> Iterator[Finding]:
    """Look at all of it but the stolen time, which takes a while to look at. `home`: where data are kept."""
    yield Finding(GROUP, "Python", ok=True, detail=sys.version.split()[0])
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    matches = counted(cores, "match", "matches")
    yield Finding(GROUP, "cores", ok=True, detail=f"{counted(cores, 'core')}: up to {matches} at once")
    detail = f"load is {load:.1f}" + ("" if load < cores else ", so matches will be slow or played again")
    remedy = "ladder up --workers 1  # other programs are busy here"
    yield Finding(GROUP, LOAD, load < cores, detail, remedy, warning=True)
    yield governor()
    yield quota()
    yield disk(home)


def governor(cpus: Path = Path("/sys/devices/system/cpu")) -> Finding:
    governors = {file.read_text().strip() for file in cpus.glob("cpu*/cpufreq/scaling_governor")}
    if not governors:
        return Finding(GROUP, "clock rate", ok=None, detail="unknown, as in most virtual machines")
    steady = governors == {"performance"}
    detail = f"governor {' and '.join(sorted(governors))}"
    if not steady:
        detail += ": a core that was idle computes a turn more slowly than a busy one"
    return Finding(GROUP, "clock rate", steady, detail, remedy="sudo cpupower frequency-set --governor performance")


def quota() -> Finding:
    if (tightest := min(quotas(), default=None)) is None:
        return Finding(GROUP, "CPU quota", ok=True, detail="none")
    detail = f"{tightest:.2f} cores: when it is used up everything stops for a while, a bot in its turn too"
    remedy = "docker update --cpus 0 CONTAINER  # elsewhere: without CPUQuota=, --cpus or resources.limits.cpu"
    return Finding(GROUP, "CPU quota", ok=False, detail=detail, remedy=remedy)


def quotas() -> Iterator[float]:
    """Give the limits, in cores, of our cgroup and those above it, of either version."""
    for kind, system, read in (("", "cgroup2", quota_of_v2), ("cpu", "cgroup", quota_of_v1)):
        mounted = mounts(system)
        try:
            own_place = own_group(kind, mounted)
        except ArenaError:
            continue
        tops = {place for place, _ in mounted}
        for group in (own_place, *own_place.parents):
            if (limit := read(group)) is not None:
                yield limit
            if group in tops:
                break


def quota_of_v2(group: Path) -> float | None:
    try:
        most, period = (group / "cpu.max").read_text().split()
    except OSError:
        return None
    return None if most == "max" else int(most) / int(period)


def quota_of_v1(group: Path) -> float | None:
    try:
        most_us, period_us = (int((group / f"cpu.cfs_{name}_us").read_text()) for name in ("quota", "period"))
    except OSError:
        return None
    return None if most_us < 0 else most_us / period_us


def disk(home: Path) -> Finding:
    free_mb = shutil.disk_usage(next(path for path in (home, *home.parents) if path.exists())).free // 2**20
    detail = f"{free_mb:,} MB free for {home}"
    return Finding(GROUP, "disk", free_mb > 500, detail, remedy="LADDER_HOME=/a/larger/disk ladder up")


@immutable
class MachineTimes:
    """What all cores have spent since the machine's start, in ticks; `stolen`: what the host gave to others."""

    total: int
    stolen: int

    @classmethod
    def now(cls) -> MachineTimes:
        ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        return cls(sum(ticks), ticks[7])


def stolen_time(before: MachineTimes) -> Finding:
    now = MachineTimes.now()
    lately = (now.stolen - before.stolen) / max(1, now.total - before.total)
    detail = f"{lately:.1%} while we looked, {now.stolen / max(1, now.total):.1%} since the machine's start"
    remedy = "nothing to type in here: the host of this virtual machine is too busy; ask for cores of your own"
    return Finding("clock", "stolen time", lately <= MOST_STOLEN, detail, remedy)
