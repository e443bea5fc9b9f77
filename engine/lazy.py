"""Packages whose modules are imported when they are first asked for.

How this works. `ladder --help` reads the modules of commands, and what those run brings libraries that take longer to
import than most commands run. So commands import a package, as in `from ladder import views`, and say
`views.boards.read_pages`: the module comes with that word. Such a package names its modules under TYPE_CHECKING, for
checkers of types, and has in place of that

    __getattr__ = lazily(__name__)

A module that names a class of theirs in an annotation puts annotations off by `from __future__ import annotations`:
otherwise naming it would import it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module


def lazily(package: str) -> Callable[[str], object]:
    """Return what a package has for `__getattr__`. That raises AttributeError where there is no such module."""

    def module_named(name: str) -> object:
        full = f"{package}.{name}"
        try:
            return import_module(full)
        except ModuleNotFoundError as missing:
            if missing.name != full:
                raise
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from missing

    return module_named
