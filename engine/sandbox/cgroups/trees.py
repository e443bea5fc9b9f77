"""Where the trees of control groups are, and our own group in them."""

from __future__ import annotations

from pathlib import Path

from engine.errors import SandboxFault


def mounts(kind: str) -> list[tuple[Path, set[str]]]:
    """Return where file systems of that kind are mounted, each with its options."""
    rows = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [(Path(row[1]), set(row[3].split(","))) for row in rows if row[2] == kind]


def own_group(hierarchy: str | None, kind: str, mounted: list[tuple[Path, set[str]]]) -> Path:
    """Return the folder of the group that we are in, in the tree with that number or of that kind of resource.

    In a container the mount may begin at our own group; then that is where it is. Raises SandboxFault.
    """
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        number, kinds, path = line.split(":", 2)
        if number == hierarchy or (hierarchy is None and kind in kinds.split(",")):
            for mount, options in mounted:
                if not kind or kind in options:
                    own = mount / path.lstrip("/")
                    return own if own.is_dir() else mount
    raise SandboxFault(f"there is no cgroup tree for {kind or 'version 2'}")
