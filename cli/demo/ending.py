"""What the demo prints at its end: boards, figures, one match drawn, and commands to type next."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from cli.board.commands import board_parts, pages_of
from cli.context import Context
from cli.demo.drawing import match_drawing
from cli.demo.entries import GAME
from cli.terminal.quoting import quoted
from cli.terminal.typed import next_commands, own_command
from engine.errors import ArenaError
from ladder.views.summary import Rise, Summary, highest_win, rises, summary
from ladder.views.turns.match import read_match

NEXT = {
    "up": "start a ladder",
    f"new my_bot --game {GAME} --language python": "make a bot",
    "submit ./my_bot/ --watch": "submit it",
    "board": "see the ranking",
    "web --open": "see it all live",
}
"""Commands to type next, one after the other, without the program's name, and what each is for."""


def report(context: Context) -> None:
    """Print the boards, what happened, one match, and what to do next. Raises ArenaError where not all was played."""
    context.show("", *board_parts(context, pages_of(context, GAME)))
    with context.database() as connection:
        sums = summary(connection)
        risen = rises(connection)
    context.show("\nwhat happened", *(f"  {line}" for line in telling_lines(sums, risen)))
    require_all_played(context, sums)
    show_match(context)
    context.show("\nwhat next", next_commands(NEXT))


def show_match(context: Context) -> None:
    """Draw one match, with the command that shows more of it. Nothing where no version has left a league upwards."""
    with context.database() as connection:
        match_id = highest_win(connection)
        if match_id is None:
            return
        match = read_match(connection, context.games, match_id)
    context.show("", *map(quoted, match_drawing(context.games, match)))
    context.show(f"look at it: LADDER_HOME={short_path(context.home.folder)} {own_command()} match view {match_id}")


def short_path(folder: Path) -> str:
    """Write a folder for a shell, with `~` for the person's own folder."""
    try:
        return f"~/{quote(str(folder.relative_to(Path.home())))}"
    except (ValueError, RuntimeError):  # it is elsewhere, or the person has none
        return quote(str(folder))


def require_all_played(context: Context, sums: Summary) -> None:
    """Raise ArenaError where a bot that ships with Ladder was not accepted, or not every match was played once."""
    if sums.rejected:
        raise ArenaError(f"the demo did not go as it should: a bot was rejected, {sums.rejected[0]}")
    if not sums.is_complete:
        raise ArenaError(f"the demo did not go as it should: not all matches were played once; see {context.home.logs}")


def telling_lines(sums: Summary, risen: list[Rise]) -> list[str]:
    """Return the five most telling lines about what happened."""
    farthest = f"; farthest {risen[0].version}, {risen[0].from_league} to {risen[0].to_league}" if risen else ""
    ledger = f"{sums.ledger_lines} ledger lines for {sums.finished} matches"
    return [
        f"matches: {sums.asked} asked for, {sums.finished} played and recorded, {sums.void} void",
        f"pace: {sums.matches_per_s:.1f} matches/s over {sums.playing_s:.0f} s, {sums.turns:,} turns",
        f"time-outs: {sums.timeouts}; other faults: {sums.faults}; slowest good answer {sums.slowest_us / 1000:.1f} ms",
        f"promotions: {sum(rise.promotions for rise in risen)}{farthest}",
        f"exactly once: {ledger}; replayed after a crash: {sums.repeated}",
    ]
