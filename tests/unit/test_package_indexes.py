"""Each package's docstring is its index: what it is for, then its modules with a line for each."""

import ast
import re

from tests.sources import CHECKOUT, sources

PACKAGES = [file.parent for file in sources("__init__.py") if "games" not in file.relative_to(CHECKOUT).parts]


def test_a_package_names_each_of_its_modules_in_its_docstring() -> None:
    assert PACKAGES
    for folder in PACKAGES:
        index = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
        lines = [re.match(r"([a-z_0-9]+)/? {2,}\S", line) for line in index.split("\n")[1:]]
        named = [match.group(1) for match in lines if match]
        there = {file.stem for file in folder.glob("*.py")}
        there |= {file.parent.name for file in folder.glob("*/__init__.py")}
        assert sorted(named) == sorted(there - {"__init__", "__main__"} | ({"migrations"} & set(named))), folder
