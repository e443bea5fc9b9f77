"""What `make containers` says where it cannot run; what it shows takes an engine, and ten minutes."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.containers.__main__ import ACTS
from tests.containers.deployed import IMAGE, SERVICES
from tests.containers.engine import STAND_INS
from tests.deploy.test_compose import compose, service
from tests.patience import patience_s
from tests.sources import CHECKOUT


def test_where_no_engine_answers_and_none_can_be_made_it_says_what_is_missing_and_changes_nothing(
    tmp_path: Path,
) -> None:
    environment = {**os.environ, "PATH": str(tmp_path)}
    command = [sys.executable, "-m", "tests.containers"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=patience_s(), check=False, cwd=CHECKOUT, env=environment
    )
    missing = "to make one takes debootstrap: install debootstrap" if os.geteuid() == 0 else "to start one takes root"
    assert done.returncode == 5, done.stderr
    assert re.fullmatch(rf" *[\d.]+ s  no container engine answers here, and {missing}\n", done.stdout)
    assert done.stderr == ""


def test_its_images_have_the_names_that_the_deployment_asks_for() -> None:
    base = re.search(r"^ARG BASE=(.*)@sha256:[0-9a-f]{64}$", (CHECKOUT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert base is not None
    assert {"base": base[1], "postgres": service("postgres")["image"], "redis": service("redis")["image"]} == STAND_INS
    assert service("worker")["image"] == IMAGE
    assert set(SERVICES) <= set(compose()["services"])


def test_each_act_says_what_it_does() -> None:
    assert all(act.__doc__ for act in ACTS)
