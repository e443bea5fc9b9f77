"""Imports modules as if only the project and what it depends on were installed: a script for the test beside it.

    as_installed.py PYPROJECT MODULE...

The developers' packages are there as well, and may hide that one of them is needed to run. So they are made invisible:
every top-level module of a package that the project's dependencies do not lead to counts as missing. Prints the
modules that could not be imported, and why.
"""

import importlib
import sys
import tomllib
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from importlib.metadata import distribution, packages_distributions
from pathlib import Path
from types import ModuleType

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


class NotInstalled:
    """Hides modules: the first of Python's finders, which says of some that they do not exist."""

    def __init__(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Leave all other modules to the finders after this one. Raises ModuleNotFoundError."""
        if name.partition(".")[0] in self._hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def main() -> None:
    """Hide what does not belong to the project, and import what is asked for."""
    project = tomllib.loads(Path(sys.argv[1]).read_text("utf-8"))["project"]
    installed = closure([Requirement(text) for text in project["dependencies"]])
    hidden = frozenset(
        module
        for module, owners in packages_distributions().items()
        if not {canonicalize_name(owner) for owner in owners} & {*installed, canonicalize_name(project["name"])}
    )
    for module in [name for name in sys.modules if name.partition(".")[0] in hidden]:
        del sys.modules[module]
    sys.meta_path.insert(0, NotInstalled(hidden))
    for module in sys.argv[2:]:
        try:
            importlib.import_module(module)
        except ImportError as error:
            print(f"{module}: {error}")  # noqa: T201 - this is how it reports


def closure(requirements: list[Requirement]) -> set[str]:
    """Return the names of all distributions that these requirements lead to."""
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = [(requirement, extra) for requirement in requirements for extra in ("", *requirement.extras)]
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        found.add(name)
        waiting += [(further, wanted) for further in needs(name, extra) for wanted in ("", *further.extras)]
    return found


def needs(name: str, extra: str) -> Iterator[Requirement]:
    """Give the requirements of a distribution, or those that one of its extras adds, that hold on this machine."""
    environment = {key: str(value) for key, value in default_environment().items()}
    for text in distribution(name).requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({**environment, "extra": extra}):
            yield requirement


if __name__ == "__main__":
    main()
