"""How things look in a terminal: pure functions from rows to tables and sentences."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table
from rich.text import Text

from engine.match import Turn
from ladder.storage.bots import Bot
from ladder.storage.leagues import League
from ladder.storage.matches import MatchRow, SeatRow
from ladder.storage.standings import Standing, Stay
from ladder.storage.versions import Version

RESULT_STYLES = {"win": "green", "loss": "red", "draw": "yellow"}


def board_table(league: League, board: Sequence[Standing]) -> Table:
    """Draw a league's board."""
    table = Table(title=f"{league.title} ({league.game})", title_justify="left", title_style="bold", min_width=76)
    for name in ("rank", "version", "player", "score", "mu", "sigma", "matches", "w/d/l", "time-outs", "faults"):
        table.add_column(name, justify="left" if name in {"version", "player"} else "right")
    for rank, row in enumerate(board, 1):
        name = f"{row.name} (boss)" if row.is_boss else row.name
        matches = f"{row.matches} +{row.waiting}" if row.waiting else str(row.matches)
        table.add_row(
            str(rank),
            Text(name, style="magenta" if row.is_boss else "bold"),
            row.player,
            f"{row.score:.2f}",
            f"{row.mu:.2f}",
            f"{row.sigma:.2f}",
            matches,
            f"{row.wins}/{row.draws}/{row.losses}",
            str(row.timeouts),
            str(row.faults),
        )
    return table


def board_rows(league: League, board: Sequence[Standing]) -> list[dict[str, Any]]:
    """Return a board as plain rows, for JSON and CSV."""
    return [
        {"game": league.game, "league": league.name, "rank": rank, "version": row.name, **asdict(row)}
        for rank, row in enumerate(board, 1)
    ]


def as_csv(rows: Iterable[dict[str, Any]]) -> str:
    """Write rows of the same keys as CSV with a heading."""
    rows = list(rows)
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return text.getvalue()


def bots_table(bots: Iterable[Bot]) -> Table:
    """Draw the list of bots."""
    table = Table("bot", "game", "player", "league", "guards")
    for bot in bots:
        table.add_row(bot.name, bot.game, bot.player, bot.league, "its league" if bot.boss_of else "")
    return table


def versions_table(versions: Sequence[Version], stays: Sequence[Stay]) -> Table:
    """Draw a bot's versions with a line for every league each has played in."""
    columns = (
        "version",
        "language",
        "state",
        "league",
        "score",
        "mu",
        "sigma",
        "matches",
        "w/d/l",
        "time-outs",
        "faults",
    )
    table = Table(*columns)
    for version in versions:
        own = [stay for stay in stays if stay.version_id == version.id]
        if not own:
            table.add_row(f"v{version.number}", version.language, version.state)
        for stay in own:
            table.add_row(
                f"v{version.number}",
                version.language,
                "on the board" if stay.on_board else version.state,
                stay.league,
                f"{stay.score:.2f}",
                f"{stay.mu:.2f}",
                f"{stay.sigma:.2f}",
                str(stay.matches),
                f"{stay.wins}/{stay.draws}/{stay.losses}",
                str(stay.timeouts),
                str(stay.faults),
            )
    return table


def matches_table(matches: Iterable[MatchRow], seats: Iterable[SeatRow]) -> Table:
    """Draw a list of matches."""
    by_match: dict[int, list[SeatRow]] = {}
    for seat in seats:
        by_match.setdefault(seat.match_id, []).append(seat)
    table = Table("match", "league", "seat 0", "seat 1", "score", "end", "turns", "seed")
    for match in matches:
        first, second = by_match[match.id]
        table.add_row(
            str(match.id),
            match.league,
            seat_text(first),
            seat_text(second),
            f"{first.score}:{second.score}",
            match.reason,
            str(match.turns),
            str(match.seed),
        )
    return table


def seat_text(seat: SeatRow) -> Text:
    """Show a version in the colour of its result, with its verdict if that is not ok."""
    words = seat.version if seat.verdict in {"ok", None} else f"{seat.version} ({seat.verdict})"
    return Text(words, style=RESULT_STYLES.get(seat.result or "", ""))


def match_text(match: MatchRow, seats: Sequence[SeatRow]) -> Text:
    """Tell everything about one match."""
    text = Text(f"match {match.id}: {match.game}, {match.league}, seed {match.seed}, {match.state}")
    if match.reason:
        text.append(f" ({match.reason})")
    text.append(f"\n{match.turns} turns, pair {match.pair_id}, attempt {match.attempt}\n")
    if match.metrics:
        text.append(f"{metrics_text(match.metrics)}\n")
    for seat in seats:
        text.append(f"\nseat {seat.seat}: ")
        text.append(seat_text(seat))
        if seat.score is None:
            continue
        text.append(f"  {seat.result}, score {seat.score}, verdict {seat.verdict}")
        if seat.message:
            text.append(f": {seat.message}")
        text.append(f"\n  answers: median {milliseconds(seat.median_us)}, slowest {milliseconds(seat.slowest_us)}\n")
        if seat.early_lines:
            text.append(f"  {seat.early_lines} turns answered with lines said before they were asked for\n")
        if seat.metrics:
            text.append(f"  {metrics_text(seat.metrics)}\n")
        if seat.stderr:
            text.append("  stderr:\n" + indent(seat.stderr) + "\n")
    return text


def metrics_text(metrics: Mapping[str, str]) -> str:
    """Write what bots told of a match."""
    return "metrics: " + ", ".join(f"{key} = {value}" for key, value in metrics.items())


def milliseconds(time_us: int | None) -> str:
    """Write a time for people."""
    return "?" if time_us is None else f"{time_us / 1000:.2f} ms"


def indent(text: str) -> str:
    """Move every line to the right."""
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))


def turns_text(turns: Iterable[Turn]) -> Text:
    """List every line that was said, with how long it took."""
    return Text("\n".join(turn_line(number, turn) for number, turn in enumerate(turns)))


def turn_line(number: int, turn: Turn) -> str:
    """Write one turn in one line."""
    said = "(nothing)" if turn.line is None else turn.line
    return f"{number:4} seat {turn.seat} {milliseconds(turn.wall_us):>10}  {said}"
