"""What came of an import, as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cli.terminal.table import FittingTable
from cli.terminal.words import quoted
from engine.text import counted, listed

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ladder.imports.agreement import Agreement, OtherSetting
    from ladder.imports.importing import Imported


def imported_parts(done: Imported) -> Iterator[RenderableType]:
    """Say what is new, which names are others here, what is on record only, and how near the ratings are."""
    yield headline(done)
    if done.known_versions or done.known_matches:
        known = f"{counted(done.known_versions, 'name')} and {counted(done.known_matches, 'match', 'matches')}"
        yield f"imported before: {known}"
    yield from (quoted(f"left out: {sentence}") for sentence in done.left_out)
    if named := [(one.name, one.version) for one in done.versions if one.was_renamed]:
        yield FittingTable(("name there", "here"), named, names=("name there",), words=("here",))
    if on_record := [(one.version, one.why_no_source) for one in done.versions if one.why_no_source]:
        yield FittingTable(("on record only", "why"), on_record, names=("why",), words=("on record only",))
    if done.agreement is not None:
        yield agreement_text(done.agreement, done.origin)
    yield from (quoted(line) for line in settings_lines(done.origin, done.commands, done.settings))


def headline(done: Imported) -> str:
    """Say how much was imported."""
    if done.changes_nothing:
        return f"nothing is new: {done.league} of {done.game} has all of this {done.origin} league"
    built = sum(not one.why_no_source for one in done.versions)
    what = f"{counted(done.bots, 'bot')}, {counted(len(done.versions), 'version')} ({built} to be built) and "
    matches = counted(done.matches, "match", "matches")
    faults = f" with {counted(done.faults, 'fault')} of unknown kind" if done.faults else ""
    did = "imported" if done.applied else "dry run, nothing is changed: it would import"
    taken = [f"{name} = {value}" for name, value in done.settings_taken.items()]
    settings = f"; {done.league} rates with {listed(taken)} now" if taken else ""
    return f"{did} {what}{matches}{faults} into {done.league} of {done.game}{settings}"


def agreement_text(found: Agreement, origin: str) -> str:
    """Say how near our ratings are to those of the other program, and why they are not equal."""
    bots = counted(found.bots, "bot")
    if found.is_equal:
        return f"ratings: those of {found.file}, at most {found.as_here:.1g} apart ({bots})"
    text = f"ratings: up to {found.as_here:.2g} from those of {found.file} ({bots})"
    if found.others:
        differs = listed([other_text(other, origin) for other in found.others])
        text += f", for the league rates with {differs}; with --settings it rates as {origin} did"
        if found.as_here == found.as_there:
            return text
        text += f", and is at most {found.as_there:.1g} away"
    return text + package_text(found, origin)


def other_text(other: OtherSetting, origin: str) -> str:
    """Say which setting is another one here."""
    return f"{other.setting} {rounded(other.here)} ({origin}: {rounded(other.there)})"


def rounded(value: float | str) -> str:
    """Write a setting for people."""
    return value if isinstance(value, str) else f"{value:.6g}"


def package_text(found: Agreement, origin: str) -> str:
    """Say what it means that ratings differ by the same settings too; "" where they do not."""
    if found.as_package is None:
        return ""
    if found.as_package < found.as_there:
        return (
            f": {origin} computes draws with functions of 7 digits, by which these matches give its ratings "
            f"(at most {found.as_package:.1g} apart), and ours are exact"
        )
    return f": by {origin}'s own computation too these matches lead to other ratings than it has"


def settings_lines(origin: str, commands: Mapping[str, str], settings: Mapping[str, str]) -> Iterator[str]:
    """Write the commands and settings that the other program had, and which are not taken over."""
    yield from (f"{origin}'s {name}: {command}" for name, command in commands.items())
    if settings:
        yield f"{origin}'s settings: {', '.join(f'{name} = {value}' for name, value in settings.items())}"
