"""What public hosts and commits run is what a person runs: the same commands, the same tools, the same packages."""

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.processes import finished

CHECKOUT = Path(__file__).parents[2]
WORKFLOW = CHECKOUT / ".github" / "workflows" / "ci.yml"
WEEKLY = WORKFLOW.with_name("weekly.yml")
HOOKS = CHECKOUT / ".pre-commit-config.yaml"
SETUP = (CHECKOUT / "deploy" / "setup.sh").read_text("utf-8")


LINTERS = {"ruff": "ruff", "mypy": "mypy", "lint-imports": "import-linter"}
"""The programs of the hooks, and the packages that have them."""


def loaded(file: Path) -> Any:
    return YAML(typ="safe").load(file)


def commands() -> str:
    return "\n".join(step.get("run", "") for job in loaded(WORKFLOW)["jobs"].values() for step in job["steps"])


@pytest.mark.parametrize("workflow", [WORKFLOW, WEEKLY], ids=lambda path: path.name)
def test_a_workflow_fits_the_schema_of_workflows(workflow: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(workflow)]
    checked = finished(command)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_workflow_runs_the_quick_checks_and_the_same_tests_as_everybody_else() -> None:
    matrix = loaded(WORKFLOW)["jobs"]["test"]["strategy"]["matrix"]
    assert re.findall(r"^make.*", commands(), flags=re.MULTILINE) == ["make lint", "make ${{ matrix.tests }}"]
    ours = (CHECKOUT / ".ci" / "run").read_text("utf-8")
    assert [f"make {tests}" for tests in matrix["tests"]] == re.findall(r"make [a-z-]+$", ours, flags=re.MULTILINE)
    assert matrix["python"] == ["3.11", "3.13"]
    assert os.access(CHECKOUT / ".ci" / "run", os.X_OK)


def test_the_workflow_installs_each_debian_package_that_the_set_up_would() -> None:
    without_bench = re.sub(r'^if \[ "\$word" = bench \].*?^fi$', "", SETUP, flags=re.MULTILINE | re.DOTALL)
    wanted = set(re.findall(r"install_(?:package|without_service) ([a-z][a-z0-9-]+)", without_bench))
    assert "libguice-java" not in wanted
    assert {"bubblewrap", "pgbouncer", "prometheus", "default-jdk-headless"} <= wanted
    assert wanted <= set(re.findall(r"[a-z][a-z0-9-]+", commands()))


def test_the_workflow_brings_light_toolchains_so_that_their_bots_are_played() -> None:
    assert {"fp-compiler", "gdc", "gobjc", "ocaml"} <= set(commands().split())


def test_each_week_the_promises_are_tried_that_take_too_long_for_each_change() -> None:
    found = loaded(WEEKLY)["jobs"]["promise"]["strategy"]["matrix"]["command"]
    assert [command for command in found if command.startswith("make ")] == [
        f"make {promise}" for promise in ("chaos", "containers", "fair", "sprt", "bosses", "mutants")
    ]
    assert any(command.endswith("-m weekly") for command in found)


@pytest.mark.parametrize("workflow", [WORKFLOW, WEEKLY], ids=lambda path: path.name)
def test_a_workflow_may_only_read(workflow: Path) -> None:
    assert loaded(workflow)["permissions"] == {"contents": "read"}


def test_each_hook_is_a_check_of_make_lint_with_the_projects_own_tool() -> None:
    lint = (CHECKOUT / "Makefile").read_text("utf-8").split("\nlint:")[1].split("\n\n")[0]
    locks = [(CHECKOUT / "requirements" / f"{name}.lock").read_text("utf-8") for name in ("tests", "lint")]
    pinned = set(re.findall(r"^([\w.-]+)==", "".join(locks), flags=re.MULTILINE))
    hooks = [hook for repository in loaded(HOOKS)["repos"] for hook in repository["hooks"]]
    for hook in hooks:
        program, *words = hook["entry"].split()
        assert program.startswith(".venv/bin/")
        assert LINTERS[Path(program).name] in pinned
        assert " ".join([f"$(bin)/{Path(program).name}", *words[:1]]).removesuffix(" --force-exclude") in lint
    assert len(hooks) >= 4
