"""The image holds what the project depends on and nothing else; that must be enough to run."""

import os
import subprocess
import sys
from pathlib import Path

from tests.patience import patience_s
from tests.sources import CHECKOUT, modules

PYPROJECT = CHECKOUT / "pyproject.toml"
AS_INSTALLED = Path(__file__).with_name("as_installed.py")
BY_NAME = ("celery.apps.worker", "celery.concurrency.prefork", "celery.worker.consumer", "kombu.transport.redis")
"""What Celery imports when it starts, by names that it reads from settings."""


def missing(pyproject: Path, *modules: str) -> str:
    command = [sys.executable, str(AS_INSTALLED), str(pyproject), *modules]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience_s(), check=False, env=environment)
    return done.stdout + done.stderr


def test_everything_can_be_imported_without_the_developers_packages() -> None:
    """All but the environments for bots that learn, which are for those who install their packages too."""
    needed = [name for name in modules() if name.split(".")[:2] != ["engine", "gym"]]
    assert missing(PYPROJECT, *needed, *BY_NAME) == ""
    assert "No module named" in missing(PYPROJECT, "engine.gym.environment")


def test_a_dependency_that_is_not_declared_is_missed(tmp_path: Path) -> None:
    """The check above can fail: without Typer the commands are not importable, though developers have it."""
    lines = PYPROJECT.read_text("utf-8").splitlines()
    changed = tmp_path / "pyproject.toml"
    changed.write_text("\n".join(line for line in lines if '"typer' not in line), "utf-8")
    assert "cli.run: No module named 'typer'" in missing(changed, "cli.run")
