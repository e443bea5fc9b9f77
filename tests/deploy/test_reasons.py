"""Each setting for containers that bears on safety stands with its reason: a comment behind it, or right above it."""

import re
from itertools import pairwise

import pytest

from tests.deploy import test_compose, test_kubernetes

COMPOSE = test_compose.FILE.read_text("utf-8")
WORKERS_POD = "\n".join((test_kubernetes.BASE / name).read_text("utf-8") for name in ("pod.yaml", "worker.yaml"))
"""Settings of the other pods that are here too are explained here."""

COMPOSE_SETTINGS = """
    user init read_only tmpfs cap_drop security_opt no-new-privileges seccomp systempaths apparmor mem_limit
    memswap_limit pids_limit shm_size stop_grace_period internal
"""
POD_SETTINGS = """
    terminationGracePeriodSeconds shareProcessNamespace hostUsers automountServiceAccountToken enableServiceLinks
    runAsNonRoot runAsUser runAsGroup fsGroup seccompProfile appArmorProfile allowPrivilegeEscalation capabilities
    procMount readOnlyRootFilesystem requests limits emptyDir
"""
FILES = ((COMPOSE, frozenset(COMPOSE_SETTINGS.split())), (WORKERS_POD, frozenset(POD_SETTINGS.split())))


def setting_of(line: str) -> str:
    found = re.match(r" *(?:- )?([\w-]+)(?:[:=] *[^ #]|$)", line)
    return found[1] if found else ""


def without_reason(text: str, names: frozenset[str]) -> list[str]:
    return [
        line.strip()
        for above, line in pairwise(text.splitlines())
        if setting_of(line) in names and " # " not in line and not above.lstrip().startswith("# ")
    ]


@pytest.mark.parametrize(("text", "names"), FILES, ids=["compose", "kubernetes"])
def test_every_setting_that_bears_on_safety_has_its_reason_beside_it_and_one_that_has_lost_it_is_found(
    text: str, names: frozenset[str]
) -> None:
    assert {setting_of(line) for line in text.splitlines()} >= names, "all are there, so all are looked at"
    assert without_reason(text, names) == []
    bare = re.sub(r" # .*", "", re.sub(r"(?m)^ *# .*\n", "", text))
    assert {setting_of(line) for line in without_reason(bare, names)} == names
