"""The matches that a command takes one after the other: named ones, those that options pick, those of a file.

How this works. What a word names is found out first, so that a wrong one is refused before anything is written. Then
one match after the other is read, or led again, as it is asked for: none of them stays in memory. Matches of this
machine's database are all read in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from cli.context import Context
from cli.match.listing import Picked
from cli.match.official import as_kept, league_title
from cli.options.matches import read_match_name, store_of, store_with
from engine.errors import Refused, UsageFault
from engine.records.official_file import attempts, official_match, saved_matches
from engine.series import opened
from ladder import views
from ladder.choices import MatchState
from ladder.ids import MatchId
from ladder.matches.local_matches import LocalName
from ladder.views.turns.local import list_local
from ladder.views.turns.match import watch_match
from ladder.views.turns.watched_match import WatchedMatch, watch_local, watched


@dataclass(frozen=True, slots=True)
class Unread:
    """A match that cannot be read or led again. `why`: one sentence."""

    why: str


Chosen: TypeAlias = Callable[[], WatchedMatch | Unread]
"""Reads or leads a match when it is called."""


def chosen(context: Context, words: Sequence[str], picked: Picked, limit: int) -> list[Chosen]:
    """Return at most `limit` matches that words name, or else options pick. Raises UsageFault, Refused and others."""
    if words:
        if picked.typed:
            raise UsageFault(
                f"{words[0]} and {picked.typed[0]} cannot be used together: name matches, or let options pick"
            )
        return [one for word in words for one in matches_of_word(context, word)]
    if picked.kept is not None:
        store = store_of(context, picked.kept)
        found = list_local(store, limit, picked.here.fits).matches
        return [partial(read_local, context, LocalName(int(one.row.id.partition(":")[2]), store.kind)) for one in found]
    if picked.request is not None:
        listed = context.read(views.requests.matches_of, picked.request, limit).matches
    else:
        listed = context.read(views.matches.latest, limit, picked.bot, picked.game, picked.wanted).matches
    return [partial(read_stored, context, one.match.id) for one in listed if one.match.state == MatchState.FINISHED]


def matches_of_word(context: Context, word: str) -> Iterator[Chosen]:
    path = Path(word)
    try:
        name = read_match_name(word).words
    except UsageFault:
        if not path.exists():
            raise
        yield from of_file(context, path)
        return
    yield partial(read_local, context, name) if isinstance(name, LocalName) else partial(read_stored, context, name)


def read_local(context: Context, name: LocalName) -> WatchedMatch:
    return watch_local(store_with(context, name), context.games, name, has_views=False)


def read_stored(context: Context, match_id: MatchId) -> WatchedMatch:
    if context.server is not None:
        return context.read(watch_match, context.games, match_id)
    return watch_match(context.reading, context.games, match_id, has_views=False)


def of_file(context: Context, path: Path) -> Iterator[Chosen]:
    """Yield the matches of a file of the official site. Raises UsageFault where it cannot be read."""
    try:
        values = saved_matches(path.read_bytes())
    except (UsageFault, OSError) as error:
        why = f"cannot be read: {error.strerror}" if isinstance(error, OSError) else str(error)
        raise UsageFault(f"{path}: {why}") from error
    for number, value in enumerate(values, 1):
        yield partial(led_again, context, str(path) if len(values) == 1 else f"{path}, match {number}", value)


def led_again(context: Context, file: str, value: Any) -> WatchedMatch | Unread:
    try:
        match = official_match(value)
        tried = attempts(match, context.games.all, dict.fromkeys(context.games.names), partial(opened, None))
    except UsageFault as error:
        return Unread(f"{file}: {error}")
    best = tried[-1] if tried else None
    if best is None or best.result is None:
        return Unread(f"{file}: {best.why if best else f'no game here is for {len(match.players)} players'}")
    kept = as_kept(match, best.result, league_title(best, None), None)
    return watched(kept, file, context.games, has_views=False)


def each_read(context: Context, matches: Sequence[Chosen]) -> Iterator[WatchedMatch]:
    """Yield matches; of several, one that cannot be read is named and left out; one alone raises Refused."""
    for one in matches:
        try:
            found = one()
        except (Refused, UsageFault) as error:
            if len(matches) == 1:
                raise
            found = Unread(str(error))
        if isinstance(found, Unread):
            if len(matches) == 1:
                raise UsageFault(found.why)
            context.say(f"left out: {found.why}")
            continue
        yield found
