"""How arguments and options are declared that have no kind of their own in `cli.options`."""

from __future__ import annotations

from typing import Any

import typer


def option(names: str, purpose: str, **settings: Any) -> Any:
    """Return an option. `names`: with a blank between them; `purpose`: its help; `settings`: as of `typer.Option`."""
    return typer.Option(*names.split(), help=purpose, **settings)


def argument(purpose: str, **settings: Any) -> Any:
    return typer.Argument(help=purpose, **settings)
