"""`ladder match show`: one match, of the ladder or played here; also as a file of the SDK's runner."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cli import texts
from cli.answer import Answer, Remark, listing
from cli.context import Context
from cli.options.files import check_free, write_file
from cli.options.matches import MatchName
from engine.records.runner_file import runner_text
from engine.referees.edition import game_played
from ladder import views
from ladder.matches.local_matches import LocalMatches, LocalName
from ladder.views.turns.local import list_local, read_local
from ladder.views.turns.match import RUNNER_FILE, read_match, runner_file
from ladder.views.turns.watched import WatchedMatch
from ladder.views.turns.watched_local import watch_local


def list_played_here(context: Context, limit: int) -> Answer:
    store = LocalMatches(context.home.played)
    found = list_local(store, limit)
    listed = listing(
        found.matches,
        texts.match_detail.local_table,
        "`ladder play` has played no match here yet",
        texts.matches.HOW_TO_LOOK,
    )
    damaged = f"damaged files in {store.folder} were left out: {', '.join(found.damaged)}"
    return replace(listed, after=[damaged] if found.damaged else [])


def watched(context: Context, match: MatchName) -> WatchedMatch:
    """Read a match, turn by turn. Raises UnknownName, Refused, Unavailable."""
    if isinstance(match.words, LocalName):
        return watch_local(LocalMatches(context.home.played), context.games, match.words)

    return context.read(views.turns.watched_stored.read_match, context.games, match.words)


def shown(context: Context, match: MatchName, *, turns: bool) -> Answer:
    """Answer with a match; `turns`: also every line that was said. Raises UnknownName, Refused, Unavailable."""
    width = context.width
    if isinstance(match.words, LocalName):
        local = read_local(LocalMatches(context.home.played), context.games, match.words)
        return Answer(local, lambda: texts.match_detail.local_text(local, width, turns=turns))
    found = context.read(read_match, context.games, match.words)
    return Answer(found, lambda: texts.match_detail.detail_text(found, width, turns=turns))


def write_runner_file(context: Context, match: MatchName, path: Path, *, over: bool) -> Answer:
    """Write a match as the SDK's runner does. Raises UnknownName, Refused, Unavailable, UsageFault."""
    check_free(path, over=over)
    write_file(path, runner_file_of(context, match).encode("utf-8", "replace"), over=over)
    return Answer(None, Remark(f"{path} holds the match in the form of the SDK's runner"))


def runner_file_of(context: Context, match: MatchName) -> str:
    """Return a finished match as the SDK's runner writes it. Raises UnknownName, Refused, Unavailable."""
    if not isinstance(match.words, LocalName):
        return context.read(runner_file, context.games, match.words)
    _, local = LocalMatches(context.home.played).read(match.words)
    game = game_played(context.games, local.head.game, local.head.edition)
    game.require_lines(RUNNER_FILE)
    return runner_text(local.result(game), local.head.players)
