"""The table of packages has every package, and each of its lines says something of it."""

import re

from tests.sources import CHECKOUT, sources


def packages() -> set[str]:
    folders = {file.parent for file in sources("__init__.py")}
    return {str(path.relative_to(CHECKOUT)) for path in folders if path.parent != CHECKOUT / "engine" / "games"}


def test_the_page_of_modules_names_every_package_and_no_other() -> None:
    page = (CHECKOUT / "docs" / "modules.md").read_text("utf-8")
    named = set(re.findall(r"`((?:cli|workers|ladder|engine)(?:/[a-z_]+)*)`", page))
    assert named == packages()
