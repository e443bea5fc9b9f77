"""Each package's docstring is its index: what it is for, then its modules with a line for each."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.sources import CHECKOUT, sources

PACKAGES = [file.parent for file in sources("__init__.py") if "games" not in file.relative_to(CHECKOUT).parts]


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: str(folder.relative_to(CHECKOUT)))
def test_a_package_names_each_of_its_modules_in_its_docstring(folder: Path) -> None:
    index = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    named = [match.group(1) for line in index.split("\n")[1:] if (match := re.match(r"([a-z_0-9]+)/? {2,}\S", line))]
    there = {file.stem for file in folder.glob("*.py")} | {file.parent.name for file in folder.glob("*/__init__.py")}
    assert sorted(named) == sorted(there - {"__init__", "__main__"} | ({"migrations"} & set(named)))
