"""`ladder match show`: one match, of the ladder or played here; also as a file of the SDK's runner."""

from __future__ import annotations

from pathlib import Path

from cli.context import Context
from cli.match.detail_text import detail_text
from cli.match.local_texts import local_text
from cli.options.files import check_free, write_file
from cli.options.matches import MatchName
from engine.records.runner_file import runner_text
from engine.referees.edition import game_played
from ladder.matches.local_matches import LocalMatches, LocalName
from ladder.views.turns.local import read_local
from ladder.views.turns.match import RUNNER_FILE, read_match, runner_file


def show(context: Context, match: MatchName, *, turns: bool, as_json: bool) -> None:
    """Show a match; `turns`: also every line that was said. Raises UnknownName, Refused, Unavailable."""
    width = context.width
    if isinstance(match.words, LocalName):
        local = read_local(LocalMatches(context.home.played), context.games, match.words)
        context.show_json(local) if as_json else context.show(local_text(local, width, turns=turns))
        return
    found = context.read(read_match, context.games, match.words)
    context.show_json(found) if as_json else context.show(detail_text(found, width, turns=turns))


def write_runner_file(context: Context, match: MatchName, path: Path, *, over: bool) -> None:
    """Write a match as the SDK's runner does. Raises UnknownName, Refused, Unavailable, UsageFault."""
    check_free(path, over=over)
    write_file(path, runner_file_of(context, match).encode("utf-8", "replace"), over=over)
    context.say(f"{path} holds the match in the form of the SDK's runner")


def runner_file_of(context: Context, match: MatchName) -> str:
    """Return a finished match as the SDK's runner writes it. Raises UnknownName, Refused, Unavailable."""
    if not isinstance(match.words, LocalName):
        return context.read(runner_file, context.games, match.words)
    _, local = LocalMatches(context.home.played).read(match.words)
    game = game_played(context.games, local.head.game, local.head.edition)
    game.require_lines(RUNNER_FILE)
    return runner_text(local.result(game), local.head.players)
