"""Which languages' bots can be built and played on this machine, as far as one can tell without running anything.

Only whether the programs are there is looked at, which takes milliseconds. That one of them is too old shows when
something is built: see `engine.toolchain.choose_toolchain`.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.languages import Toolchain, languages
from engine.tools import missing_tools, present_folders


@dataclass(frozen=True, slots=True)
class Installed:
    """The names of the languages whose bots can be built here, and of those whose bots can be played here."""

    builds: tuple[str, ...]
    plays: tuple[str, ...]


def installed() -> Installed:
    """Look at every language of the table. Raises UsageFault for a user's table that is broken."""
    known = languages().values()
    return Installed(
        builds=tuple(one.name for one in known if not all(missing_to_build(way) for way in one.toolchains)),
        plays=tuple(one.name for one in known if not all(missing_to_play(way) for way in one.toolchains)),
    )


def missing_to_build(toolchain: Toolchain) -> list[str]:
    """Return the programs that are not here, of those that it takes to build a bot and to try it."""
    return missing_tools((*toolchain.build_tools, *toolchain.tools), present_folders(toolchain.extra_paths))


def missing_to_play(toolchain: Toolchain) -> list[str]:
    """Return the programs that are not here, of those that run a bot which is built: a compiled one needs none."""
    return missing_tools(toolchain.tools, present_folders(toolchain.extra_paths))
