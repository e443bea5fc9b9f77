"""The clients of PostgreSQL and Redis, imported without what only their other halves use: in half the time.

How this works. Both have connections of coroutines, which nothing here opens, and import asyncio for them; they read
packages' metadata for their own versions, and Redis' client measures by OpenTelemetry where that can be imported. While
one is imported modules of these names stand in. One of coroutines brings the real one as soon as something is done with
what was taken from it; the one of metadata knows versions by the names of folders; OpenTelemetry's has no parts. After
that none of them can be imported any more: who asks for asyncio gets Python's own.
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

CLIENTS: Mapping[str, Sequence[str]] = {
    "psycopg": ["asyncio"],
    "redis": [
        *("asyncio", "opentelemetry", "redis.asyncio", "redis.asyncio.client"),
        *("redis.asyncio.observability", "redis.asyncio.observability.recorder"),
    ],
}
"""Which modules stand in while a client is imported, beside that of metadata."""


class PartLater:
    """Stands for a part of a module until it is called. As a base of a class, which is never used, it is nothing."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __getitem__(self, _: object) -> PartLater:
        return self

    def __mro_entries__(self, _: object) -> tuple[type, ...]:
        return ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(import_module(self._module), self._name)(*args, **kwargs)


class ModuleLater(ModuleType):
    """Stands for a module of coroutines."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.endswith("Error"):  # it is named where it would be caught; nothing raises this one
            return type(name, (BaseException,), {})
        return PartLater(self.__name__, name)


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
            attributes = vars(sys.modules[parent]) if parent in sys.modules else {}
            if attributes.get(last) is module:
                del attributes[last]


class ClientLoader(SourceFileLoader):
    """Loads a client while they stand in."""

    def exec_module(self, module: ModuleType) -> None:
        metadata = ModuleType("importlib.metadata")
        vars(metadata).update(version=version, PackageNotFoundError=ImportError)
        modules = {metadata.__name__: metadata} | {name: ModuleLater(name) for name in CLIENTS[module.__name__]}
        with in_their_places({name: stand_in for name, stand_in in modules.items() if name not in sys.modules}):
            super().exec_module(module)


class ClientFinder:
    """Finds the clients, and lets them be loaded so."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return how a client is loaded; None for everything else."""
        spec = PathFinder.find_spec(name, path, target) if name in CLIENTS else None
        if spec is not None and spec.origin is not None:
            spec.loader = ClientLoader(name, spec.origin)
        return spec


def import_them_quickly() -> None:
    sys.meta_path.insert(0, ClientFinder())
