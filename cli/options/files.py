"""Arguments and options that name files.

The code that opens a file reports what is wrong with it, in the same words for all commands; so Typer does not look.
"""

from __future__ import annotations

from typing import Any

import typer


def file_argument(purpose: str) -> Any:
    """Return an argument that names a file. `purpose`: its help."""
    return typer.Argument(help=purpose, show_default=False, readable=False)


def file_option(name: str, purpose: str) -> Any:
    """Return the option of that name which names a file. `purpose`: its help."""
    return typer.Option(name, help=purpose, show_default=False, readable=False)
