"""Bots and their versions as tables and lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from cli.record_columns import TIMEOUTS, record_cells
from cli.terminal.table import FittingTable
from engine.toolchains.params import params_text
from ladder.bots.versions import Version
from ladder.gauntlets.automatic_gauntlets import gate_text
from ladder.ratings.standings import LeagueStay

if TYPE_CHECKING:
    from ladder.bots.bots import Bot
    from ladder.views.bots import ListedBot
    from ladder.views.gauntlets import Result

MOST_NOTE_CHARS = 40
"""A longer note is cut in lists of bots."""
STATE_STYLES = {"on the board": "green", "was sent back": "red", "rejected": "red"}
ONLY_IF_ANY = frozenset({"state", "note"})


def bots_table(listed: Sequence[ListedBot]) -> FittingTable:
    """Draw the list of bots. Columns of states and notes are there only where a bot has any."""
    heads = ("bot", "game", "player", "league", "guards", "version", "state", "note")
    rows = [bot_cells(row) for row in listed]
    shown = [place for place, head in enumerate(heads) if head not in ONLY_IF_ANY or any(row[place] for row in rows)]
    there = [heads[place] for place in shown]
    return FittingTable(
        there,
        [[row[place] for place in shown] for row in rows],
        names=("player", "league"),
        leaving=[head for head in ("note", "version", "guards", "player") if head in there],
        words=("bot", "game", "guards", "version", "state", "note"),
    )


def state_of(bot: Bot) -> str:
    """Say of a bot that left the boards why it did."""
    return "disqualified" if bot.is_disqualified else "retired" if bot.is_retired else ""


def bot_cells(row: ListedBot) -> tuple[str, ...]:
    """Return the cells of a line of the list of bots."""
    bot = row.bot
    guards = "its league" if bot.boss_of else ""
    plays = "" if row.plays is None else f"v{row.plays}"
    note = row.note if len(row.note) <= MOST_NOTE_CHARS else f"{row.note[:MOST_NOTE_CHARS]}..."
    return (bot.name, bot.game, bot.player, bot.league, guards, plays, state_of(bot), note)


def versions_table(
    versions: Sequence[Version], stays: Sequence[LeagueStay], gauntlets: Sequence[Result]
) -> FittingTable:
    """Draw a bot's versions with a line for every league each has played in. `gauntlets`: theirs."""
    gates = {one.version: gate_text(one.gauntlet, one.state, one.verdict) for one in gauntlets if one.holds_back}
    heads = ("version", "language", "state", "league", "score", "mu", "sigma", "matches", "w/d/l", TIMEOUTS, "faults")
    rows: list[tuple[str | Text, ...]] = []
    for version in versions:
        own = [stay for stay in stays if stay.version_id == version.id]
        named = (f"v{version.number}", version.language)
        rows += [(*named, *stay_cells(stay, version)) for stay in own]
        if not own:
            rows.append((*named, state_text(gates.get(version.name, version.state)), *[""] * (len(heads) - 3)))
    return FittingTable(
        heads, rows, names=("version", "language", "state", "league"), leaving=("language", "faults", "score")
    )


def notes_text(versions: Sequence[Version]) -> Text:
    """Write what authors noted of their versions, line by line; empty where none has a note."""
    return Text("\n".join(f"v{version.number}: {version.note}" for version in versions if version.note))


def params_lines(versions: Sequence[Version]) -> Text:
    """Write the parameters of versions, line by line; empty where none has any."""
    return Text("\n".join(f"v{one.number} plays with {params_text(one.params)}" for one in versions if one.params))


def imported_lines(versions: Sequence[Version]) -> Text:
    """Write what imported versions were called where they came from, line by line; empty where there is none."""
    found = [f"v{one.number} was {one.imported_as} in {one.imported_from}" for one in versions if one.imported_from]
    return Text("\n".join(found))


def stay_cells(stay: LeagueStay, version: Version) -> tuple[str | Text, ...]:
    """Return what is shown of a version's time in a league."""
    return (
        state_text(stay_text(stay, version)),
        stay.league,
        f"{stay.score:z.2f}",
        f"{stay.mu:z.2f}",
        f"{stay.sigma:.2f}",
        *record_cells(stay.record),
    )


def state_text(words: str) -> Text:
    """Show how a version stands in its colour: on the board or up green, rejected or down red."""
    return Text(words, style=next((style for begin, style in STATE_STYLES.items() if words.startswith(begin)), ""))


def stay_text(stay: LeagueStay, version: Version) -> str:
    """Say how a version stands in a league, now or when it left."""
    if not stay.on_board:
        return "was sent back" if stay.demoted_at else version.state
    if stay.is_rival:
        return "on the board, as a rival"
    if stay.eligible_at:
        return "on the board, eligible, waiting"
    return "on the board, again" if stay.counted_from and not version.imported_from else "on the board"
