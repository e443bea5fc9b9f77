"""The option of a game that is in a folder, and need be known nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cli.options.files import file_option

GameFolderOption = Annotated[
    Path | None,
    file_option("--game-folder", "The game in this folder, with its game.toml, in the place of a known one."),
]
