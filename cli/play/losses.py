"""The matches that the bot named first lost, the worst first: naming them and keeping their input."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cli import play
from cli.context import Context
from cli.just_played import complain
from cli.options.files import check_free
from cli.play.series import stopped_early
from cli.terminal.words import quoted
from engine.errors import ArenaError, plain_words
from engine.text import counted
from ladder.views.turns.rows import seat_log

if TYPE_CHECKING:
    from cli.play.keeping import Keeper, KeptMatch
    from engine.series import Played
    from ladder.matches.local_matches import LocalHead

MOST_NAMED = 5
"""Lost matches that are named after a series."""
WORST_FOLDER = "worst"


@dataclass(frozen=True, slots=True)
class Looking:
    """What is done with the matches that were lost. `keep_worst`: keep the input of this many.

    `page`: the file into which the worst is written, or else the last match; None: into none. `over`: it may exist
    already. `view`: that match is opened.
    """

    keep_worst: int | None = None
    page: Path | None = None
    over: bool = False
    view: bool = False

    def check(self) -> None:
        if self.page is not None:
            check_free(self.page, over=self.over)

    def show(
        self,
        context: Context,
        played: Sequence[KeptMatch | None],
        lost: Sequence[KeptMatch],
        who: str,
        *,
        as_json: bool,
    ) -> None:
        """Name the lost matches, keep what was asked for. `who`: lost them; `played`: all. Raises ArenaError."""
        if not as_json:
            name_losses(context, lost, who)
        if self.keep_worst is not None:
            keep_worst(context, lost, who, self.keep_worst)
        telling = most_telling(played, lost)
        if self.page is not None and telling is not None:
            play.page.write_kept(context, telling, self.page, over=self.over)

    def end(
        self,
        context: Context,
        keeper: Keeper,
        lost: Sequence[KeptMatch],
        who: str,
        came: Sequence[Played],
        asked: int,
        *,
        as_json: bool,
    ) -> None:
        """Do all of it after a series. `came`: of its matches. Raises HostBusy, KeyboardInterrupt, ArenaError."""
        self.show(context, keeper.matches, lost, who, as_json=as_json)
        stopped_early(context, len(came), asked)
        self.open(context, keeper.matches, lost)
        keeper.check()
        complain([played.result for played in came])

    def open(self, context: Context, played: Sequence[KeptMatch | None], lost: Sequence[KeptMatch]) -> None:
        telling = most_telling(played, lost)
        if self.view and telling is not None:
            play.page.open_kept(context, telling)


def most_telling(played: Sequence[KeptMatch | None], lost: Sequence[KeptMatch]) -> KeptMatch | None:
    return next((one for one in [*lost[:1], *reversed(played)] if one is not None), None)


def lost_worst_first(
    played: Iterable[KeptMatch | None], is_meant: Callable[[LocalHead], bool] = lambda _: True
) -> list[KeptMatch]:
    """Return the matches that the first bot lost, by score and then length. `is_meant`: picks some of them."""
    lost = [one for one in played if one is not None and loss_of(one) > 0 and is_meant(one.match.head)]
    return sorted(lost, key=lambda one: (-loss_of(one), one.match.head.turns))


def loss_of(played: KeptMatch) -> int:
    """Return by how much the bot named first lost; 0 where it did not, or did not play."""
    head = played.match.head
    return 0 if head.own_seat is None else max(head.scores) - head.scores[head.own_seat]


def loss_text(played: KeptMatch) -> str:
    head = played.match.head
    scores = ":".join(map(str, head.scores))
    turns = f", {counted(head.turns, 'turn')}" if head.turns else ""
    return f"seed {head.seed} as player {head.own_seat}, {scores}{turns}"


def name_losses(context: Context, lost: Sequence[KeptMatch], who: str) -> None:
    named = [one for one in lost if one.name]
    if not named:
        return
    commands = [f"  ladder match view {one.name}  ({loss_text(one)})" for one in named[:MOST_NAMED]]
    more = len(named) - len(commands)
    rest = [f"  and {more} more: ladder match list --local"] if more else []
    which = "the match" if len(named) == 1 else "the matches"
    order = ", the worst first" if len(named) > 1 else ""
    context.say(quoted("\n".join([f"{which} that {who} lost{order}:", *commands, *rest])))


def keep_worst(context: Context, lost: Sequence[KeptMatch], who: str, most: int) -> None:
    """Write the bot's input in its `most` worst matches into a new folder, and name them. Raises ArenaError."""
    if not lost:
        context.say(quoted(f"{who} lost no match, so no input is kept"))
        return
    try:
        folder = new_folder(Path(WORST_FOLDER))
        lines = [f"  {write_input(folder, place, one)}  ({loss_text(one)})" for place, one in enumerate(lost[:most], 1)]
    except OSError as error:
        raise ArenaError(f"the input of the worst matches cannot be written: {plain_words(error)}") from error
    context.say(quoted("\n".join([f"what {who} was sent where it lost worst:", *lines])))


def new_folder(wanted: Path) -> Path:
    """Make a folder of that name, or with a number behind it where there is one. Raises OSError."""
    number = 1
    while True:
        folder = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder


def write_input(folder: Path, place: int, played: KeptMatch) -> Path:
    head = played.match.head
    file = folder / f"{place}-seed-{head.seed}-seat-{head.own_seat}.txt"
    file.write_bytes(seat_log(played.result, head.own_seat or 0).sent.encode())
    return file
