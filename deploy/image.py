"""Two steps of the image's build, as the Dockerfile runs them by the image's own Python.

image.py trim    take what nobody runs out of this environment, and compile what our modules import
image.py sbom    print what is in the image, Python's packages and Debian's, as CycloneDX 1.6
"""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path

OURS = ("cli", "workers", "ladder", "engine")
NOT_IMPORTED = frozenset({"bots", "starters", "gym", "new_bot", "new_game", "__main__.py"})
BY_NAME = ("celery.apps.worker", "celery.concurrency.prefork", "celery.worker.consumer", "kombu.transport.redis")
"""What Celery imports when it starts, by names that it reads from settings."""
LARGE = ("numpy", "scipy")
"""Of these packages some parts alone are used."""
NEEDED_TESTS = Path("numpy/_core/tests")
"""numpy imports a module of it."""


def main(word: str) -> None:
    """Do what the Dockerfile asks for."""
    if word == "trim":
        trim(Path(next(path for path in sys.path if path.endswith("site-packages"))))
    else:
        json.dump(bill_of_materials(), sys.stdout, indent=1)


def trim(packages: Path) -> None:
    """Import all our modules, by which Python compiles that and nothing else, and remove tests and parts not used."""
    files = (file for ours in OURS for file in (packages / ours).rglob("*.py"))
    names = [file.relative_to(packages) for file in files if not NOT_IMPORTED & set(file.parts)]
    for name in (*(".".join(name.with_suffix("").parts).removesuffix(".__init__") for name in names), *BY_NAME):
        with suppress(ImportError):  # of an extra that the image leaves out
            importlib.import_module(name)
    for folder in list(packages.rglob("tests")):
        if folder.relative_to(packages) != NEEDED_TESTS:
            shutil.rmtree(folder, ignore_errors=True)
    for part in (part for package in LARGE for part in (packages / package).iterdir()):
        if (part / "__init__.py").exists() and f"{part.parent.name}.{part.name}" not in sys.modules:
            shutil.rmtree(part)


def bill_of_materials() -> dict[str, object]:
    """Return the image's packages. https://cyclonedx.org/docs/1.6/json/"""
    components = [
        {
            "type": "library",
            "name": name,
            "version": version,
            "purl": f"pkg:{kind}/{name}@{version}",
            "bom-ref": f"{kind}/{name}",
        }
        for kind, name, version in sorted({*python_packages(), *debian_packages()})
    ]
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}


def python_packages() -> Iterator[tuple[str, str, str]]:
    return (("pypi", found.name.lower().replace("_", "-"), found.version) for found in distributions())


def debian_packages() -> Iterator[tuple[str, str, str]]:
    query = ["dpkg-query", "--show", "--showformat", "${Package} ${Version}\n"]
    for line in subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines():
        yield ("deb/debian", *line.split(" ", 1))


if __name__ == "__main__":
    main(sys.argv[1])
