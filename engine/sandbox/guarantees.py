"""What a sandbox guarantees, as a table: in words for people, by which means in which tier, and who demands it.

Whether a guarantee holds on a machine is found out by trying: see `examine`. The workers' setting
LADDER_GUARANTEES says which ones must: `strict`, the default, all that are there for a reason of safety or fairness;
`reduced` only those that protect the machine and its people. Those that keep the game fair (memory, threads, freezing,
nothing shared between bots) may then be missing, and so may any that could not be tried.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import StrEnum

from engine.boxes import CGROUP, NESTED, NONE
from engine.errors import Refused, UsageFault
from engine.immutable import immutable

VARIABLE = "LADDER_GUARANTEES"


class Demand(StrEnum):
    STRICT = "strict"
    REDUCED = "reduced"


def demand_of(environment: Mapping[str, str] = os.environ) -> Demand:
    word = environment.get(VARIABLE) or Demand.STRICT
    try:
        return Demand(word)
    except ValueError:
        raise UsageFault(f"{VARIABLE} is {word!r}; it must be one of {', '.join(Demand)}") from None


ALWAYS = frozenset(Demand)
FAIRNESS = frozenset({Demand.STRICT})
NEVER = frozenset[Demand]()

UPGRADE = "sudo apt update && sudo apt full-upgrade  # a newer kernel, bubblewrap, libseccomp"
UNSET = "unset LADDER_SANDBOX  # the tier `none` guarantees next to nothing"
PYTHON = "sudo apt install python3  # below /usr, where bots see it and can try this"


@immutable
class Guarantee:
    """One promise about a program in a box. `name`: for scripts. `sentence`: for people. `means`: what enforces it,
    where the tier is not named in `otherwise`. `demanded_by`: under which settings workers refuse to start without it.
    `remedies`: by tier, a command that may help, where that is not an upgrade.
    """

    name: str
    sentence: str
    means: str
    demanded_by: frozenset[Demand] = ALWAYS
    otherwise: Mapping[str, str] = field(default_factory=dict[str, str])
    remedies: Mapping[str, str] = field(default_factory=dict[str, str])

    def means_in(self, tier: str) -> str:
        return self.otherwise.get(tier, self.means)

    def remedy_in(self, tier: str) -> str:
        return UNSET if tier == NONE else self.remedies.get(tier, UPGRADE)


TABLE = (
    Guarantee(
        "network",
        "bots reach no network, and have no sockets but for talking to themselves",
        "a network namespace; the filter of system calls lets AF_UNIX through alone",
    ),
    Guarantee(
        "files",
        "bots see the system's programs and their own folder, and no other file of this machine",
        "a mount namespace",
    ),
    Guarantee("writing", "bots can write nowhere", "a file system that is read-only throughout"),
    Guarantee(
        "processes",
        "bots see no process but their own, and can neither signal nor trace one",
        "a process namespace with a /proc of its own; the filter of system calls",
        otherwise={NESTED: "a process namespace without any /proc; the filter of system calls"},
    ),
    Guarantee(
        "environment",
        "bots inherit nothing from us: no variable, no open file",
        "a cleared environment, and descriptors that are closed",
    ),
    Guarantee(
        "privileges",
        "bots are an ordinary user, to the kernel too, and cannot become more",
        "a user namespace made by an ordinary user, no capabilities, no new privileges",
        otherwise={NONE: "an ordinary user, no new privileges"},
    ),
    Guarantee(
        "kernel-settings",
        "bots can change no setting of the kernel",
        "an ordinary uid outside of the box, and a read-only file system",
        otherwise={NONE: "an ordinary uid"},
    ),
    Guarantee(
        "system-calls",
        "bots can make only calls on a list: no io_uring, ptrace, bpf, mounts, namespaces; unknown ones do not exist",
        "the filter of system calls (seccomp)",
    ),
    Guarantee(
        "one-process",
        "a bot has threads, but no second process",
        "the filter of system calls",
        FAIRNESS,
        otherwise={CGROUP: "the filter of system calls; where a language cannot do without, a cgroup holds them all"},
    ),
    Guarantee(
        "memory",
        "a bot has no more memory than its league allows",
        "RLIMIT_DATA, and looking at what it has filled",
        FAIRNESS,
        otherwise={CGROUP: "RLIMIT_DATA, and a cgroup for all of it together"},
    ),
    Guarantee(
        "shared-memory",
        "no memory escapes that limit: shared, in files, System V, in pipes",
        "the filter of system calls; no writable file system",
        FAIRNESS,
    ),
    Guarantee(
        "limits",
        "threads, open files and sizes of files are limited",
        "resource limits, set from outside before it begins",
        FAIRNESS,
        otherwise={CGROUP: "resource limits, set from outside before it begins, and a cgroup"},
    ),
    Guarantee(
        "survivors",
        "nothing of a bot outlives its match, nor a worker that is killed",
        "a process namespace that ends with its first process, which ends with the worker",
    ),
    Guarantee(
        "freezing",
        "a bot gets no time in its opponent's turn",
        "one signal that stops its one process",
        FAIRNESS,
        otherwise={CGROUP: "one signal for one process; a frozen cgroup for many"},
    ),
    Guarantee(
        "neighbours",
        "the bots of a match, and of matches one after another, share nothing",
        "namespaces of their own, nothing writable, the filter of system calls",
        FAIRNESS,
    ),
    Guarantee(
        "host-name",
        "bots do not learn the name of this machine, nor its boot_id",
        "a namespace for names; another file mounted over boot_id in /proc",
        NEVER,
        remedies={NESTED: "--security-opt systempaths=unconfined  # for the container: see deploy/README.md"},
    ),
)


@immutable
class GuaranteeFinding:
    """`holds`: None where it could not be tried. `how`: by what it does, or why not. `remedy`: what may help."""

    guarantee: Guarantee
    holds: bool | None
    how: str
    remedy: str = ""

    def fails(self, demand: Demand) -> bool:
        if demand not in self.guarantee.demanded_by:
            return False
        return self.holds is False or (self.holds is None and demand is Demand.STRICT)


def require(tier: str, findings: Iterable[GuaranteeFinding], demand: Demand) -> None:
    if failed := [finding for finding in findings if finding.fails(demand)]:
        reasons = "; ".join(f"{finding.guarantee.sentence} ({finding.how})" for finding in failed)
        raise Refused(
            f"the sandbox {tier!r} does not keep here what {VARIABLE}={demand} demands: {reasons}. "
            "`ladder doctor` says what would help"
        )
