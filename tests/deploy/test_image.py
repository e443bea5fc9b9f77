"""The Dockerfile and what is sent to its build. No engine is needed; the install steps were tried by hand."""

import re
import subprocess
import tomllib
from pathlib import Path

from tests.patience import patience_s
from tests.sources import LAYERS

CHECKOUT = Path(__file__).parents[2]
TEXT = (CHECKOUT / "Dockerfile").read_text("utf-8")
DOCUMENTS = "docs"
"""Are shown by the pages: a link in `ladder/web` leads to them, and the wheel has them."""


def instructions() -> list[tuple[str, str]]:
    code = "\n".join(line for line in TEXT.splitlines() if line and not line.startswith("#"))
    lines = re.sub(r"\\\n\s*", "", code).splitlines()
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def final_stage() -> list[tuple[str, str]]:
    found = instructions()
    last = max(number for number, (name, _) in enumerate(found) if name == "FROM")
    return found[last:]


def copied_from_the_project() -> list[str]:
    copies = [rest.split() for name, rest in instructions() if name == "COPY" and "--from=" not in rest]
    return [source for words in copies for source in words[:-1]]


def test_all_stages_have_the_same_base_with_a_version() -> None:
    """What is built in one stage runs in the other, and the base does not change by itself to another Python."""
    arguments = [rest for name, rest in instructions() if name == "ARG"]
    bases = [rest.split()[0] for name, rest in instructions() if name == "FROM"]
    assert set(bases) == {"${BASE}"}
    assert len(arguments) == 1
    python = re.fullmatch(r"BASE=python:(\d\.\d+)-slim-bookworm", arguments[0])
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    assert python is not None
    assert project["requires-python"] == f">={python[1]}"


def test_the_image_does_not_run_as_root() -> None:
    names = [name for name, _ in final_stage()]
    users = [rest for name, rest in final_stage() if name == "USER"]
    assert len(users) == 1
    assert all(number.isdecimal() and int(number) > 0 for number in users[0].split(":"))
    assert names.index("USER") > max(number for number, name in enumerate(names) if name in {"RUN", "COPY"})


def test_package_lists_are_removed_where_they_were_fetched() -> None:
    """In the same instruction, or they would stay in the layer below."""
    fetching = [rest for _, rest in final_stage() if "apt-get update" in rest]
    assert fetching
    assert all("rm -rf /var/lib/apt/lists/*" in rest and "--no-install-recommends" in rest for rest in fetching)


def test_what_the_build_copies_is_there_and_is_sent() -> None:
    patterns = [line for line in (CHECKOUT / ".dockerignore").read_text("utf-8").splitlines() if line[:1] != "#"]
    sources = copied_from_the_project()
    assert all((CHECKOUT / source).exists() for source in sources)
    assert patterns[0] == "*"
    assert {pattern[1:] for pattern in patterns if pattern[0] == "!"} == set(sources)


def test_the_build_copies_all_that_the_project_is_made_of() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {*LAYERS, DOCUMENTS, "pyproject.toml", "requirements", project["readme"], *project["license-files"]}
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
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    assert [rest for name, rest in final_stage() if name == "ENTRYPOINT"] == [
        f'["{name}"]' for name in project["scripts"]
    ]
