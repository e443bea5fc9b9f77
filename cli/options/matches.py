"""Arguments that name a match: by its number in the ladder, or as one that was played here or on the official site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from cli.answer import argument, option
from cli.context import Context, this
from cli.options.names import beginning
from cli.options.numbers import id_of
from engine.bot.clock import Clock, Policy
from engine.errors import ArenaError, UsageFault
from engine.immutable import immutable
from ladder import views
from ladder.ids import MatchId
from ladder.matches import local_matches
from ladder.matches.local_matches import ARCHIVED, LASTING, OFFICIAL, LocalMatches, LocalName


@immutable
class MatchName:
    """A match: its number in the ladder, or the name of one that was played here."""

    words: MatchId | LocalName


def read_match_name(words: str) -> MatchName:
    if (local := local_matches.read_local_name(words) or local_matches.read_archived_name(words)) is not None:
        if local.number == 0:
            raise UsageFault(f"{words} cannot be a match: play:1 is the latest that `ladder play` played here")
        return MatchName(local)
    try:
        return MatchName(MatchId(id_of("match")(words)))
    except UsageFault as fault:
        raise UsageFault(f"{fault}, and play:1 is the latest of `ladder play`") from None


def store_of(context: Context, kind: str = LASTING) -> LocalMatches:
    """Return where matches are kept that were played here, or brought in from the site. `kind`: of their names."""
    home = context.home
    return LocalMatches(home.official, OFFICIAL, most=None) if kind == OFFICIAL else LocalMatches(home.played)


def store_with(context: Context, name: LocalName) -> LocalMatches:
    return store_of(context, name.kind) if name.folder is None else LocalMatches(name.folder, ARCHIVED, most=None)


def watched(context: Context, match: MatchName) -> views.turns.watched_match.WatchedMatch:
    if isinstance(match.words, LocalName):
        return views.turns.watched_match.watch_local(store_with(context, match.words), context.games, match.words)
    return context.read(views.turns.match.watch_match, context.games, match.words)


def all_watched(context: Context, match_ids: Sequence[MatchId]) -> Iterator[views.turns.watched_match.WatchedMatch]:
    """Give matches of the ladder in their order, read by as few questions as can be."""
    left = list(match_ids)
    while left:
        matches = context.read(views.turns.match.watch_matches, context.games, left[: views.turns.match.MOST_AT_ONCE])
        yield from matches
        del left[: len(matches)]


def local_names(context: typer.Context, incomplete: str) -> list[str]:
    try:
        stores = [store_of(this(context), kind) for kind in (LASTING, OFFICIAL)]
        names = [store.name_of(number) for store in stores for number in store.numbers()]
        places = range(1, len(stores[0].numbers()) + 1)[:9]  # of the latest ones, besides all lasting names
    except (ArenaError, OSError):
        return []
    return beginning(incomplete, [*(str(LocalName(place)) for place in places), *names])


def match_argument(
    purpose: str = "Its number, play:1 for the latest match of `ladder play`, official:12, or FOLDER/17.match.",
) -> Any:
    return argument(purpose, parser=read_match_name, metavar="match", autocompletion=local_names)


ClockOption = Annotated[Clock, option("--clock", "What counts. fair: not the waiting for a busy host; wall: all time.")]
OVERRUN = "What an overrun means. strict: a loss; codingame: grace, three strikes."
PolicyOption = Annotated[Policy, option("--policy", OVERRUN)]
MatchArgument = Annotated[MatchName, match_argument()]
MATCHES = (
    "Matches by number or name, as 17, play:1 or official:12, or files of the official site. [default: those that the "
    "options pick]"
)
MatchesArgument = Annotated[list[str] | None, argument(MATCHES, metavar="MATCH", autocompletion=local_names)]
