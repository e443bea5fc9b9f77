"""The Dockerfile and what is sent to its build. No engine is needed: `make containers` builds it."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.patience import patience_s
from tests.processes import finished
from tests.sources import CHECKOUT, LAYERS, modules

PYPROJECT = CHECKOUT / "pyproject.toml"
PROJECT = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
TEXT = (CHECKOUT / "Dockerfile").read_text("utf-8")
TARGETS = ("commands", "worker")
DOCUMENTS = "docs"
"""Are shown by the pages: a link in `ladder/web` leads to them, and the wheel has them."""


def instructions() -> list[tuple[str, str]]:
    code = "\n".join(line for line in TEXT.splitlines() if line and not line.startswith("#"))
    lines = re.sub(r"\\\n\s*", "", code).splitlines()
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def stages() -> dict[str, list[tuple[str, str]]]:
    """Return the instructions of each stage, by its name."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, rest in instructions():
        if name == "FROM":
            found[rest.split()[-1]] = []
        if found:
            found[list(found)[-1]].append((name, rest))
    return found


def copied_from_the_project() -> list[str]:
    copies = [rest.split() for name, rest in instructions() if name == "COPY" and "--from=" not in rest]
    return [source for words in copies for source in words[:-1]]


def test_all_stages_have_the_same_base_with_a_version() -> None:
    """What is built in one stage runs in the other, and the base does not change by itself to another Python."""
    first = next(number for number, (name, _) in enumerate(instructions()) if name == "FROM")
    arguments = [rest for _, rest in instructions()[:first]]
    bases = [rest for name, rest in instructions() if name == "FROM"]
    assert bases == ["${BASE} AS builder", "${BASE} AS commands", "commands AS worker"]
    assert len(arguments) == 1
    python = re.fullmatch(r"BASE=python:(\d\.\d+)-slim-bookworm@sha256:[0-9a-f]{64}", arguments[0])
    assert python is not None
    assert PROJECT["requires-python"] == f">={python[1]}"


@pytest.mark.parametrize("stage", TARGETS)
def test_no_image_runs_as_root(stage: str) -> None:
    names = [name for name, _ in stages()[stage]]
    users = [rest for name, rest in stages()[stage] if name == "USER"]
    assert all(number.isdecimal() and int(number) > 0 for number in users[-1].split(":"))
    last = max(number for number, name in enumerate(names) if name in {"RUN", "COPY"})
    assert "USER" in names[last:]


def test_package_lists_are_removed_where_they_were_fetched() -> None:
    """In the same instruction, or they would stay in the layer below."""
    fetching = [rest for stage in TARGETS for _, rest in stages()[stage] if "apt-get update" in rest]
    assert fetching
    assert all("rm -rf /var/lib/apt/lists/*" in rest and "--no-install-recommends" in rest for rest in fetching)


def test_compilers_are_for_workers_alone() -> None:
    assert [stage for stage in TARGETS if "gcc" in str(stages()[stage])] == ["worker"]


@pytest.mark.parametrize("stage", TARGETS)
def test_each_image_lists_its_packages(stage: str) -> None:
    (listing,) = [rest for name, rest in stages()[stage] if name == "RUN" and "sbom" in rest]
    assert listing.endswith("/image.py sbom >/usr/share/ladder/sbom.cdx.json")


def test_the_labels_say_what_and_which_version_it_is() -> None:
    (labels,) = [rest for name, rest in stages()["commands"] if name == "LABEL"]
    found = dict(re.findall(r'org\.opencontainers\.image\.([\w.]+)="([^"]*)"', labels))
    assert found["version"] == PROJECT["version"]
    assert found["licenses"] == PROJECT["license"]
    assert found["base.name"] == "${BASE}"
    assert {"title", "description", "revision"} <= set(found)


def test_the_list_of_packages_names_those_that_are_installed() -> None:
    command = [sys.executable, str(CHECKOUT / "deploy" / "image.py"), "sbom"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience_s(), check=True)
    found = json.loads(done.stdout)
    components = {component["name"]: component for component in found["components"]}
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    assert components["celery"]["purl"] == f"pkg:pypi/celery@{version('celery')}"
    assert len({component["bom-ref"] for component in found["components"]}) == len(found["components"])


def test_what_nobody_runs_is_taken_out_of_an_environment(tmp_path: Path) -> None:
    """What is left plays: our modules, and of large packages the parts that these import."""
    packages = tmp_path / "lib" / "site-packages"
    for name in ("cli", "scipy", "numpy"):
        for part in (".", "used", "spare", "used/tests"):
            (packages / name / part).mkdir(parents=True)
            (packages / name / part / "__init__.py").touch()
    (packages / "cli" / "__init__.py").write_text("import scipy.used, numpy.used\n", "utf-8")
    (packages / "numpy" / "_core" / "tests").mkdir(parents=True)
    command = [sys.executable, "-S", "-E", str(CHECKOUT / "deploy" / "image.py"), "trim"]
    start = f"import sys, runpy; sys.path.insert(0, {str(packages)!r}); sys.argv = ['', 'trim']; "
    command[3:] = ["-c", start + f"runpy.run_path({command[3]!r}, run_name='__main__')"]
    subprocess.run(command, timeout=patience_s(), check=True)
    left = {str(folder.relative_to(packages)) for folder in packages.rglob("*") if folder.is_dir()}
    assert {folder for folder in left if "__pycache__" not in folder} == {
        *("cli", "cli/used", "cli/spare", "scipy", "scipy/used"),
        *("numpy", "numpy/used", "numpy/_core", "numpy/_core/tests"),
    }


def test_what_the_build_copies_is_there_and_is_sent() -> None:
    patterns = [line for line in (CHECKOUT / ".dockerignore").read_text("utf-8").splitlines() if line[:1] != "#"]
    sources = copied_from_the_project()
    assert all((CHECKOUT / source).exists() for source in sources)
    assert patterns[0] == "*"
    assert {pattern[1:] for pattern in patterns if pattern[0] == "!"} == set(sources)


def test_the_build_copies_all_that_the_project_is_made_of() -> None:
    needed = {
        *LAYERS,
        DOCUMENTS,
        "deploy/image.py",
        "deploy/worker-seccomp.json",
        "pyproject.toml",
        "requirements",
        PROJECT["readme"],
        *PROJECT["license-files"],
    }
    assert needed == set(copied_from_the_project())
    packages = {path.parent.name for path in CHECKOUT.glob("*/__init__.py")} - {"tests"}
    assert packages == set(LAYERS)


def test_the_build_finds_setuptools_in_the_lock() -> None:
    """The line of awk cuts out that one requirement, with its hashes and nothing else."""
    program = re.search(r"awk '([^']+)' requirements/program\.lock", TEXT)
    assert program is not None
    command = ["awk", program[1], str(CHECKOUT / "requirements" / "program.lock")]
    cut = subprocess.run(command, capture_output=True, text=True, timeout=patience_s(), check=True).stdout
    assert re.findall(r"^([\w.-]+)==", cut, re.MULTILINE) == ["setuptools"]
    assert cut.count("--hash=sha256:") >= 1


def test_the_entry_point_is_the_command() -> None:
    assert [rest for name, rest in stages()["commands"] if name == "ENTRYPOINT"] == [
        f'["{name}"]' for name in PROJECT["scripts"]
    ]


AS_INSTALLED = Path(__file__).with_name("as_installed.py")
BY_NAME = ("celery.apps.worker", "celery.concurrency.prefork", "celery.worker.consumer", "kombu.transport.redis")
"""What Celery imports when it starts, by names that it reads from settings."""


def missing(pyproject: Path, *modules: str) -> str:
    command = [sys.executable, str(AS_INSTALLED), str(pyproject), *modules]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = finished(command, env=environment)
    return done.stdout + done.stderr


def test_everything_can_be_imported_without_the_developers_packages() -> None:
    """All but the environments for bots that learn, which are for those who install their packages too."""
    needed = [name for name in modules() if name.split(".")[:2] != ["engine", "gym"]]
    (gym,) = missing(PYPROJECT, *needed, *BY_NAME, "engine.gym.environment").splitlines()
    assert gym.startswith("engine.gym.environment: No module named ")


def test_a_dependency_that_is_not_declared_is_missed(tmp_path: Path) -> None:
    """The check above can fail: without Typer the commands are not importable, though developers have it."""
    lines = PYPROJECT.read_text("utf-8").splitlines()
    changed = tmp_path / "pyproject.toml"
    changed.write_text("\n".join(line for line in lines if '"typer' not in line), "utf-8")
    assert "cli.run: No module named 'typer'" in missing(changed, "cli.run")
