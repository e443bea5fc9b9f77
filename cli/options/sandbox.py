"""The option that names a tier of the sandbox."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options.names import sandboxes

SandboxOption = Annotated[
    str | None,
    typer.Option(
        "--sandbox",
        autocompletion=sandboxes,
        help="auto (the strongest here), bubblewrap+cgroup, bubblewrap, nested, or none: for your own bots only. "
        "[default: LADDER_SANDBOX or auto]",
    ),
]
