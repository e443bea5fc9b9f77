"""Matches in lists and in detail, of the ladder or played here, and battles that were asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells
from rich.text import Text

from cli.terminal.table import NAME, WORDS, Column, Columns, FittingTable
from cli.terminal.words import indent, milliseconds, moment_text, quoted, sandbox_text
from engine.bot.clock import Clock, Spent, TimeRule, whose_fault
from engine.conversation import FOR_TWO, Verdict, ending_words, last_turn_words, turn_words
from engine.text import counted, listed, one_line, ordinal
from ladder import games
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.views.matches import ListedMatch

if TYPE_CHECKING:
    from ladder.matches.failures import FailedAttempt, HostFaults
    from ladder.matchmaking.requests import BattleRequest, RequestSide
    from ladder.views.turns.local import ListedLocal, LocalInDetail, LocalRow
    from ladder.views.turns.lost_matches import LossStory
    from ladder.views.turns.match import MatchInDetail
    from ladder.views.turns.rows import RefereeTurn, TurnRow

HOW_TO_LOOK = "look at one with `ladder match view MATCH`; `ladder match show MATCH` has all of it in words"
"""Is said below a list of matches."""
OFFICIAL_SITE = "played on the official site; no times are known"
RESULT_STYLES = {"win": "green", "loss": "red", "draw": "yellow"}
OWN_RESULT_STYLES = {"won": "green", "lost": "red", "drawn": "yellow"}


def matches_table(matches: Sequence[ListedMatch], *, of_one: bool) -> FittingTable[ListedMatch]:
    """Draw a list of matches, each seat in a column. `of_one`: they are of one bot, so one shows its results."""
    have_places = any(row.match.players > FOR_TWO[0] for row in matches)

    def score(seat: SeatRow) -> str:
        return "-" if seat.result is None else seat.score_words

    def place(seat: SeatRow) -> str:
        return "-" if seat.place is None else str(seat.place)

    places: Columns[ListedMatch] = [Column("places", lambda row: in_seats(row, place), leaves=4)]
    result: Columns[ListedMatch] = [Column("result", lambda row: own_result_text(row.own_result))]
    columns: Columns[ListedMatch] = [
        Column("match", lambda row: row.match.id),
        Column("league", lambda row: row.match.league, NAME, leaves=1),
        *(seat_column(seat) for seat in range(max((row.match.players for row in matches), default=2))),
        Column("score", lambda row: in_seats(row, score)),
        *(places if have_places else ()),
        Column("end", lambda row: "void" if row.match.state == "void" else reason_text(row.match, row.seats), NAME),
        *(result if of_one else ()),
        Column("turns", lambda row: row.match.turns_words, leaves=2),
        Column("seed", lambda row: row.match.seed_words, leaves=3),
        Column("rated", lambda row: "yes" if row.match.rates and row.match.state != "void" else "no"),
    ]
    return FittingTable(columns, matches)


def seat_column(number: int) -> Column[ListedMatch]:
    return Column(
        f"seat {number}", lambda row: next((seat_text(seat) for seat in row.seats if seat.seat == number), None), NAME
    )


def in_seats(row: ListedMatch, text: Callable[[SeatRow], str]) -> str:
    by_seat = {seat.seat: text(seat) for seat in row.seats}
    return ":".join(by_seat.get(number, "?") for number in range(row.match.players))


def own_result_text(result: str | None) -> Text:
    return Text(result or "", style=OWN_RESULT_STYLES.get(result or "", ""))


def reason_text(match: MatchRow, seats: Iterable[SeatRow]) -> str:
    """Say how a finished match ended, or why one is void, in the words of who made it so."""
    return ending_words(match.reason, [seat.verdict for seat in seats]) if match.state == "finished" else match.reason


def seat_text(seat: SeatRow) -> Text:
    words = seat.name if seat.verdict in {"ok", None} else f"{seat.name} ({Verdict(seat.verdict).words})"
    return Text(words, style=RESULT_STYLES.get(seat.result or "", ""))


def asked_text(request: BattleRequest) -> str:
    return (
        f"request {request.id}: {counted(request.battles, 'battle')} of {players_text(request)} in {request.league}; "
        f"unrated; `ladder match list --request {request.id}` shows what was played, "
        f"`ladder match cancel {request.id}` takes it back"
    )


def players_text(request: BattleRequest) -> str:
    return f"{request.first} against {listed(request.versions[1:])}"


def played_text(request: BattleRequest) -> str:
    results = "; ".join(side_text(side) for side in request.sides)
    if request.is_of_two:
        results = f"{request.wins} won, {request.draws} drawn, {request.losses} lost"
    more = (f"; {request.void} void" if request.void else "") + (f"; {lapsed_text(request)}" if request.lapsed else "")
    return f"request {request.id}: {players_text(request)} in {request.finished} matches: {results}{more}"


def side_text(side: RequestSide) -> str:
    if side.points is None:
        return f"{side.version} without a match"
    places = ", ".join(f"{ordinal(place)} {times}" for place, times in enumerate(side.places, 1) if times)
    return f"{side.version} {side.points:.1%} of the points, {places}".replace("%", " %")


def lapsed_text(request: BattleRequest) -> str:
    return f"{lacking_text(request)}: {request.lapsed}"


def lacking_text(request: BattleRequest) -> str:
    if request.battles == 1:
        return "its battle was not made"
    lacking = request.battles - request.made
    return f"{lacking} of its {request.battles} battles {'was' if lacking == 1 else 'were'} not made"


def requests_table(requests: Sequence[BattleRequest]) -> FittingTable[BattleRequest]:
    """Draw a list of requests. Of more than two versions those after the first stand in one column."""
    second = "second" if all(request.is_of_two for request in requests) else "others"
    columns: Columns[BattleRequest] = [
        Column("request", lambda row: row.id),
        Column("game", lambda row: row.game, WORDS, leaves=3),
        Column("league", lambda row: row.league, NAME, leaves=2),
        Column("first", lambda row: row.first, NAME),
        Column(second, lambda row: ", ".join(row.versions[1:]), NAME),
        Column("made", lambda row: f"{row.made}/{row.battles}"),
        Column("by", by_text, NAME),
        Column("asked", lambda row: moment_text(row.created_at), WORDS, leaves=1),
        Column("state", state_text, NAME),
    ]
    return FittingTable(columns, requests)


def by_text(request: BattleRequest) -> str:
    return request.asked_by if request.season is None else f"series of season {request.season}"


def state_text(request: BattleRequest) -> str:
    if request.lapsed:
        return request.lapsed
    if request.left:
        return "open"
    return "played" if request.is_over else "being played"


def origin_text(match: MatchRow, request: BattleRequest | None) -> str:
    """Say for whom a match was made if not for the ladder itself, and whether it rates; '' for any other match."""
    rates = "it is rated" if match.rates else "it is unrated"
    if match.gauntlet_id is not None:
        return f"made for gauntlet {match.gauntlet_id}: {rates}"
    if request is None:
        return "" if match.rates else "it no longer counts, as a bot that played it is disqualified"
    cut = f"; {lapsed_text(request)}" if request.lapsed else ""
    return f"made for request {request.id} ({by_text(request)}): {rates}{cut}"


def local_text(detail: LocalInDetail, width: int | None, *, turns: bool) -> Text:
    """Write all that people are shown of a match; with `turns` every line that was said. `width`: of a terminal."""
    return whole_text([local_match_text(detail)], detail, width, turns=turns)


def detail_text(detail: MatchInDetail, width: int | None, *, turns: bool) -> Text:
    """Write all that people are shown of a match of the ladder; see `local_text`."""
    failures = "\n".join(["attempts that failed", *map(failure_text, detail.failed_attempts)])
    parts = [match_text(detail), *([Text(failures)] if detail.failed_attempts else [])]
    return whole_text(parts, detail, width, turns=turns)


def whole_text(parts: Sequence[Text], detail: MatchInDetail | LocalInDetail, width: int | None, *, turns: bool) -> Text:
    """Put parts of a text below each other, one empty line between two, and below them what all matches have."""
    head, *failures = map(quoted, parts)
    loss = [] if detail.loss is None else [quoted(loss_text(detail.loss, detail.row.id))]
    allowances = "".join(
        f"seat {one.seat.seat}: {milliseconds(one.runtime_us)} of the allowance for its runtime's own work were used\n"
        for one in detail.seats
        if one.runtime_us
    )
    said = quoted(turns_text(detail.said, width)) if turns and detail.said else Text()
    every = [head, *loss, *failures, overruns_text(detail.said, detail.rule), Text(allowances), said]
    return Text("\n\n").join(part[: len(part.plain.rstrip("\n"))] for part in every if part)


def local_match_text(detail: LocalInDetail) -> Text:
    row = detail.row
    seats = [side.seat for side in detail.seats]
    ended = ending_words(row.reason, [seat.verdict for seat in seats])
    text = Text(f"{row.id}: {row.game}, {row.league}, seed {row.seed}, {row.state} ({ended})")
    turns = "" if detail.caution else f"{counted(row.turns, 'turn')}, "
    came = "played" if row.sandbox else "brought in"
    text.append(f"\n{turns}{came} here {row.finished_at.astimezone():%Y-%m-%d %H:%M:%S}")
    if row.host_faults:
        text.append(f", played again, void {counted(row.host_faults, 'time')} because the host was too busy")
    rule = detail.caution or f"time by the {row.clock} clock, policy {row.time_policy}{limits_played(row)}"
    text.append(f"\n{f'{sandbox_text(row.sandbox)}; {rule}' if row.sandbox else OFFICIAL_SITE}\n")
    for seat in seats:
        text.append(f"\nseat {seat.seat}: ")
        text.append(whole_seat_text(seat, len(seats), last_turn_words([turn.seat for turn in detail.said], seat.seat)))
    return text


def local_table(matches: Sequence[ListedLocal]) -> FittingTable[ListedLocal]:
    counted_back = [listed for listed in matches if listed.place != listed.row.id]
    legend = "now: its name for as long as no other match is played; result: of the bot that was named first"
    seats: Columns[ListedLocal] = [
        Column(f"seat {seat}", partial(player_text, seat=seat), NAME)
        for seat in range(max((len(listed.players) for listed in matches), default=2))
    ]
    columns: Columns[ListedLocal] = [
        Column("match", lambda listed: listed.row.id, WORDS),
        *([Column("now", lambda listed: listed.place, WORDS)] if counted_back else []),
        Column("game", lambda listed: listed.row.game, NAME, leaves=1),
        *seats,
        Column("score", lambda listed: ":".join(map(str, listed.scores))),
        Column("end", lambda listed: ending_words(listed.row.reason, listed.verdicts), NAME, leaves=4),
        Column("result", lambda listed: own_result_text(listed.own_result)),
        Column("turns", lambda listed: listed.row.turns or None, leaves=2),
        Column("seed", lambda listed: listed.row.seed),
        Column(
            "played" if counted_back else "brought in",
            lambda listed: f"{listed.row.finished_at.astimezone():%m-%d %H:%M}",
            leaves=3,
        ),
    ]
    return FittingTable(columns, matches, legend=legend if counted_back else "result: of your bot")


def player_text(listed: ListedLocal, seat: int) -> Text:
    if seat >= len(listed.players):
        return Text()
    verdict = Verdict(listed.verdicts[seat])
    words = "" if verdict is Verdict.OK else f" ({verdict.words})"
    return quoted(Text(f"{listed.players[seat]}{words}", style=RESULT_STYLES.get(listed.results[seat], "")))


def match_text(detail: MatchInDetail) -> Text:
    match = detail.row
    seats = {side.seat.seat: side.seat for side in detail.seats}
    text = Text(f"match {match.id}: {match.game}, {match.league}, seed {match.seed_words}, {match.state}")
    if match.reason:
        text.append(f" ({reason_text(match, seats.values())})")
    if origin := origin_text(match, detail.request):
        text.append(f"\n{origin}")
    if match.void_at is not None:
        text.append(f"\ntaken back by {match.void_by}, {match.void_at.astimezone():%Y-%m-%d %H:%M}")
    if match.imported_from:
        text.append(f"\n{match.origin_words}\n")
    else:
        turns = "" if match.starts_bots else f"{counted(match.turns or 0, 'turn')}, "
        host = f", {match.host_faults} of them void because the host was too busy" if match.host_faults else ""
        text.append(f"\n{turns}pair {match.pair_id}, attempt {match.attempt}{host}\n")
        if match.sandbox or match.state == "finished":
            rule = match.caution or f"time by the {match.rule_words}{limits_played(match)}"
            text.append(f"{sandbox_text(match.sandbox)}; {rule}\n")
    if match.pruned_words:
        text.append(f"{match.pruned_words}\n")
    seats_of_turns = [turn.seat for turn in detail.said]
    for number in range(match.players):
        text.append(f"\nseat {number}: ")
        text.append(whole_seat_text(seats.get(number), match.players, last_turn_words(seats_of_turns, number)))
    return text


def whole_seat_text(seat: SeatRow | None, players: int, last_turn: str) -> Text:
    if seat is None:
        return Text("its row is missing in the database\n")
    return seat_text(seat) if seat.result is None else seat_text(seat).append(ending_text(seat, players, last_turn))


def limits_played(match: MatchRow | LocalRow) -> str:
    if match.first_limit_ms is None:
        return ""
    return f", {match.first_limit_ms} ms for the first answer and {match.turn_limit_ms} ms for each later one"


def ending_text(seat: SeatRow, players: int, last_turn: str) -> Text:
    verdict = Verdict(seat.verdict or Verdict.OK)
    score = "" if seat.score is None else f", score {seat.score}"
    result = seat.result if players == 2 else f"place {seat.place} of {players}"
    when = f" on its {last_turn}" if verdict is not Verdict.OK and last_turn else ""
    text = Text(f"  {result}{score}, verdict {verdict.words}{when}{f': {seat.message}' if seat.message else ''}\n")
    if seat.median_us is not None:
        text.append(
            f"  answers: median {milliseconds(seat.median_us)}, slowest {milliseconds(seat.slowest_us)}; "
            f"charged at most {milliseconds(seat.charged_us)}; {counted(seat.overruns, 'overrun')}\n"
        )
    if seat.early_lines:
        text.append(f"  {counted(seat.early_lines, 'turn')} answered with lines said before they were asked for\n")
    if seat.metrics:
        text.append(f"  metrics: {', '.join(f'{key} = {value}' for key, value in seat.metrics.items())}\n")
    if seat.stderr_dropped_bytes:
        text.append(f"  {seat.stderr_dropped_bytes:,} bytes of stderr were too many and are not kept\n")
    if seat.stderr:
        text.append("  stderr:\n" + indent(seat.stderr) + "\n")
    return text


def loss_text(loss: LossStory, match: object) -> Text:
    """Say how a match was lost, and what brought the loser nearer to it. `match`: what names it on the command line."""
    places = [turn_words(blow.own_turn, blow.turn) for blow in loss.blows]
    width = max(map(len, places), default=0)
    rows = [f"  {place:{width}}  {blow.text}" for place, blow in zip(places, loss.blows, strict=True)]
    turn = f" --turn {loss.blows[0].turn}" if loss.blows else ""
    return Text("\n".join([loss.sentence, *rows, f"look at it: `ladder match view {match}{turn}`"]))


TIMES = ("charged", "wall", "cpu", "wait", "late")
"""In this order; where there is little room the last ones go."""
NUMBERS = "turn seat  own  "
SENT, SUMMARY, TOOLTIP = "       <  ", "       =  ", "       !  "
MARKS = "< what the seat was sent before it answered; = what came of the turn; ! a word about a seat"
GAP = 2
NARROWEST_LINE = 24
"""Rather than fold the lines that were said into less, a time goes."""
LONGEST_LINE = 60
"""Where nothing is folded, the times directly follow a line that is longer than this."""
LEGEND = (
    "turn: of the match; own: of the seat; times in ms\n"
    "wait: of all threads together, and also what a wait that ended in the turn had lasted before it"
)
"""Linux adds a wait to its account when it ends, so that of a turn may be more than the turn's wall time."""


def turns_text(turns: Sequence[TurnRow], width: int | None) -> Text:
    """Write the turns of a match. `width`: of the terminal, in which long lines are folded; None: nothing is folded."""
    times = {name: [f"{getattr(turn.spent, f'{name}_us') / 1000:.2f}" for turn in turns] for name in TIMES}
    widths = {name: max(map(len, (name, *cells))) + GAP for name, cells in times.items()}
    lines = ["(nothing)" if turn.line is None else one_line(turn.line) for turn in turns]

    def room_beside(names: Sequence[str]) -> int:
        return LONGEST_LINE if width is None else max(1, width - len(NUMBERS) - sum(widths[name] for name in names))

    beginnings = (TIMES[:count] for count in range(len(TIMES), 1, -1))
    names = next((names for names in beginnings if room_beside(names) >= NARROWEST_LINE), TIMES[:1])
    room = min(room_beside(names), max(map(cell_len, ("line", *lines))))
    rows = [LEGEND, *([MARKS] if any(turn.referee for turn in turns) else [])]
    if missing := TIMES[len(names) :]:
        rows.append(f"no room for {listed(missing)}: use a wider terminal or --json")
    rows.append(f"{NUMBERS}{'line':{room}}" + "".join(name.rjust(widths[name]) for name in names))
    for index, (turn, line) in enumerate(zip(turns, lines, strict=True)):
        first, *others = folded(line, None if width is None else room)
        blanks, cells = " " * (room - cell_len(first)), (times[name][index].rjust(widths[name]) for name in names)
        rows.append(f"{turn.turn:4} {turn.seat:4} {turn.own_turn:4}  {first}{blanks}{''.join(cells)}")
        rows += [" " * len(NUMBERS) + other for other in others]
        rows += [] if turn.referee is None else referee_lines(turn.referee, width)
        rows += [indent(turn.stderr)] if turn.stderr else []
    return Text("\n".join(rows))


def referee_lines(turn: RefereeTurn, width: int | None) -> Iterator[str]:
    words = [(SENT, line) for line in turn.sent] + [(SUMMARY, line) for line in turn.summary]
    words += [(TOOLTIP, f"seat {tooltip.seat}: {tooltip.text}") for tooltip in turn.tooltips]
    for mark, text in words:
        first, *others = folded(one_line(text), None if width is None else max(1, width - len(mark)))
        yield mark + first
        yield from (" " * len(mark) + other for other in others)


def folded(line: str, width: int | None) -> list[str]:
    return [line] if width is None else chop_cells(line, width) or [""]


def overruns_text(turns: Iterable[TurnRow], rule: TimeRule | None) -> Text:
    """List the turns over their limit, whose fault each was and what `rule` made of it; "" for none."""
    lines = [
        f"seat {turn.seat}, its {turn_words(turn.own_turn, turn.turn)}: limit {turn.limit_ms} ms, "
        f"{times_text(turn.spent)}: {blame_text(fault, turn.spent, rule, turn.ruling or '')}"
        for turn in turns
        if rule and turn.limit_ms is not None and (fault := whose_fault(turn.spent, turn.limit_ms))
    ]
    return Text("\n".join(["overruns of wall time", *lines, ""]) if lines else "")


def blame_text(fault: str, spent: Spent, rule: TimeRule, ruling: str) -> str:
    counts = ", but it counts by the wall clock" if fault == "host" and rule.clock is Clock.WALL else ""
    did = f": {spent.words}" if fault == "bot" else ""
    return f"the {fault}'s fault{counts}{did}" + (f" ({ruling})" if ruling else "")


def times_text(spent: Spent) -> str:
    runtime = f", runtime {milliseconds(spent.runtime_us)}" if spent.runtime_us else ""
    return (
        f"wall {milliseconds(spent.wall_us)}, charged {milliseconds(spent.charged_us)}, cpu "
        f"{milliseconds(spent.cpu_us)}, wait {milliseconds(spent.wait_us)}, late {milliseconds(spent.late_us)}{runtime}"
    )


MOST_STORY_LINES = 100
"""Of what is shown of one attempt: what a referee program has said may be thousands of lines."""


def failure_text(failure: FailedAttempt) -> str:
    where = f" on {failure.host}, process {failure.pid}" if failure.host else ""
    counts = "it counts against the match" if failure.counts else "it does not count against the match"
    whose = "" if failure.seat is None else f"in a turn of seat {failure.seat}, "
    why, *story = failure.why.splitlines() or [""]
    when = f"{failure.failed_at.astimezone():%Y-%m-%d %H:%M:%S}"
    first = f"  {failure.attempt}, noticed {when}{where}: {why} ({whose}{counts})"
    visible = story[:MOST_STORY_LINES]
    more_lines = len(story) - MOST_STORY_LINES
    more = [f"    ... and {more_lines} more lines, which --json has"] if more_lines > 0 else []
    return "\n".join([first, *(f"    {line}" for line in visible), *more])


def host_faults_text(faults: HostFaults) -> str:
    return (
        f"{faults.version}: the host was too busy in {faults.own} of its turns and in {faults.opponents} of its "
        f"opponents', so its matches were void and played again; {faults.void} remained void"
    )


def referee_faults_text(faults: games.referee_faults.RefereeFaults) -> str:
    words = f"{faults.version}: {counted(faults.void, 'match', 'matches')} void, as the referee broke after its answer"
    if not faults.is_flagged:
        return words
    latest = games.referee_faults.LATEST
    return f"{words}; {faults.lately} of them among its latest {latest}: flagged, look at what it answers there"
