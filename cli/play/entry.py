"""A file that enters a recorded match: where it answers otherwise, or how it would have gone on from a turn.

How this works. The recorded answers are given to a fresh referee, and the file is asked in one seat what that seat was
asked, so it knows the match. Without a turn to go on from, the match is given up at its first answer that is not the
recorded one, as what was asked then depends on it. From a turn on the file's own answers count. Its opponents go on
saying their recorded answers; where the referee refuses one, the match is led once more, and from that turn on somebody
else plays in that seat, who was asked from the beginning too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from cli.answer import Answer
from cli.context import Context
from cli.just_played import Seating, again_text, match_line, played_match, result_of, stderr_of, uncontained
from cli.options.matches import MatchName, store_of
from cli.play.again import comparison, parting_turn, seat_for
from cli.play.keeping import Keeper
from cli.play.players import entrants
from cli.play.series import Sides
from cli.terminal.words import quoted
from engine.bot.conditions import Conditions
from engine.conversation import Verdict
from engine.endings import plainly_ended
from engine.errors import UsageFault
from engine.match import MatchResult, Script, Stopped, check_rules
from engine.referees.edition import game_played
from engine.series import Played, PlaySettings, Task, built, play_one
from engine.text import counted, shortened
from engine.toolchains.given_bot import read_bot
from engine.toolchains.languages import find_language
from engine.toolchains.params import NO_PARAMS, Params, with_params
from engine.toolchains.program import Program
from ladder.bots.sources import VersionSource
from ladder.ids import MatchId
from ladder.matches.local_matches import LocalName
from ladder.views.turns.comparison import Parting
from ladder.views.turns.match import FormerEnd, PlayedAgain, TakeOver, read_stored
from ladder.views.turns.watched import require_seat


@dataclass(frozen=True, slots=True)
class RecordedMatch:
    """A match to enter. `id`: as it is called; `own_seat`: of whom it is kept, None where that is not known.

    `sources`: of the versions that played; none where only their lines are there.
    """

    id: MatchId | str
    result: MatchResult
    conditions: Conditions
    players: tuple[str, ...]
    league: str
    own_seat: int | None = None
    sources: tuple[VersionSource, ...] = ()

    @property
    def name(self) -> str:
        return self.id if isinstance(self.id, str) else f"match {self.id}"

    def lines(self, seat: int) -> tuple[str | None, ...]:
        return tuple(turn.line for turn in self.result.turns if turn.seat == seat)


@dataclass(frozen=True, slots=True)
class Entered:
    """A file that was asked what a seat was asked. `turns`: how often it said the same; `parting`: what it says then.

    `fault`: why it says nothing then.
    """

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
    match = recorded_match(context, name)
    game = match.result.spec.game
    game.require_lines("entering a match")
    game.require_repeatable("entering a match")
    check_rules(match.result)
    given = read_bot(file, context.settings.source_chars)
    place = seat_of(match, given.bot, seat)
    params = match.sources[place].params if match.sources else NO_PARAMS
    program = with_params(built(given.content, given.language, tier, given.name), params)
    settings = PlaySettings(match.conditions, 1, tier)
    if from_turn is None:
        if then is not None:
            raise UsageFault("--then says who plays on, so it goes with --from-turn")
        return asked_again(match, place, given.name, program, settings)
    return played_on(context, match, place, given.name, program, from_turn, then, settings)


def recorded_match(context: Context, name: MatchName) -> RecordedMatch:
    if isinstance(name.words, LocalName):
        store = store_of(context, name.words.kind)
        number, local = store.read(name.words)
        head = local.head
        result = local.result(game_played(context.games, head.game, head.edition))
        conditions = Conditions(time=head.rule)
        return RecordedMatch(store.name_of(number), result, conditions, head.players, head.league, head.own_seat)
    stored = context.read(read_stored, context.games, name.words)
    spec = stored.result.spec
    league = next(one.title for one in spec.game.leagues if one.rules_level == spec.rules_level)
    return RecordedMatch(stored.id, stored.result, stored.conditions, stored.names, league, sources=stored.sources)


def seat_of(match: RecordedMatch, bot: str, seat: int | None) -> int:
    """Return whose place the file takes. Raises UsageFault where nothing says it."""
    if match.sources:
        return seat_for(bot, seat, match.name, [source.bot for source in match.sources], match.players)
    if seat is None:
        seat = match.own_seat
    if seat is None:
        seats = " against ".join(f"{name} (seat {number})" for number, name in enumerate(match.players))
        raise UsageFault(f"{match.name} was {seats}: say with --seat whose place the file takes")
    require_seat(seat, len(match.players))
    return seat


def asked_again(match: RecordedMatch, place: int, bot: str, program: Program, settings: PlaySettings) -> Answer:
    """Ask a file what a seat was asked, up to its first answer that is another."""
    spec = match.result.spec
    seats = range(spec.players)
    task = Task(
        spec,
        tuple(program if seat == place else None for seat in seats),
        tuple(Script(match.lines(seat), stops_at_other=seat == place) for seat in seats),
    )
    lines = match.lines(place)
    try:
        result_of(play_one(task, settings))
    except Stopped as stopped:
        own_turn = stopped.own_turn
        turn = [number for number, one in enumerate(match.result.turns, 1) if one.seat == place][own_turn - 1]
        parting = Parting(turn, place, (lines[own_turn - 1], stopped.reply.line), own_turn)
        fault = stopped.reply.fault.words if stopped.reply.fault else ""
        found = Entered(match.id, place, bot, own_turn - 1, parting, fault)
        return Answer(found, lambda: quoted(parting_text(match, found, parting)))
    words = f"{bot} says what {match.players[place]} said on all {counted(len(lines), 'turn')} of seat {place}"
    return Answer(Entered(match.id, place, bot, len(lines), None), quoted(f"{words} in {match.name}"))


def parting_text(match: RecordedMatch, found: Entered, parting: Parting) -> str:
    former, now = (line if line is None else shortened(line) for line in parting.lines)
    name = match.players[parting.seat]
    width = max(len(name), len(found.bot))
    return "\n".join(
        [
            f"{match.name}: {found.bot} answers otherwise on turn {parting.turn}, turn {parting.own_turn} of its seat",
            f"  {name:{width}}: {former or 'nothing'}",
            f"  {found.bot:{width}}: {now or found.fault or 'nothing'}",
            f"--from-turn {parting.turn} lets it play on from there",
        ]
    )


def played_on(
    context: Context,
    match: RecordedMatch,
    place: int,
    bot: str,
    program: Program,
    from_turn: int,
    then: str | None,
    settings: PlaySettings,
) -> Answer:
    """Let a file play on from a turn, and keep that match among those that were played here."""
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
    played, scripts = led_on(Task(spec, programs, scripts), place, settings)
    result = result_of(played)
    taken = list(take_overs(result, scripts, place, [name for name, _ in others]))
    heirs = {one.seat: one.bot for one in taken}
    names = tuple(
        bot if seat == place else named(name, heirs.get(seat), others[seat][0])
        for seat, name in enumerate(match.players)
    )
    keeper = Keeper(context, [Sides(names, place)], match.league, settings.conditions.time)
    keeper.take(played)
    kept = keeper.matches[0]
    kept_as = kept.name if kept else ""
    params: list[Params] = [NO_PARAMS] * spec.players
    rule = settings.conditions.time
    seating = Seating(spec, tuple(range(spec.players)))
    again = played_match(seating, result, played.starved, names, rule, params, kept_as or None)
    former = FormerEnd(match.players, plainly_ended(match.result.outcome), len(turns))
    parting = parting_turn(match.result, result)
    lines: list[RenderableType] = [
        quoted(match_line(result, names) + again_text(played)),
        *filter(None, [quoted(stderr_of(result, names, [place]))]),
        *uncontained(result),
        *map(Text, ending_words(match, result, taken, place, then)),
        Text(comparison(match.name, match.players, match.result, parting)),
        *([Text(f"`ladder match view {kept_as}` shows it")] if kept_as else []),
    ]
    return Answer(PlayedAgain(match.id, former, again, parting, taken), lines)


def named(player: str, heir: str | None, version: str) -> str:
    """Call a seat that said what was recorded. `heir`: who played on; `version`: who would have, "" for nobody."""
    if version == player:
        return player
    return f"{player} (recorded)" if heir is None else f"{player} (recorded) then {heir}"


def successors(
    context: Context, match: RecordedMatch, then: str | None, tier: str | None
) -> list[tuple[str, Program | None]]:
    """Return for each seat who plays on where its recorded answers end or are refused, and the program of it."""
    if then is not None:
        (entrant,) = entrants(context, match.result.spec.game, [then])
        return [(entrant.name, entrant.program(tier))] * len(match.players)
    if not match.sources:
        return [("", None)] * len(match.players)
    return [
        (one.name, with_params(built(one.source, find_language(one.language), tier, one.name), one.params))
        for one in match.sources
    ]


def led_on(task: Task, place: int, settings: PlaySettings) -> tuple[Played, tuple[Script, ...]]:
    """Play it until the referee takes every recorded answer, and return by which scripts it did.

    `place`: the seat whose answers are not recorded. Raises HostBusy.
    """
    scripts = task.scripts
    while True:
        played = play_one(Task(task.spec, task.programs, scripts), settings)
        result = result_of(played)
        seats = [turn.seat for turn in result.turns]
        refused = next(
            (
                seat
                for seat, verdict in enumerate(result.outcome.verdicts)
                if seat != place and task.programs[seat] and verdict.verdict is Verdict.ILLEGAL
                if seats.count(seat) <= len(scripts[seat].lines)
            ),
            None,
        )
        if refused is None:
            return played, scripts
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
    match: RecordedMatch, result: MatchResult, taken: Sequence[TakeOver], place: int, then: str | None
) -> Iterator[str]:
    for one in taken:
        yield f"from turn {one.turn} on {one.bot} played in the place of {match.players[one.seat]}"
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
