"""The commands `ladder match view` and `ladder match schema`.

Imports inside functions: a match is shown in the terminal without what writes it as JSON or as a page; a match that is
named is shown without looking for it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Annotated

from cli.context import Context
from cli.match.view.plain import open_view
from cli.options.files import HtmlOption, check_free, force_option
from cli.options.here import named_version
from cli.options.matches import MatchName, match_argument, watched
from cli.options.names import game_option
from cli.options.numbers import MOST_TURNS
from cli.program.parameters import option
from engine.errors import UsageFault
from ladder import views


@dataclass(frozen=True, slots=True)
class Latest:
    """What was asked of the latest match. `bot`: whose, or None; the others as in `ladder match list`."""

    bot: str | None
    lost: bool
    against: str | None
    where: str | None
    game: str | None

    def find(self, context: Context) -> MatchName:
        """Return that match. Raises UsageFault without a bot; UnknownName, FilterFault, Unavailable, Refused."""
        if self.bot is None:
            raise UsageFault("name a match, or a bot whose latest match is meant, as in --last kraken --lost")
        options = [
            ("--lost", "result", "=", "lost" if self.lost else None),
            ("--against", "opponent", "=", self.against),
        ]
        wanted = views.matches.wanted_by(options, self.where)
        return MatchName(context.read(views.matches.latest_of_bot, self.bot, self.game, wanted))

    def refuse_beside_a_match(self) -> None:
        if self.bot is not None:
            raise UsageFault("a match and --last cannot be used together: --last says which match is meant")
        if self.lost or self.against or self.where:
            raise UsageFault("--lost, --against and --where need --last: they say which of a bot's matches is meant")


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
    if html is not None and (turn is not None or as_json):
        other = "--json" if as_json else "--turn"
        raise UsageFault(f"--html and {other} cannot be used together: the page has all turns")
    if html is not None:
        check_free(html, over=force)
    latest = Latest(last, lost, against, where, game)
    if match is not None:
        latest.refuse_beside_a_match()
    found = watched(context, latest.find(context) if match is None else match)
    if as_json:
        context.show_json(views.turns.watched.replay_data(found), compact=True)
    elif html is not None:
        from cli.options.pages import write_page

        write_page(context, html, found, over=force)
    else:
        open_view(context, found, turn, is_lost=lost)


def print_schema() -> None:
    """Print the JSON Schema of what `ladder match view --json` prints.

    Example: ladder match schema > replay.schema.json
    """
    sys.stdout.write(views.turns.watched.replay_schema())
