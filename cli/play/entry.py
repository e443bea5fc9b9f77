"""A file that enters a recorded match: where it answers otherwise, or how it would have gone on from a turn.

How this works. The recorded answers are given to a fresh referee, and the file is asked in one seat what that seat was
asked, so it knows the match. Without a turn to go on from, the match is given up at its first answer that is not the
recorded one, as what was asked then depends on it. From a turn on the file's own answers count. Its opponents go on
saying their recorded answers; where the referee refuses one, the match is led once more, and from that turn on somebody
else plays in that seat, who was asked from the beginning too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from cli import entrant
from cli.answer import Answer, ExitStatus
from cli.context import Context
from cli.options.matches import MatchName, store_with
from cli.play import series
from cli.terminal.words import quoted
from engine.bot.clock import TimeRule
from engine.bot.conditions import Conditions
from engine.conversation import Verdict, plainly_ended
from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.match import MatchResult, Script, Stopped, check_rules
from engine.records.repeat_match import put_again
from engine.referees.edition import game_played
from engine.series import PlayedTask, PlaySettings, Task, opened, play_one
from engine.text import counted, shortened
from engine.toolchains.given_bot import read_bot
from engine.toolchains.params import NO_PARAMS
from engine.toolchains.program import Program
from ladder.bots.sources import VersionSource
from ladder.ids import MatchId
from ladder.matches.local_matches import LocalName
from ladder.views.turns.match import FormerEnd, PlayedAgain, TakeOver, read_stored
from ladder.views.turns.rows import PlayedMatch
from ladder.views.turns.watched_match import Parting, require_seat


def play_recorded(context: Context, match_id: MatchId, tier: str | None) -> Answer:
    """Put a stored match to a fresh referee: does it ask the same?

    Raises UnknownName, UsageFault, Refused, MissingTool, SandboxFault, Unavailable; RefereeFault where it breaks.
    """
    stored = context.read(read_stored, context.games, match_id)
    game = stored.result.spec.game
    if game.program is None:
        raise Refused(
            f"{game.name} has rules in Python, which lead its recorded matches whenever one is shown: "
            "--recorded is for games whose referee is a program"
        )
    game.require_lines("--recorded")
    game.require_repeatable("--recorded")
    again = put_again(stored.result, opened(tier), stored.conditions)
    if again.difference is None:
        questions = counted(again.questions, "question")
        return Answer(again, f"match {match_id} goes the same way again: the same {questions}, and the same scores")
    words = quoted(f"match {match_id} goes another way now: {again.difference}")
    return Answer(again, words, status=ExitStatus.FAILED)


def play_again(context: Context, name: MatchName, file: Path | None, seat: int | None, tier: str | None) -> Answer:
    """Play a stored match again, `file` in the place of its bot's version, or of `seat`. Raises HostBusy and others."""
    match = RecordedMatch.read(context, name)
    match.result.spec.game.require_repeatable("a rematch")
    players = [entrant.of_version(source) for source in match.sources]
    if file is not None:
        bot = read_bot(file, context.settings.source_chars)
        place = seat_of(match, bot.bot, seat)
        players[place] = replace(entrant.of_file(bot), params=match.sources[place].params)
    elif seat is not None:
        raise UsageFault("--seat says where the file of --with sits, which is missing")
    names = tuple(player.name for player in players)
    task = Task(match.result.spec, tuple(player.program(tier) for player in players))
    played = play_one(task, PlaySettings(match.conditions, 1, tier))
    result = series.result_of(played)
    bots = [(name, source.params) for name, source in zip(names, match.sources, strict=True)]
    again = as_played(played, bots, match.conditions.time)
    parting = parting_turn(match.result, result)
    return Answer(
        PlayedAgain(match.id, match.former_end, again, parting),
        [
            quoted(series.match_line(result, names) + series.again_text(played)),
            *filter(None, [quoted(series.stderr_of(result, names))]),
            *series.cautions_of(result),
            Text(comparison(match, parting)),
        ],
    )


def as_played(played: PlayedTask, bots: series.NamedBots, rule: TimeRule, kept_as: str | None = None) -> PlayedMatch:
    seating = series.Seating(series.result_of(played).spec, tuple(range(len(bots))))
    return series.played_match(seating, played, bots, rule, kept_as)


def parting_turn(before: MatchResult, now: MatchResult) -> int | None:
    """Return the first turn, counted from 1, on which something else was said; None where it all went the same way."""
    lines = ([(turn.seat, turn.line) for turn in result.turns] for result in (before, now))
    return next((number for number, (old, new) in enumerate(zip_longest(*lines), 1) if old != new), None)


def comparison(match: RecordedMatch, parting: int | None) -> str:
    outcome = match.result.outcome
    words = "nobody won alone" if outcome.winner is None else f"{match.players[outcome.winner]} won"
    if max(outcome.places) == 1:
        words = "a draw"
    scores = ":".join(map(str, outcome.scores))
    now = "it goes the same way now" if parting is None else f"now turn {parting} is the first that differs"
    return f"{match.name} had ended {scores}, {words} ({series.ending_of(match.result)}); {now}"


@immutable
class RecordedMatch:
    """A match to enter. `own_seat`: of whom it is kept, or None; `sources`: none where only lines are there."""

    id: MatchId | str
    result: MatchResult
    conditions: Conditions
    players: tuple[str, ...]
    league: str
    own_seat: int | None = None
    sources: tuple[VersionSource, ...] = ()

    @classmethod
    def read(cls, context: Context, name: MatchName) -> RecordedMatch:
        if isinstance(name.words, LocalName):
            store = store_with(context, name.words)
            number, local = store.read(name.words)
            head = local.head
            result = local.result(game_played(context.games, head.game, head.edition))
            conditions = Conditions(time=head.rule)
            return cls(store.name_of(number), result, conditions, head.players, head.league, head.own_seat)
        stored = context.read(read_stored, context.games, name.words)
        spec = stored.result.spec
        league = next((league.title for league in spec.game.leagues if league.rules_level == spec.rules_level), "")
        return cls(stored.id, stored.result, stored.conditions, stored.names, league, sources=stored.sources)

    @property
    def former_end(self) -> FormerEnd:
        return FormerEnd(self.players, plainly_ended(self.result.outcome), len(self.result.turns))

    @property
    def name(self) -> str:
        return self.id if isinstance(self.id, str) else f"match {self.id}"

    def lines(self, seat: int) -> tuple[str | None, ...]:
        return tuple(turn.line for turn in self.result.turns if turn.seat == seat)


@immutable
class Entered:
    """A file that was asked what a seat was. `turns`: said alike; `parting`: what it says then; `fault`: why not."""

    match: MatchId | str
    seat: int
    bot: str
    turns: int
    parting: Parting | None
    fault: str = ""


def enter(
    context: Context,
    name: MatchName,
    file: Path | None,
    seat: int | None,
    from_turn: int | None,
    then: str | None,
    tier: str | None,
) -> Answer:
    """Let a file enter a match. Raises what `ladder match rematch` does."""
    if file is None:
        raise UsageFault("name with --with the file that enters the match")
    match = RecordedMatch.read(context, name)
    game = match.result.spec.game
    game.require_lines("entering a match")
    game.require_repeatable("entering a match")
    check_rules(match.result)
    bot = read_bot(file, context.settings.source_chars)
    place = seat_of(match, bot.bot, seat)
    params = match.sources[place].params if match.sources else NO_PARAMS
    program = replace(entrant.of_file(bot), params=params).program(tier)
    settings = PlaySettings(match.conditions, 1, tier)
    if from_turn is None:
        return ask_again(match, place, bot.name, program, settings)
    return play_on(context, match, place, bot.name, program, from_turn, then, settings)


def seat_of(match: RecordedMatch, bot: str, seat: int | None) -> int:
    """Return whose place the file takes: that of its bot's version. Raises UsageFault where nothing says it."""
    words = " against ".join(f"{name} (seat {number})" for number, name in enumerate(match.players))
    if seat is None and match.sources:
        seats = [number for number, source in enumerate(match.sources) if source.bot.lower() == bot.lower()]
        if len(seats) != 1:
            several = "both" if len(match.players) == 2 else "several"
            which = "neither of them is a version" if not seats else f"{several} are versions"
            raise UsageFault(
                f"{match.name} was {words}, and {which} of {bot}: say with --seat whose place the file takes"
            )
        return seats[0]
    seat = match.own_seat if seat is None else seat
    if seat is None:
        raise UsageFault(f"{match.name} was {words}: say with --seat whose place the file takes")
    require_seat(seat, len(match.players))
    return seat


def ask_again(match: RecordedMatch, place: int, bot: str, program: Program, settings: PlaySettings) -> Answer:
    spec = match.result.spec
    seats = range(spec.players)
    task = Task(
        spec,
        tuple(program if seat == place else None for seat in seats),
        tuple(Script(match.lines(seat), stops_at_other=seat == place) for seat in seats),
    )
    lines = match.lines(place)
    try:
        series.result_of(play_one(task, settings))
    except Stopped as stopped:
        own_turn, reply = stopped.own_turn, stopped.reply
        number = [number for number, turn in enumerate(match.result.turns, 1) if turn.seat == place][own_turn - 1]
        before = lines[own_turn - 1]
        fault = reply.fault.words if reply.fault else ""
        width = max(len(match.players[place]), len(bot))
        answers = [
            f"{match.name}: {bot} answers otherwise on turn {number}, turn {own_turn} of its seat",
            f"  {match.players[place]:{width}}: {shortened(before or '') or 'nothing'}",
            f"  {bot:{width}}: {shortened(reply.line or '') or fault or 'nothing'}",
            f"--from-turn {number} lets it play on from there",
        ]
        parting = Parting(number, place, (before, reply.line), own_turn)
        return Answer(Entered(match.id, place, bot, own_turn - 1, parting, fault), quoted("\n".join(answers)))
    words = f"{bot} says what {match.players[place]} said on all {counted(len(lines), 'turn')} of seat {place}"
    return Answer(Entered(match.id, place, bot, len(lines), None), quoted(f"{words} in {match.name}"))


def play_on(
    context: Context,
    match: RecordedMatch,
    place: int,
    bot: str,
    program: Program,
    from_turn: int,
    then: str | None,
    settings: PlaySettings,
) -> Answer:
    spec, turns = match.result.spec, match.result.turns
    own_turns = [number for number, turn in enumerate(turns, 1) if turn.seat == place]
    if not own_turns or from_turn > own_turns[-1]:
        last = f", and seat {place} was last asked on turn {own_turns[-1]}" if own_turns else ""
        raise UsageFault(
            f"{match.name} has {counted(len(turns), 'turn')}{last}: nobody can go on from turn {from_turn}"
        )
    others = successors(context, match, then, settings.tier)
    programs = tuple(program if seat == place else others[seat][1] for seat in range(spec.players))
    begun = sum(number < from_turn for number in own_turns)
    scripts = tuple(
        Script(match.lines(seat)[:begun] if seat == place else match.lines(seat)) for seat in range(spec.players)
    )
    played, scripts = lead_on(Task(spec, programs, scripts), place, settings)
    result = series.result_of(played)
    changes = list(take_overs(result, scripts, place, [name for name, _ in others]))
    heirs = {take_over.seat: f" then {take_over.bot}" for take_over in changes}
    names = tuple(
        bot if seat == place else name if others[seat][0] == name else f"{name} (recorded){heirs.get(seat, '')}"
        for seat, name in enumerate(match.players)
    )
    keeper = series.Keeper(context, [series.SeatedPlayers(names, place)], match.league, settings.conditions.time)
    keeper.take(played)
    local = keeper.matches[0]
    kept_as = local.name if local else ""
    again = as_played(played, [(name, NO_PARAMS) for name in names], settings.conditions.time, kept_as or None)
    parting = parting_turn(match.result, result)
    lines: list[RenderableType] = [
        quoted(series.match_line(result, names) + series.again_text(played)),
        *filter(None, [quoted(series.stderr_of(result, names, [place]))]),
        *series.cautions_of(result),
        *map(Text, ending_words(match, result, changes, place, then)),
        Text(comparison(match, parting)),
        *([Text(f"`ladder match view {kept_as}` shows it")] if kept_as else []),
    ]
    return Answer(PlayedAgain(match.id, match.former_end, again, parting, changes), lines)


def successors(
    context: Context, match: RecordedMatch, then: str | None, tier: str | None
) -> list[tuple[str, Program | None]]:
    """Return for each seat who plays on where its recorded answers end or are refused, and the program of it."""
    if then is not None:
        (heir,) = series.entrants(context, match.result.spec.game, [then])
        return [(heir.name, heir.program(tier))] * len(match.players)
    if not match.sources:
        return [("", None)] * len(match.players)
    return [(heir.name, heir.program(tier)) for heir in map(entrant.of_version, match.sources)]


def lead_on(task: Task, place: int, settings: PlaySettings) -> tuple[PlayedTask, tuple[Script, ...]]:
    """Play on until the referee takes every recorded answer; return the scripts. `place`: of the live seat."""
    scripts = task.scripts
    while True:
        played = play_one(Task(task.spec, task.programs, scripts), settings)
        result = series.result_of(played)
        seats = [turn.seat for turn in result.turns]
        refusals = [
            seat
            for seat, verdict in enumerate(result.outcome.verdicts)
            if seat != place and task.programs[seat] and verdict.verdict is Verdict.ILLEGAL
            if seats.count(seat) <= len(scripts[seat].lines)
        ]
        if not refusals:
            return played, scripts
        refused = refusals[0]
        last = max(number for number, seat in enumerate(seats) if seat == refused)
        before = result.turns[:last]
        scripts = tuple(
            Script(tuple(turn.line for turn in before if turn.seat == seat)) if seat in (place, refused) else script
            for seat, script in enumerate(scripts)
        )


def take_overs(result: MatchResult, scripts: Sequence[Script], place: int, names: Sequence[str]) -> Iterator[TakeOver]:
    for seat, script in enumerate(scripts):
        turns = [number for number, turn in enumerate(result.turns, 1) if turn.seat == seat]
        if seat != place and names[seat] and len(turns) > len(script.lines):
            yield TakeOver(seat, turns[len(script.lines)], names[seat])


def ending_words(
    match: RecordedMatch, result: MatchResult, changes: Sequence[TakeOver], place: int, then: str | None
) -> Iterator[str]:
    for take_over in changes:
        place_of = match.players[take_over.seat]
        yield f"from turn {take_over.turn} on {take_over.bot} played in the place of {place_of}"
    faulty = any(
        verdict.verdict in {Verdict.ILLEGAL, Verdict.UNKNOWN}
        for seat, verdict in enumerate(result.outcome.verdicts)
        if seat != place
    )
    if faulty and then is None and not match.sources:
        yield (
            "an opponent's recorded answers fit this match no longer, so its end says nothing; "
            "`--then boss-gold` lets somebody play on"
        )
