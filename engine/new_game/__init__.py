"""A new game: `template`, a small game that passes the conformance kit, under another name. See docs/new-game.md."""

from __future__ import annotations

from pathlib import Path

from engine.errors import Refused, UsageFault
from engine.games.game_folder import NAME

TEMPLATE = Path(__file__).with_name("template")


def write_skeleton(name: str, folder: Path) -> list[Path]:
    """Raises UsageFault for a name that no game can have, Refused where the folder holds something already."""
    if not NAME.fullmatch(name):
        raise UsageFault(f"{name!r} cannot be a game's name: small letters, digits and hyphens, at most 39")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Refused(f"{folder} is not empty, and nothing in it is written over: name a new folder")
    written: list[Path] = []
    for source in sorted(path for path in TEMPLATE.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        text = source.read_text("utf-8").replace("my-game", name).replace("My Game", name.replace("-", " ").title())
        written.append(folder / source.relative_to(TEMPLATE))
        written[-1].parent.mkdir(parents=True, exist_ok=True)
        written[-1].write_text(text, "utf-8")
    return written
