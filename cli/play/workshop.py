"""What `ladder dev` does at each save, and how its screen looks.

How this works. The times and sizes of the bot's files are looked at twice a second, which works on every disk. Matches
are played by other processes, as in `ladder play`; between two results it is seen whether there was another save, and
then the rest is given up.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from cli.answer import ExitStatus
from cli.cases import CaseResult, cases_in, results_in
from cli.context import Context
from cli.entrant import Entrant
from cli.play.losses import loss_text, lost_worst_first
from cli.play.series import Keeper, entrants, seatings, sides_of, tasks_of
from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable
from cli.terminal.words import quoted
from engine.bot.conditions import OFFICIAL
from engine.conversation import seat_orders
from engine.errors import ArenaError, BuildRefused
from engine.game import Game
from engine.immutable import immutable
from engine.match import MatchSpec
from engine.series import PlaySettings, UnplayedTask, in_order, jobs_or_all_cores
from engine.text import counted
from engine.toolchains.source import is_left_out

if TYPE_CHECKING:
    from cli.entrant import Home

LOOK_EVERY_S = 0.5
LAST_LINES = 8
"""Of stderr, and of a compiler."""


@immutable
class Workshop:
    """What is watched, against whom it plays and by whose rules. `cases`: the folder of its cases."""

    context: Context
    game: Game
    bot: str
    opponents: Sequence[Entrant]
    rules: Home
    seeds: Sequence[int]
    cases: Path
    jobs: int
    tier: str | None

    def stamp(self) -> tuple[tuple[str, int, int], ...]:
        """Return what changes when the bot or one of its cases is saved."""
        bot = Path(self.bot)
        files = [bot]
        if bot.is_dir():
            files = [file for file in sorted(bot.rglob("*")) if not is_left_out(str(file.relative_to(bot)))]
        return tuple(map(stamp_of, [*files, *sorted(self.cases.glob("*.json"))]))


def stamp_of(file: Path) -> tuple[str, int, int]:
    try:
        state = file.stat()
    except OSError:
        return str(file), 0, 0
    return str(file), state.st_mtime_ns, state.st_size


@immutable
class OpponentScore:
    """The points of each match against an opponent. `before`: their mean at the save before, None for none."""

    opponent: str
    points: list[float]
    before: float | None


@dataclass(slots=True)
class SaveRound:
    """What a save has brought so far. `trouble`: why it could not be built or played; `keepers`: by opponent."""

    saved_at: datetime
    names: Sequence[str]
    trouble: str = ""
    cases: list[CaseResult] = field(default_factory=list[CaseResult])
    keepers: list[Keeper] = field(default_factory=list[Keeper])
    whole: int = 0

    @property
    def played(self) -> int:
        return sum(len(keeper.kept) for keeper in self.keepers)

    def points(self) -> dict[str, list[float]]:
        """Return what the bot got in each match, by opponent."""
        of_opponents = zip(self.names[1:], self.keepers, strict=False)
        return {name: [kept.points_of_first for kept in keeper.kept] for name, keeper in of_opponents if keeper.kept}


def watch(shop: Workshop, *, once: bool) -> int:
    """Do all of it at each save, until Ctrl-C. Returns the exit status: that of the only round where it is one."""
    before: dict[str, float] = {}
    terminal = shop.context.err.is_terminal and shop.context.out.is_terminal
    with Live(console=shop.context.out, auto_refresh=False, screen=terminal and not once) as live:
        while True:
            stamp = shop.stamp()
            saved_at = max(at_ns for _, at_ns, _ in stamp) / 1e9
            save = SaveRound(datetime.fromtimestamp(saved_at), [])  # noqa: DTZ006 - people read it
            with closing(steps(shop, save)) as doing:
                for _ in doing:
                    if terminal:
                        live.update(Group(*screen(shop, save, before)), refresh=True)
                    if shop.stamp() != stamp and not once:
                        break
            if shop.stamp() != stamp and not once:
                continue
            if not terminal or once:
                live.stop()
                shop.context.show(*screen(shop, save, before))
            if once:
                holds = not save.trouble and all(result.holds for result in save.cases)
                return ExitStatus.OK if holds else ExitStatus.FAILED
            before = {name: fmean(got) for name, got in save.points().items()} or before
            while shop.stamp() == stamp:
                time.sleep(LOOK_EVERY_S)


def steps(shop: Workshop, save: SaveRound) -> Generator[None, None, None]:
    context = shop.context
    try:
        who = [*entrants(context, shop.game, [shop.bot]), *shop.opponents]
        save.names = [entrant.label for entrant in who]
        yield
        programs = [entrant.program(shop.tier) for entrant in who]
        cases = cases_in(shop.cases)
        if cases:
            with closing(results_in(cases, programs[0], shop.jobs, shop.tier)) as answers:
                for answer in answers:
                    save.cases.append(answer)
                    yield
        spec = MatchSpec(shop.game, shop.rules.rules_level, shop.seeds[0], players=2)
        matches = len(seat_orders(2, shop.game.seat_orders)) * len(shop.seeds)
        series = seatings(spec, shop.seeds, matches)
        save.whole = len(series) * (len(who) - 1)
        settings = PlaySettings(OFFICIAL, jobs_or_all_cores(shop.jobs), shop.tier)
        for opponent, program in zip(who[1:], programs[1:], strict=True):
            keeper = Keeper(context, sides_of(series, [who[0].label, opponent.label]), shop.rules.title, OFFICIAL.time)
            save.keepers.append(keeper)
            with closing(in_order(tasks_of(series, [programs[0], program]), settings)) as played:
                for match in played:
                    keeper.take(match)
                    if isinstance(match.result, UnplayedTask):
                        save.trouble = match.result.why
                    yield
    except BuildRefused as refused:
        save.trouble = "\n".join([str(refused), *refused.output.splitlines()[:LAST_LINES]])
    except ArenaError as error:
        save.trouble = str(error)
    yield


MET: Columns[OpponentScore] = (
    Column("against", lambda row: row.opponent, NAME),
    Column("won", lambda row: row.points.count(1)),
    Column("drawn", lambda row: row.points.count(0.5), leaves=1),
    Column("lost", lambda row: row.points.count(0)),
    Column("points", lambda row: f"{fmean(row.points):.0%}"),
    Column("before", lambda row: None if row.before is None else f"{row.before:.0%}"),
)
ASKED: Columns[CaseResult] = (
    Column("case", lambda row: row.file, NAME),
    Column("answer", lambda row: row.fault or row.answer, WORDS),
    Column("expected", lambda row: row.expected, WORDS),
)


def screen(shop: Workshop, save: SaveRound, before: dict[str, float]) -> list[RenderableType]:
    head = f"{shop.bot}, saved {save.saved_at:%H:%M:%S}"
    going = "" if save.played >= save.whole else f": {save.played} of {counted(save.whole, 'match', 'matches')}"
    parts: list[RenderableType] = [Text(f"{head}{going}", "bold")]
    if save.trouble:
        parts.append(quoted(Text(save.trouble, "red")))
    failed = [case for case in save.cases if not case.holds]
    if save.cases:
        held = len(save.cases) - len(failed)
        parts.append(Text(f"{held} of {counted(len(save.cases), 'case')} answered as expected"))
        parts += [FittingTable(ASKED, failed)] if failed else []
    if scores := [OpponentScore(name, got, before.get(name)) for name, got in save.points().items()]:
        parts.append(FittingTable(MET, scores))
    parts += map(quoted, longest_turn(save))
    lost = [match for keeper in save.keepers for match in lost_worst_first(keeper.kept)]
    parts += [quoted(f"lost: ladder match view {match.name}  ({loss_text(match)})") for match in lost[:5]]
    if lost and (own_seat := lost[0].match.head.own_seat) is not None:
        last = lost[0].result.stderr[own_seat].splitlines()[-LAST_LINES:]
        parts += [quoted("\n".join([f"the end of its stderr in {lost[0].name}:", *last]))] if last else []
    return parts


def longest_turn(save: SaveRound) -> Iterator[str]:
    """Name the turn that took longest of its limit, without the first of each match."""
    worst_us, words = -1.0, ""
    for kept in (kept for keeper in save.keepers for kept in keeper.kept):
        turns = [
            (turn.spent.charged_us, number)
            for number, turn in enumerate(kept.result.turns, 1)
            if turn.seat == kept.match.head.own_seat
        ]
        took_us, number = max(turns[1:], default=(-1, 0))
        if took_us > worst_us:
            limit_ms = kept.result.spec.limits.turn_ms
            worst_us = took_us
            words = f"{took_us / 1000:.1f} of {limit_ms} ms, in {kept.name} on turn {number}"
    if words:
        yield f"longest turn: {words}"
