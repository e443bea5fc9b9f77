"""The commands `ladder match view` and `ladder match schema`; a match on the terminal, or as plain text."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from rich.text import Text

from cli.answer import option
from cli.context import Context
from cli.match import view
from cli.match.view.drawn_match import ALL, TALK, Scene
from cli.match.view.picture import MapStyle, event_lines, legend_lines, picture, side_lines, title, turn_words
from cli.options.files import HtmlOption, check_free, force_option, write_file
from cli.options.folder_defaults import named_version
from cli.options.matches import MatchName, match_argument, watched
from cli.options.names import game_option
from cli.options.numbers import MOST_TURNS
from cli.terminal.words import indent, quoted
from engine.errors import Refused, UnknownName, UsageFault
from engine.game import Game
from engine.referees.edition import game_played
from engine.text import counted, listed, one_line
from ladder import views
from ladder.viewer import page_of
from ladder.views.turns.watched_match import WatchedMatch

UNFOLDED = 10_000_000
"""Columns of texts that the console folds, where it has to."""


def view_match(
    context: Context,
    match: Annotated[MatchName | None, match_argument()] = None,
    turn: Annotated[
        int | None, option("--turn", "Print this turn of the match, and end.", metavar="TURN", min=1, max=MOST_TURNS)
    ] = None,
    last: Annotated[
        str | None,
        option("--last", "The latest match of this bot, or of one version.", metavar="BOT", callback=named_version),
    ] = None,
    lost: Annotated[
        bool, option("--lost", "With --last: of those that it lost; begins where it turned, as the bot could see it.")
    ] = False,
    against: Annotated[str | None, option("--against", "With --last: of those against this bot or version.")] = None,
    where: Annotated[
        str | None, option("--where", "With --last: a filter in words, as `ladder match list` has it.")
    ] = None,
    game: Annotated[str | None, game_option("With --last: the bot's game, if several have that name.")] = None,
    html: HtmlOption = None,
    force: Annotated[bool, force_option("--html")] = False,
    as_json: Annotated[
        bool, option("--json", "Print all turns as JSON, whose form `ladder match schema` prints.")
    ] = False,
) -> None:
    """Look at a match turn by turn.

    On a terminal, by keys: arrows, Home and End go through the turns, n and p to events, d to damage, t to turning
    points; v shows what each seat could see, i what it was sent; / finds words in stderr, e opens it in your pager; q
    ends. Elsewhere the match is printed in short.

    Turns are counted as `ladder match show --turns` counts them. Of a match that was played by other rules than
    today's, lines and times are shown without pictures; of one that is queued or void, what there is. An unknown match
    or turn ends with exit status 2; --last with 3 where no match fits.

    Example: ladder match view 17 --turn 42
    Example: ladder match view play:1
    Example: ladder match view --last kraken --lost
    Example: ladder match view 17 --html match-17.html
    """
    if turn is not None and as_json:
        raise UsageFault("--json and --turn cannot be used together: the JSON has all turns")
    if html is not None:
        if turn is not None or as_json:
            other = "--json" if as_json else "--turn"
            raise UsageFault(f"--html and {other} cannot be used together: the page has all turns")
        check_free(html, over=force)
    if match is None:
        match = latest_match(context, last, game, against, where, lost=lost)
    elif last is not None:
        raise UsageFault("a match and --last cannot be used together: --last says which match is meant")
    elif lost or against or where:
        raise UsageFault("--lost, --against and --where need --last: they say which of a bot's matches is meant")
    watched_match = watched(context, match)
    if as_json:
        context.show_json(views.turns.watched_match.replay_data(watched_match), compact=True)
    elif html is not None:
        write_page(context, html, watched_match, over=force)
    else:
        open_view(context, watched_match, turn, is_lost=lost)


def latest_match(
    context: Context, bot: str | None, game: str | None, against: str | None, where: str | None, *, lost: bool
) -> MatchName:
    """Return a bot's latest match. Raises UsageFault without a bot; UnknownName, FilterFault, Unavailable, Refused."""
    if bot is None:
        raise UsageFault("name a match, or a bot whose latest match is meant, as in --last kraken --lost")
    options = [("--lost", "result", "=", "lost" if lost else None), ("--against", "opponent", "=", against)]
    filter_ = views.matches.wanted_by(options, where)
    return MatchName(context.read(views.matches.latest_of_bot, bot, game, filter_))


def print_schema() -> None:
    """Print the JSON Schema of what `ladder match view --json` prints.

    Example: ladder match schema > replay.schema.json
    """
    sys.stdout.write(views.turns.watched_match.replay_schema())


def open_view(context: Context, watched: WatchedMatch, turn: int | None = None, *, is_lost: bool = False) -> None:
    """Show a match on the terminal, or print it in short. `turn`: that alone; `is_lost`: from where it was lost."""
    scene = scene_of(context, watched)
    if turn is not None or not scene.turns or not is_screen():
        is_coloured = context.out.color_system is not None and not context.out.no_color
        lines = match_lines(scene) if turn is None else turn_lines(scene, turn, is_coloured=is_coloured)
        context.show(quoted(Text("\n").join(lines)))
        return
    view.app.run_viewer(scene, is_lost=is_lost)


def is_screen() -> bool:
    files = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    are_terminals = all(file is not None and file.isatty() and file.encoding.lower() == "utf-8" for file in files)
    return are_terminals and os.environ.get("TERM", "dumb") not in {"dumb", "unknown"}


def scene_of(context: Context, watched: WatchedMatch) -> Scene:
    """Put a match and its game's way to draw it together. Raises GameFault for a broken `draw.py`."""
    game = game_to_show(context, watched)
    return Scene(watched, None if game is None else game.text_drawing())


def game_to_show(context: Context, watched: WatchedMatch) -> Game | None:
    """Return a match's game; None where only a server has it, so it is shown without pictures."""
    try:
        return game_played(context.games, watched.game, watched.edition)
    except (UnknownName, Refused):
        if context.server is None:
            raise
        return None


def write_page(context: Context, path: Path, *matches: WatchedMatch, over: bool) -> None:
    """Write the page of a match, or of two on one seed, and say so. Raises Refused where it is there, UsageFault."""
    write_file(path, page_text(context, *matches), over=over)
    context.say(f"{path} shows {listed([match.name for match in matches])}: open it in a browser")


def page_text(context: Context, *matches: WatchedMatch) -> bytes:
    """Return the page of a match, or of two on one seed. Raises UsageFault where they do not compare."""
    return page_of(matches, game_to_show(context, matches[0])).encode()


def match_lines(scene: Scene) -> Iterator[Text]:
    replay = scene.watched.replay
    yield Text(title(scene))
    if replay.turns:
        yield Text(counted(len(replay.turns), "turn"))
    if replay.fault:
        yield Text(f"no pictures: {replay.fault}")
    if loss := views.turns.lost_matches.loss_in(scene.watched):
        yield Text(one_line(loss.sentence))
    if replay.turning_points:
        yield Text(f"turning points: {listed([f'turn {number}' for number in sorted(replay.turning_points)])}")
    yield Text()
    for turn in replay.turns:
        for event in turn.events:
            if event.kind != TALK:
                yield Text(f"{turn.number:4}  seat {event.seat}  {one_line(event.text)}")
    if replay.turns:
        example = replay.turning_points[0] if replay.turning_points else len(replay.turns)
        yield Text()
        yield Text(f"`ladder match view {scene.watched.id} --turn {example}` prints one turn with its picture")


def turn_lines(scene: Scene, number: int, *, is_coloured: bool) -> Iterator[Text]:
    turn = scene.watched.turn(number)
    yield Text(title(scene))
    yield Text(turn_words(scene, number))
    if scene.watched.replay.fault:
        yield Text(f"no pictures: {scene.watched.replay.fault}")
    for part in (
        picture(scene, number, MapStyle(is_coloured=is_coloured)),
        list(legend_lines(scene, UNFOLDED)),
        *(list(side_lines(scene, number, seat, ALL, UNFOLDED)) for seat in scene.seats),
        list(event_lines(scene, number, UNFOLDED)),
        titled("input", "\n".join(turn.input or ())),
        titled("stderr", turn.stderr),
    ):
        if part:
            yield Text()
            yield from part


def state_lines(scene: Scene, *, is_coloured: bool) -> Iterator[Text]:
    """Draw how both sides are after the first turn: the map, what its signs mean, and the numbers beside it."""
    yield from picture(scene, 1, MapStyle(is_coloured=is_coloured))
    yield from legend_lines(scene, UNFOLDED)
    for seat in scene.seats:
        facts = [f"{fact.title} {fact.values[seat]}" for fact in scene.facts(1)]
        yield Text(f"seat {seat}: {' · '.join(facts)}")


def titled(title: str, text: str) -> list[Text]:
    return [Text(title, "bold"), Text(indent(text))] if text else []
