"""Arguments and options that name files, and writing a file that somebody names.

The code that opens a file reports what is wrong with it, in the same words for all commands; so Typer does not look.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from engine.errors import Refused, UsageFault


def file_argument(purpose: str) -> Any:
    """Return an argument that names a file. `purpose`: its help."""
    return typer.Argument(help=purpose, show_default=False, readable=False)


def file_option(name: str, purpose: str) -> Any:
    """Return the option of that name which names a file. `purpose`: its help."""
    return typer.Option(name, help=purpose, show_default=False, readable=False)


ForceOption = Annotated[bool, typer.Option("--force", help="With --output: write over a file that exists already.")]


def write_file(path: Path, content: bytes, *, over: bool) -> None:
    """Write a new file, or also over one that exists. Raises Refused where one exists, UsageFault where none can be."""
    try:
        with path.open("wb" if over else "xb") as file:
            file.write(content)
    except FileExistsError as error:
        raise Refused(
            f"{path} exists already, and may be your work: name a new file, or add --force to write over it"
        ) from error
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {error.strerror}") from error
