"""How things look in a terminal: pure functions from rows to tables and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from cli.terminal.table import FittingTable
from engine.bot.clock import Clock, Spent, TimeRule, whose_fault
from engine.sandbox.bare import NAME as NONE
from engine.text import counted
from engine.toolchains.params import params_text
from ladder.bots.versions import Version
from ladder.leagues.leagues import League
from ladder.leagues.settings import Value
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.ratings.counts import Record
from ladder.ratings.standings import LeagueStay

if TYPE_CHECKING:
    from ladder.bots.bots import Bot
    from ladder.views.boards import BoardRow
    from ladder.views.bots import ListedBot
    from ladder.views.leagues import LeagueRow
    from ladder.views.matches import ListedMatch
    from ladder.views.turns import TurnRow

SEATS = (0, 1)
RESULT_STYLES = {"win": "green", "loss": "red", "draw": "yellow"}
OWN_RESULT_STYLES = {"won": "green", "lost": "red", "drawn": "yellow"}


TIMEOUTS, LIVE_RANK, LIVE_SCORE = "time-\nouts", "live\nrank", "live\nscore"
"""Heads of columns that can be written in two lines."""
MOST_NOTE_CHARS = 40
"""A longer note is cut in lists of bots."""
LEAVING = ("player", "faults", TIMEOUTS, "sigma", "mu", "w/d/l", "matches")
"""What boards give up in narrow terminals, in that order: never what they rank by."""


def board_table(league: League, rows: Sequence[BoardRow]) -> FittingTable:
    """Draw a league's board, or a part of it."""
    return FittingTable(
        ("rank", "version", "player", "score", "mu", "sigma", "matches", "w/d/l", TIMEOUTS, "faults"),
        [board_cells(row) for row in rows],
        names=("version", "player"),
        leaving=LEAVING,
        title=f"{league.title} ({league.game})",
    )


def board_cells(line: BoardRow) -> tuple[str | Text, ...]:
    """Return the cells of a line of a board."""
    row = line.standing
    return (
        str(line.rank),
        version_text(line.version, "boss" if row.is_boss else "kept" if row.kept else ""),
        row.player,
        f"{row.score:.2f}",
        f"{row.mu:.2f}",
        f"{row.sigma:.2f}",
        *record_cells(row.record, row.waiting),
    )


def record_cells(record: Record, waiting: int = 0) -> tuple[str, str, str, str]:
    """Return the cells of a record: matches, w/d/l, time-outs and faults. `waiting`: matches still to be played."""
    return (
        f"{record.matches} +{waiting}" if waiting else str(record.matches),
        record.won_drawn_lost,
        str(record.timeouts),
        str(record.faults),
    )


def version_text(name: str, mark: str = "") -> Text:
    """Show a version on a board. `mark`: that it is the boss, or was kept beside its bot's newer version."""
    return Text(f"{name} ({mark})" if mark else name, style="magenta" if mark.startswith("boss") else "bold")


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


ONLY_IF_ANY = frozenset({"state", "note"})


def bot_cells(row: ListedBot) -> tuple[str, ...]:
    """Return the cells of a line of the list of bots."""
    bot = row.bot
    guards = "its league" if bot.boss_of else ""
    plays = "" if row.plays is None else f"v{row.plays}"
    note = row.note if len(row.note) <= MOST_NOTE_CHARS else f"{row.note[:MOST_NOTE_CHARS]}..."
    return (bot.name, bot.game, bot.player, bot.league, guards, plays, state_of(bot), note)


def versions_table(versions: Sequence[Version], stays: Sequence[LeagueStay]) -> FittingTable:
    """Draw a bot's versions with a line for every league each has played in."""
    heads = ("version", "language", "state", "league", "score", "mu", "sigma", "matches", "w/d/l", TIMEOUTS, "faults")
    rows: list[tuple[str, ...]] = []
    for version in versions:
        own = [stay for stay in stays if stay.version_id == version.id]
        named = (f"v{version.number}", version.language)
        rows += [(*named, *stay_cells(stay, version)) for stay in own]
        if not own:
            rows.append((*named, version.state, *[""] * (len(heads) - 3)))
    return FittingTable(
        heads, rows, names=("version", "language", "state", "league"), leaving=("language", "faults", "score")
    )


def notes_text(versions: Sequence[Version]) -> Text:
    """Write what authors noted of their versions, line by line; empty where none has a note."""
    return Text("\n".join(f"v{version.number}: {version.note}" for version in versions if version.note))


def params_lines(versions: Sequence[Version]) -> Text:
    """Write the parameters of versions, line by line; empty where none has any."""
    return Text("\n".join(f"v{one.number} plays with {params_text(one.params)}" for one in versions if one.params))


def stay_cells(stay: LeagueStay, version: Version) -> tuple[str, ...]:
    """Return what is shown of a version's time in a league."""
    return (
        stay_text(stay, version),
        stay.league,
        f"{stay.score:.2f}",
        f"{stay.mu:.2f}",
        f"{stay.sigma:.2f}",
        *record_cells(stay.record),
    )


def stay_text(stay: LeagueStay, version: Version) -> str:
    """Say how a version stands in a league, now or when it left."""
    if not stay.on_board:
        return "was sent back" if stay.demoted_at else version.state
    if stay.kept:
        return "kept on the board"
    if stay.eligible_at:
        return "on the board, eligible, waiting"
    return "on the board, again" if stay.owed_from else "on the board"


def matches_table(matches: Iterable[ListedMatch], *, of_one: bool = False) -> FittingTable:
    """Draw a list of matches. Of a seat that is missing in the database nothing is shown.

    `of_one`: they are of one bot, so a column shows its results.
    """
    result = ["result"] if of_one else []
    rows: list[tuple[str | Text, ...]] = []
    for listed in matches:
        match, by_seat = listed.match, {seat.seat: seat for seat in listed.seats}
        both = [by_seat.get(number) for number in SEATS]
        rows.append(
            (
                str(match.id),
                match.league,
                *("" if seat is None else seat_text(seat) for seat in both),
                ":".join("?" if seat is None else score_text(seat) for seat in both),
                "void" if match.state == "void" else reason_text(match),
                *([own_result_text(listed.own_result)] if of_one else []),
                str(match.turns),
                str(match.seed),
                "yes" if match.rates and match.state != "void" else "no",
            )
        )
    return FittingTable(
        ("match", "league", "seat 0", "seat 1", "score", "end", *result, "turns", "seed", "rated"),
        rows,
        names=("league", "seat 0", "seat 1", "end"),
        leaving=("league", "turns", "seed"),
    )


def own_result_text(result: str | None) -> Text:
    """Show how a match ended for the bot that a list is about."""
    return Text(result or "", style=OWN_RESULT_STYLES.get(result or "", ""))


def score_text(seat: SeatRow) -> str:
    """Write a seat's score; a dash where its match was never played to its end."""
    return "-" if seat.score is None else str(seat.score)


def reason_text(match: MatchRow) -> str:
    """Say how a finished match ended, or why one is void, in the words of who made it so."""
    return in_words(match.reason) if match.state == "finished" else match.reason


def in_words(name: str) -> str:
    """Write a game's own name for an end for people: `turn limit`."""
    return name.replace("_", " ")


def seat_text(seat: SeatRow) -> Text:
    """Show a version in the colour of its result, with its verdict if that is not ok."""
    words = seat.version if seat.verdict in {"ok", None} else f"{seat.version} ({seat.verdict})"
    return Text(words, style=RESULT_STYLES.get(seat.result or "", ""))


def leagues_tables(leagues: Iterable[LeagueRow]) -> list[FittingTable]:
    """Draw leagues, which come game by game, with the settings that matter most to bots; the file shows all."""
    return [leagues_table(game, list(own)) for game, own in groupby(leagues, key=lambda league: league.game)]


def leagues_table(game: str, leagues: Sequence[LeagueRow]) -> FittingTable:
    """Draw one game's leagues."""
    return FittingTable(
        ("league", "rules", "boss", "promotion", "opens", "battles", "memory", "time", "overruns", "clock"),
        [league_cells(league) for league in leagues],
        names=(),
        leaving=("memory", "clock", "overruns", "time", "opens", "rules", "promotion", "battles"),
        title=game,
        words=("league", "boss", "promotion", "opens", "time", "overruns", "clock"),
    )


def league_cells(league: LeagueRow) -> tuple[str, ...]:
    """Return the cells of a line of the list of leagues."""
    values = league.values
    return (
        league.league,
        str(values["rules_level"]),
        str(values["boss"] or "none"),
        promotion_text(values),
        moment_text(values["opens_at"]),
        str(values["battles"]),
        f"{values['memory_mb']} MB",
        limits_text(league),
        str(values["time_policy"]),
        str(values["clock"]),
    )


def promotion_text(values: Mapping[str, Value]) -> str:
    """Say how a league promotes, and whether it sends back."""
    rule = f"{values['boss_wins']} wins" if values["promotion"] == "boss_wins" else "rank"
    return f"{rule}, demotes" if values["demotion"] else rule


def limits_text(league: LeagueRow) -> str:
    """Write a league's limits of time, that of the first answer before that of later ones."""
    return f"{league.limits.first_ms}, {league.limits.turn_ms} ms"


def moment_text(moment: Value) -> str:
    """Write when a league opens, in this machine's time."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if isinstance(moment, datetime) else "open"


def match_text(match: MatchRow, seats: Sequence[SeatRow], origin: str = "") -> Text:
    """Tell everything about one match but its turns. `origin`: what it was made for, if that is to be said."""
    text = Text(f"match {match.id}: {match.game}, {match.league}, seed {match.seed}, {match.state}")
    if match.reason:
        text.append(f" ({reason_text(match)})")
    if origin:
        text.append(f"\n{origin}")
    if match.void_at is not None:
        text.append(f"\ntaken back by {match.void_by}, {match.void_at.astimezone():%Y-%m-%d %H:%M}")
    turns = counted(match.turns or 0, "turn")
    text.append(f"\n{turns}, pair {match.pair_id}, attempt {match.attempt}{host_text(match)}\n")
    if match.sandbox or match.state == "finished":
        rule = f"time by the {match.clock} clock, policy {match.time_policy}{limits_played(match)}"
        text.append(f"{sandbox_text(match.sandbox)}; {rule}\n")
    for number in SEATS:
        text.append(f"\nseat {number}: ")
        text.append(whole_seat_text(next((seat for seat in seats if seat.seat == number), None)))
    return text


def whole_seat_text(seat: SeatRow | None) -> Text:
    """Tell everything about one seat; None where the database has no row of it."""
    if seat is None:
        return Text("its row is missing in the database\n")
    text = seat_text(seat).copy()
    return text if seat.score is None else text.append(ending_text(seat))


def host_text(match: MatchRow) -> str:
    """Say how often the host was too busy to play the match."""
    return f", {match.host_faults} of them void because the host was too busy" if match.host_faults else ""


def limits_played(match: MatchRow) -> str:
    """Say which limits of time a match was played with; nothing where it was not played."""
    if match.first_limit_ms is None:
        return ""
    return f", {match.first_limit_ms} ms for the first answer and {match.turn_limit_ms} ms for each later one"


def sandbox_text(tier: str) -> str:
    """Say in which tier a match was played; plainly where that contains nothing."""
    if tier == NONE:
        return "sandbox NONE: nothing contained these bots"
    return f"sandbox {tier}"


def ending_text(seat: SeatRow) -> Text:
    """Tell how a seat ended."""
    text = Text(f"  {seat.result}, score {seat.score}, verdict {seat.verdict}")
    if seat.message:
        text.append(f": {seat.message}")
    text.append(
        f"\n  answers: median {milliseconds(seat.median_us)}, slowest {milliseconds(seat.slowest_us)}; "
        f"charged at most {milliseconds(seat.charged_us)}; {counted(seat.overruns, 'overrun')}\n"
    )
    if seat.early_lines:
        text.append(f"  {counted(seat.early_lines, 'turn')} answered with lines said before they were asked for\n")
    if seat.metrics:
        text.append(f"  {metrics_text(seat.metrics)}\n")
    if seat.stderr_dropped_bytes:
        text.append(f"  {seat.stderr_dropped_bytes:,} bytes of stderr were too many and are not kept\n")
    if seat.stderr:
        text.append("  stderr:\n" + indent(seat.stderr) + "\n")
    return text


def metrics_text(metrics: Mapping[str, str]) -> str:
    """Write the metrics that a bot reported."""
    return "metrics: " + ", ".join(f"{key} = {value}" for key, value in metrics.items())


def milliseconds(time_us: int | None) -> str:
    """Write a time for people."""
    return "?" if time_us is None else f"{time_us / 1000:.2f} ms"


def indent(text: str) -> str:
    """Move every line to the right."""
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))


def overruns_text(turns: Iterable[TurnRow], rule: TimeRule | None) -> Text:
    """List the turns that took longer than their limit, whose fault each was and what their rule made of it.

    Empty where there are none. `rule`: by which it was judged; None where it was not yet.
    """
    lines = [
        f"turn {turn.turn} seat {turn.seat}: limit {turn.limit_ms} ms, {times_text(turn.spent)}: "
        + blame_text(fault, rule, turn.ruling or "")
        for turn in turns
        if rule and turn.limit_ms is not None and (fault := whose_fault(turn.spent, turn.limit_ms))
    ]
    return Text("\n".join(["overruns of wall time", *lines, ""]) if lines else "")


def blame_text(fault: str, rule: TimeRule, ruling: str) -> str:
    """Say whose fault an overrun of wall time was, that it counts where that is the host's, and the ruling, if any."""
    counts = ", but it counts by the wall clock" if fault == "host" and rule.clock is Clock.WALL else ""
    return f"the {fault}'s fault{counts}" + (f" ({ruling})" if ruling else "")


def times_text(spent: Spent) -> str:
    """Write all times of a turn; see engine.bot.clock for what they mean."""
    runtime = f", runtime {milliseconds(spent.runtime_us)}" if spent.runtime_us else ""
    return (
        f"wall {milliseconds(spent.wall_us)}, charged {milliseconds(spent.charged_us)}, cpu "
        f"{milliseconds(spent.cpu_us)}, wait {milliseconds(spent.wait_us)}, late {milliseconds(spent.late_us)}{runtime}"
    )


TIMES = ("wall", "charged", "cpu", "wait", "late")
LEGEND = "times in ms; wait: of all threads together, and also what a wait that ended in the turn had lasted before it"
"""Linux adds a wait to its account when it ends, so that of a turn may be more than the turn's wall time."""


def turns_text(turns: Iterable[TurnRow]) -> Text:
    """List every line that was said, with what it took, and below it what the seat wrote to stderr in that turn."""
    heading = "turn seat" + "".join(f"{name:>9}" for name in TIMES) + "  line"
    return Text("\n".join([LEGEND, heading, *map(turn_line, turns)]))


def turn_line(turn: TurnRow) -> str:
    """Write one turn in one line."""
    spent = turn.spent
    times_us = (spent.wall_us, spent.charged_us, spent.cpu_us, spent.wait_us, spent.late_us)
    said = "(nothing)" if turn.line is None else turn.line
    line = f"{turn.turn:4} {turn.seat:4}" + "".join(f"{time_us / 1000:9.2f}" for time_us in times_us) + f"  {said}"
    return f"{line}\n{indent(turn.stderr)}" if turn.stderr else line
