"""The driver of PostgreSQL, imported without what only its other half uses: a third of the time that it takes.

How this works. psycopg imports asyncio for its connections of coroutines, which nothing here opens, and the reader of
packages' metadata for its own version. While it is imported two modules of these names stand in. The one brings the
real asyncio as soon as something is done with what was taken from it; the other knows versions by the names of folders.
After that neither can be imported any more: who asks for asyncio gets Python's own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

DRIVER = "psycopg"


class AsyncioPart:
    """Stands for a part of asyncio until it is called. As a base of a class, which is never used, it is nothing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, _: object) -> AsyncioPart:
        return self

    def __mro_entries__(self, _: object) -> tuple[type, ...]:
        return ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(import_module("asyncio"), self._name)(*args, **kwargs)


class AsyncioLater(ModuleType):
    """Stands for asyncio."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (BaseException,), {}) if name.endswith("Error") else AsyncioPart(name)  # which nothing raises


def version(package: str) -> str:
    """Return the version of an installed package. Raises ImportError where there is none."""
    pattern = f"{package.replace('-', '_')}-*.dist-info"
    folder_name = next((folder.name for place in sys.path for folder in Path(place).glob(pattern)), None)
    if folder_name is None:
        raise ImportError(f"{package} is not installed")
    return folder_name.removesuffix(".dist-info").partition("-")[2]


@contextmanager
def in_their_places(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in modules.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
            parent, _, last = name.rpartition(".")
            if parent and vars(sys.modules[parent]).get(last) is module:
                delattr(sys.modules[parent], last)


class DriverLoader(SourceFileLoader):
    """Loads the driver while they stand in."""

    def exec_module(self, module: ModuleType) -> None:
        metadata = ModuleType("importlib.metadata")
        vars(metadata).update(version=version, PackageNotFoundError=ImportError)
        modules = {"asyncio": AsyncioLater("asyncio"), metadata.__name__: metadata}
        with in_their_places({name: stand_in for name, stand_in in modules.items() if name not in sys.modules}):
            super().exec_module(module)


class DriverFinder:
    """Finds the driver, and lets it be loaded so."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how the driver is loaded; None for everything else."""
        spec = PathFinder.find_spec(fullname, path, target) if fullname == DRIVER else None
        if spec is not None and spec.origin is not None:
            spec.loader = DriverLoader(DRIVER, spec.origin)
        return spec


def import_it_quickly() -> None:
    sys.meta_path.insert(0, DriverFinder())
