"""Which languages' bots can be built and played on this machine: their programs are there, and new enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.toolchains.languages import Language, Toolchain, languages
from engine.toolchains.tools import missing_tools, present_folders


@dataclass(frozen=True, slots=True)
class Installed:
    """The names of the languages whose bots can be built here, and of those whose bots can be played here."""

    builds: tuple[str, ...]
    plays: tuple[str, ...]


def installed(works: Callable[[Language, Toolchain], bool]) -> Installed:
    """Look at every language of the table. Raises UsageFault for a user's table that is broken.

    `works` says of a toolchain whose programs are there whether they do.
    """

    def able(language: Language, missing: Callable[[Toolchain], list[str]]) -> bool:
        return any(not missing(way) and works(language, way) for way in language.toolchains)

    known = languages().values()
    return Installed(
        builds=tuple(language.name for language in known if able(language, missing_to_build)),
        plays=tuple(language.name for language in known if able(language, missing_to_play)),
    )


def missing_to_build(toolchain: Toolchain) -> list[str]:
    """Return the programs that are not here, of those that it takes to build a bot and to try it."""
    return missing_tools((*toolchain.build_tools, *toolchain.tools), present_folders(toolchain.extra_paths))


def missing_to_play(toolchain: Toolchain) -> list[str]:
    """Return the programs that are not here, of those that run a bot which is built: a compiled one needs none."""
    return missing_tools(toolchain.tools, present_folders(toolchain.extra_paths))
