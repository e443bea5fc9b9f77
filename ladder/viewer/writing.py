"""Writing a page, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from engine.errors import UsageFault, plain_words


def check_free(path: Path, *, force: bool) -> None:
    """Raise UsageFault where a file is there that is not to be replaced, or a page could not be written there."""
    if path.is_dir():
        raise UsageFault(f"{path} is a folder: name a file")
    if path.exists() and not force:
        raise UsageFault(f"{path} exists already: name a new file, or replace it with --force")
    if not path.parent.is_dir():
        raise UsageFault(f"cannot write {path}: there is no folder {path.parent}")


def write_page(page: str, path: Path, *, force: bool = False) -> None:
    """Write a page into a file. `force`: replace what is there. Raises UsageFault; the file is then as it was.

    It is written beside its place, and renamed when it is whole: whatever ends this, no part of a page is left.
    """
    check_free(path, force=force)
    try:
        with tempfile.TemporaryDirectory(prefix=".ladder-", dir=path.parent) as folder:
            draft = Path(folder) / "page"
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                file.write(page)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {plain_words(error).partition(':')[0]}") from error
