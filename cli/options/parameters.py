"""How every argument and option is declared that has no kind of its own in this package."""

from __future__ import annotations

from typing import Any

import typer


def option(names: str, purpose: str, **settings: Any) -> Any:
    """Return an option. `names`: with a blank between them; `purpose`: its help; `settings`: as of `typer.Option`."""
    return typer.Option(*names.split(), help=purpose, **settings)


def argument(purpose: str, **settings: Any) -> Any:
    return typer.Argument(help=purpose, **settings)
