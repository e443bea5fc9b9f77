"""`ladder losses`: of what a bot dies, over many of its matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType

from cli.answer import Answer, Found, Remark, argument, option
from cli.context import Context, this
from cli.match.listing import OFFICIAL, RESULTS, MatchOptions
from cli.options.folder_defaults import bot_here
from cli.options.matches import all_watched, store_of
from cli.options.numbers import LimitOption
from cli.terminal.steps import bar
from cli.terminal.table import WORDS, Column, Columns, FittingTable
from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.text import counted, listed
from ladder import views
from ladder.matches.local_matches import LocalMatches, LocalName

if TYPE_CHECKING:
    from ladder.matches.filters import Filter
    from ladder.views.turns.lost_matches import Defeat, LossExample, LossGroup

USUAL = "kind,opponent,turn,unused"


@immutable
class Losses:
    """Lost matches, the latest first, and how they come together. `bot`: whose, None where several were meant."""

    bot: str | None
    matches: Sequence[Defeat]
    groups: Sequence[LossGroup]


NOT_OF_LOSSES = {"bot", *RESULTS, "fault", "reason", "longer_than", "rated", "request"}


def losses(
    typer_context: typer.Context,
    bot: Annotated[
        str | None,
        argument(
            "A bot, or one version as in kraken@v3; with --local and --official the name it has there. "
            "[default: the folder's bot; of those two the one that a match was kept for]"
        ),
    ] = None,
    by: Annotated[str, option("--by", "What to count them by: kind, opponent, seat, map, turn, unused.")] = USUAL,
    *,
    options: Annotated[MatchOptions, NOT_OF_LOSSES],
    limit: LimitOption = 100,
) -> Found:
    """Say of what a bot dies: its latest lost matches, counted in the game's own words.

    Each match is led again by the rules. kind: the last blow, the fault, or what cost most; turn: the bot's own turn
    from which on it was behind to the end; unused: what it had ready in its last turns and did not use. "known" is in
    how many cells it could be at its end, as its opponent knew. Every row names three matches to look at.

    Example: ladder losses kraken --since 1d
    Example: ladder losses kraken --by opponent,seat --against boss-gold
    Example: ladder losses --official --by kind
    """
    context = this(typer_context)
    options = replace(options, bot="", lost=True)
    wanted = options.pick(typer_context, NOT_OF_LOSSES).wanted
    known = {dimension.value: dimension for dimension in views.turns.lost_matches.By}
    words = list(dict.fromkeys(word.strip().lower() for word in by.split(",") if word.strip()))
    if not words or any(word not in known for word in words):
        raise UsageFault(f"--by is {by!r}: lost matches are counted by {listed(list(known))}")
    if options.kept is not None:
        defeats = defeats_kept(context, bot, store_of(context, options.kept), options, limit)
    else:
        bot = bot or bot_here()
        if bot is None:
            raise UsageFault("name a bot; only in a bot's folder, one with a `ladder.toml`, it may be left out")
        defeats = defeats_of_bot(context, bot, options.game, wanted, limit)
    count = views.turns.lost_matches.groups
    groups = [group for word in words for group in count(defeats, known[word])] if defeats else []
    unnamed = "; name the bot where it is not known whose matches they are" if options.kept == OFFICIAL else ""
    nothing = Remark(f"no lost match fits{unnamed}")
    return Answer(Losses(bot, defeats, groups), lambda: losses_text(defeats, groups) if defeats else nothing)


def defeats_of_bot(context: Context, bot: str, game: str | None, filter_: Filter | None, limit: int) -> list[Defeat]:
    latest = context.read(views.matches.latest, limit, bot, game, filter_)
    ids = [listed.match.id for listed in latest.matches if listed.match.record_pruned_at is None]
    if len(ids) < len(latest.matches):
        gone = counted(len(latest.matches) - len(ids), "match", "matches")
        context.say(f"left out: {gone} whose turns were let go, as they were old")
    with bar(context.err) as progress:
        matches = progress.track(all_watched(context, ids), len(ids), description="leading again")
        return views.turns.lost_matches.defeats_of(context.games, matches, latest.of.bot if latest.of else bot)


def seen_by(match: views.turns.local.ListedLocal, bot: str | None) -> views.turns.local.ListedLocal:
    """Return a match from the side of the bot of that name, where it lost; None: of the one by whom it is kept."""
    if bot is None:
        return match
    seats = [seat for seat, name in enumerate(match.players) if name.lower() == bot.lower()]
    lost_seat = next((seat for seat in seats if match.results[seat] == "loss"), None)
    return replace(match, own_seat=lost_seat, own_result=None if lost_seat is None else "lost")


def defeats_kept(
    context: Context, bot: str | None, store: LocalMatches, wanted: MatchOptions, most: int
) -> list[Defeat]:
    if not store.numbers():
        command = "match import` has brought in none" if store.kind == OFFICIAL else "play` has played none here"
        raise Refused(f"`ladder {command} yet")
    matches = views.turns.local.list_local(store, most, lambda listed: wanted.fits(seen_by(listed, bot))).matches
    defeats: list[Defeat] = []
    with bar(context.err) as progress:
        for listed in progress.track(matches, description="leading again"):
            name = LocalName(int(listed.row.id.partition(":")[2]), store.kind)
            match = views.turns.watched_match.watch_local(store, context.games, name)
            own_seat = seen_by(listed, bot).own_seat
            defeats.append(views.turns.lost_matches.defeat_in(context.games, match, own_seat or 0))
    return defeats


def losses_text(defeats: Sequence[Defeat], groups: Sequence[LossGroup]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for by in dict.fromkeys(group.by for group in groups):
        rows = [group for group in groups if group.by is by]
        parts.append(FittingTable(columns_of(rows, by.value, is_explained=not parts), rows))
    first = next((example for group in groups for example in group.examples), None)
    opens = "" if first is None else f"; `ladder match view {example_text(first)}` opens one"
    return [*parts, f"{counted(len(defeats), 'lost match', 'lost matches')}{opens}"]


def columns_of(rows: Sequence[LossGroup], head: str, *, is_explained: bool) -> Columns[LossGroup]:
    def numbers(title: str, value: Callable[[LossGroup], float | None], meaning: str) -> list[Column[LossGroup]]:
        def cell(row: LossGroup) -> str | None:
            number = value(row)
            return None if number is None else f"{number:g}"

        if all(value(row) is None for row in rows):
            return []
        return [Column(title, cell, leaves=2, meaning=meaning if is_explained else "")]

    return (
        Column(head, lambda row: row.value, WORDS),
        Column("lost", lambda row: row.losses),
        Column("share", lambda row: f"{row.share:.0%}"),
        *numbers("behind", lambda row: row.median_behind_since, "since which own turn, median"),
        *numbers("end", lambda row: row.median_last_turn, "own turns, median"),
        *numbers("known", lambda row: row.median_known, "cells it could be in at its end, median"),
        Column("look at", lambda row: ", ".join(map(example_text, row.examples[:1])), WORDS),
        Column("more of them", lambda row: ", ".join(map(example_text, row.examples[1:])), WORDS, leaves=1),
    )


def example_text(example: LossExample) -> str:
    return f"{example.match}" if example.turn is None else f"{example.match} --turn {example.turn}"
