"""The rounds of the demo: services up, submissions, the report, services down.

How this works. All play sources that ship with the game, as they are: where no sandbox works, workers run nothing else.
Matches are drawn from SEED, so the same two versions play the same matches in every run.
"""

import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from shlex import quote

from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as ProgressBar
from rich.text import Text

from cli.board import board_parts
from cli.context import Context
from cli.options.names import operator_named
from cli.terminal.words import next_commands, own_command, quoted
from cli.web.address import for_people, pages_of, pages_that_start
from engine import interrupts
from engine.boxes import NONE
from engine.conversation import ending_words
from engine.errors import ArenaError, MissingTool, Refused, Unavailable
from engine.game import Game, Games
from engine.games.catalogue import shipped_games
from engine.text import counted, listed, one_line
from engine.toolchains.languages import language_of
from engine.toolchains.params import Params
from ladder.access import Actor
from ladder.actions import bots, installation
from ladder.choices import MoveKind
from ladder.errors import DatabaseDown
from ladder.flows.submission import Submission
from ladder.views.boards import read_pages
from ladder.views.progress import Progress, builds, progress
from ladder.views.summary import ARRIVAL, BoardEvent, Rise, Summary, events, highest_win, rises, summary
from ladder.views.turns.match import MatchInDetail, read_match
from workers.commands import SEEDS_FROM, cores, embedded_children
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.service_status import worker_that_starts
from workers.worker_process import house_bots_alone, sandbox_for_house_bots, serving_sandbox

LOOK_EVERY_S = 0.25
LONGEST_ROUND_S = 600
PLAIN_EVERY_S = 5.0
"""Where there is no terminal, a line says at least this often how far it is."""
HEAD = "  time  matches  per s"


class Story:
    """What is shown of the rounds, one after the other."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.began = time.monotonic()
        self.shown = 0
        self.plain_at = self.began + PLAIN_EVERY_S
        self.is_address_known = False

    def say_where_pages_are(self) -> None:
        pages = None if self.is_address_known else pages_of(self.context)
        if pages is not None:
            self.context.say(f"watch it in a browser: {for_people(self.context, pages)}")
            self.is_address_known = True

    def wait_until_quiet(self) -> None:
        """Show how far the ladder is until nothing is left to do. Raises ArenaError if that takes unreasonably long."""
        err = self.context.err
        with ProgressBar(
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}"),
            console=err,
            transient=True,
            disable=not err.is_terminal,
            redirect_stdout=False,  # results go to stdout, also where only progress is on a terminal
            redirect_stderr=False,
        ) as bar:
            task = bar.add_task("starting", total=None, pace="")
            deadline = time.monotonic() + LONGEST_ROUND_S
            while time.monotonic() < deadline:
                if self.look(bar, task).is_quiet:
                    return
                time.sleep(LOOK_EVERY_S)
        raise ArenaError(f"the demo was not over after {LONGEST_ROUND_S} s: see {self.context.home.logs}")

    def look(self, bar: ProgressBar, task: TaskID) -> Progress:
        self.say_where_pages_are()
        with self.context.database() as connection:
            now = progress(connection)
            happened = events(connection)
            doing = doing_text(now, builds(connection))
        finished = now.matches.finished
        passed_s = time.monotonic() - self.began
        per_s = finished / max(passed_s, 1.0)
        figures = f"{passed_s:4.0f} s {finished:8} {per_s:6.1f}"
        for event in happened[self.shown :]:
            if self.context.out.is_terminal and not bar.disable:
                bar.console.print(f"{figures}  {event_text(event)}", soft_wrap=True)
            else:
                self.context.show(f"{figures}  {event_text(event)}")
        is_due = bar.disable and time.monotonic() >= self.plain_at
        if is_due and len(happened) == self.shown:
            self.context.say(f"{figures}  {doing}")
        if is_due or len(happened) > self.shown:
            self.plain_at = time.monotonic() + PLAIN_EVERY_S
        self.shown = len(happened)
        bar.update(task, description=doing, total=now.expected, completed=finished, pace=f"{per_s:.1f} per s")
        return now


def doing_text(now: Progress, built: Sequence[str]) -> str:
    """Say what the workers do. `built`: the names of versions that they build now."""
    waiting = now.building - len(built)
    if not built:
        return f"{waiting} to be built" if waiting else "playing"
    return f"building {listed(built)}{f', then {waiting} more' if waiting else ''}"


def event_text(event: BoardEvent) -> str:
    if event.kind == ARRIVAL:
        return f"{event.version} {'begins' if event.version.endswith('@v1') else 'takes over'} in {event.league}"
    if event.kind != MoveKind.PROMOTION:
        return f"{event.version} back to {event.league}"
    verb = "beat" if event.won > event.lost else "passed"
    drawn = f", {event.drawn} drawn" if event.drawn else ""
    return f"{event.version} up to {event.league}: {verb} {event.boss} {event.won}:{event.lost}{drawn}"


GAME = "ocean-of-code"
PREPARE = f"{__name__}:bring_up_to_date"
"""What the supervisor calls when the database answers."""
SEED = "ladder demo 10"
"""What the seeds of all matches follow from: one of those by which each bot clearly ends where it belongs."""


@dataclass(frozen=True)
class Entry:
    """A version that is submitted. `league`: the title of the league where its bot ends; `params`: its parameters."""

    bot: str
    player: str
    file: str
    league: str
    params: Params = field(default_factory=dict[str, str])


ROUNDS = (
    (
        Entry("minnow", "mia", "drifter_v1.py", "Wood 2"),
        Entry("orca", "olga", "tracker_v1.py", "Bronze"),
        Entry("kraken", "kim", "leviathan.cpp", "Legend", {"DANGER": "0.1", "SILENCE_COST": "0.2"}),
    ),
    (Entry("kraken", "kim", "leviathan.cpp", "Legend"),),
)
"""First versions, then a better one of the best bot."""


def bring_up_to_date(database_url: str) -> None:
    """Bring the demo's game into its database. With the other games the first match would wait for their bosses."""
    games = shipped_games()
    installation.bring_up_to_date(database_url, replace(games, here=(games.find(GAME),)))


WIDTH = 80


def match_drawing(games: Games, match: MatchInDetail) -> list[str]:
    row, seats = match.row, [seat.seat for seat in match.seats]
    scores = ":".join(str(seat.score) for seat in seats)
    versions = " against ".join(seat.version for seat in seats)
    ended = ending_words(row.reason, [seat.verdict for seat in seats])
    figures = f"{scores}, {ended}, {counted(row.turns, 'turn')}, seed {row.seed_words}"
    picture = games.find(row.game).maps_or_refuse().draw(row.known_seed, row.rules_level)
    names = {seat.seat: seat.version for seat in seats}
    width = max(map(len, names.values()))
    turns = [
        f"{turn.turn:3}  {names[turn.seat]:{width}}  {'(nothing)' if turn.line is None else one_line(turn.line)}"
        for turn in match.said[-len(picture) :]
    ]
    beside = zip_longest(picture, turns, fillvalue="")
    lines = [f"{of_map:{max(map(len, picture))}}   {turn}".rstrip() for of_map, turn in beside]
    short = [line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..." for line in lines]
    return [f"match {row.id}, {row.league}: {versions}", figures, "", *short]


NEXT = {
    "up": "start a ladder",
    f"new my_bot --game {GAME} --language python": "make a bot",
    "submit ./my_bot/ --watch": "submit it",
    "board": "see the ranking",
    "web --open": "see it all live",
}
"""Commands to type next, one after the other, without the program's name, and what each is for."""


def report(context: Context) -> None:
    """Print the boards, what happened, one match, and what to do next. Raises ArenaError where not all was played."""
    context.show("", *board_parts(context, context.read(read_pages, GAME), None))
    with context.database() as connection:
        sums, risen = summary(connection), rises(connection)
    context.show("\nwhat happened", *(f"  {line}" for line in telling_lines(sums, risen)))
    if sums.rejected:
        raise ArenaError(f"the demo did not go as it should: a bot was rejected, {sums.rejected[0]}")
    if not sums.is_complete:
        raise ArenaError(f"the demo did not go as it should: not all matches were played once; see {context.home.logs}")
    show_match(context)
    context.show("\nwhat next", next_commands(NEXT))


def show_match(context: Context) -> None:
    """Draw one match, with the command that shows more of it. Nothing where no version has left a league upwards."""
    with context.database() as connection:
        if (match_id := highest_win(connection)) is None:
            return
        match = read_match(connection, context.games, match_id)
    context.show("", *map(quoted, match_drawing(context.games, match)))
    try:
        home = f"~/{quote(str(context.home.folder.relative_to(Path.home())))}"
    except (ValueError, RuntimeError):  # it is elsewhere, or the person has none
        home = quote(str(context.home.folder))
    context.show(f"look at it: LADDER_HOME={home} {own_command()} match view {match_id}")


def telling_lines(sums: Summary, risen: list[Rise]) -> list[str]:
    farthest = f"; farthest {risen[0].version}, {risen[0].from_league} to {risen[0].to_league}" if risen else ""
    ledger = f"{sums.ledger_lines} ledger lines for {sums.finished} matches"
    return [
        f"matches: {sums.asked} asked for, {sums.finished} played and recorded, {sums.void} void",
        f"pace: {sums.matches_per_s:.1f} matches/s over {sums.playing_s:.0f} s, {sums.turns:,} turns",
        f"time-outs: {sums.timeouts}; other faults: {sums.faults}; slowest good answer {sums.slowest_us / 1000:.1f} ms",
        f"promotions: {sum(rise.promotions for rise in risen)}{farthest}",
        f"exactly once: {ledger}; replayed after a crash: {sums.repeated}",
    ]


def run_demo(home: Context, battles: int) -> None:
    """Run the whole demo in a home beside this one. `battles`: in each league."""
    context = Context(home.settings.embedded())
    context.home = LadderHome.at(home.home.folder.with_name(home.home.folder.name + "-demo"))
    game = context.games.find(GAME)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    sandbox, environment = sandbox_of_workers(context)
    try:
        start_services(context, environment)
        context.say(f"sandbox: {sandbox}")
        context.act(installation.set_battles, operator_named(None), GAME, battles)
        story = Story(context)
        for number, entries in enumerate(ROUNDS, 1):
            can_build = shutil.which("g++") is not None
            built = [entry for entry in entries if can_build or not entry.file.endswith(".cpp")]
            if names := [submit_entry(context, game, entry) for entry in built]:
                if number == 1:
                    pages_that_start(context)
                    story.say_where_pages_are()
                context.show(f"round {number}: submitted {', '.join(names)}", *([HEAD] if number == 1 else []))
                story.wait_until_quiet()
        report(context)
    except DatabaseDown as error:
        raise Unavailable(f"the demo's services have ended; {context.home.logs} says more") from error
    finally:  # however often somebody presses Ctrl-C meanwhile: nothing may be left running
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with interrupts.interrupts_ignored(), context.err.status("stopping the services; this takes some seconds"):
            control.down(context.home)


def start_services(context: Context, environment: Mapping[str, str]) -> None:
    control.destroy(context.home)
    children = embedded_children(cores(), {**environment, SEEDS_FROM: SEED}, web=True)
    with context.err.status("starting") as status:
        control.up(context.home, children, status.update, prepare=PREPARE)
        status.update("waiting for the workers")
        ending = worker_that_starts(context.home)
    if ending is not None:
        raise ending.error("the demo cannot play, as its worker has ended")
    context.say("PostgreSQL, Redis, workers and scheduler run; the leagues have their bosses")


def sandbox_of_workers(context: Context) -> tuple[str, dict[str, str]]:
    """Return the workers' sandbox and variables for it; house bots make do with what there is, which is said."""
    try:
        return serving_sandbox().name, {}
    except (MissingTool, Refused) as fault:
        sandbox = sandbox_for_house_bots()
        which = "with no sandbox at all" if sandbox.name == NONE else f"in the sandbox {sandbox.name!r} all the same"
        runs = f"only bots that ship with Ladder play in the demo, so it runs them {which}; `ladder up` would not"
        context.say(Text.assemble(("warning:", "yellow"), f" {fault}"), runs)
        return f"{sandbox.name}, which will do for house bots alone", house_bots_alone(sandbox)


def submit_entry(context: Context, game: Game, entry: Entry) -> str:
    file = game.bots_folder / entry.file
    submission = Submission(game.name, entry.bot, file.read_text("utf-8"), language_of(file).name, params=entry.params)
    return context.act(bots.submit, Actor(entry.player), context.queue, submission).version
