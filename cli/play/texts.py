"""How a match and a series look: in a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from cli.context import Context
from cli.play import series
from cli.play.losses import StderrOf
from cli.play.series import NamedBots, Seating, has_fault, in_seats, points
from cli.terminal.words import quoted
from engine.bot.clock import TimeRule
from engine.match import MatchResult, fault_words
from engine.series import PlayedTask, UnplayedTask
from engine.text import counted, listed
from ladder.statistics.elo import elo_text, estimate_of, known_mean
from ladder.views.turns.rows import PlayedMatch, UnplayedMatch

LETTERS = {0: StderrOf.A, 1: StderrOf.B}
"""What --stderr calls the first two bots; those of more it shows together."""


def view_of(
    seating: Seating, played: PlayedTask, bots: NamedBots, rule: TimeRule, kept_as: str | None = None
) -> PlayedMatch | UnplayedMatch:
    """Return a match for scripts. `rule`: of its time; `kept_as`: see `PlayedMatch`."""
    if isinstance(played.result, UnplayedTask):
        names = tuple(name for name, _ in in_seats(seating, bots))
        return UnplayedMatch(names, rule.policy, rule.clock, played.starved, seating.spec, played.result.why)
    return series.played_match(seating, played, bots, rule, kept_as)


def show_series(
    context: Context,
    seatings: list[Seating],
    outcomes: list[PlayedTask],
    names: Sequence[str],
    elapsed_s: float,
    stderr: StderrOf | None = None,
) -> None:
    """Print one match in full, or each of a series in a line, and their sum. `stderr`: whose is printed besides."""
    for seating, played in zip(seatings, outcomes, strict=True):
        seats = in_seats(seating, names)
        if isinstance(played.result, UnplayedTask):
            context.show(quoted(f"seed {seating.spec.seed}  {' - '.join(seats)}  void: {played.result.why}"))
            continue
        result = played.result
        line = match_text(result, seats) if len(seatings) == 1 else series.match_line(result, seats)
        context.show(quoted(coloured(line, points(seating, result)).append(series.again_text(played))))
        for seat, bot in enumerate(seating.order):
            if stderr is not None and stderr in (StderrOf.BOTH, LETTERS.get(bot)):
                words = series.stderr_of(result, seats, [seat]) or f"{seats[seat]} wrote nothing to stderr"
                context.show(quoted(words))
            elif stderr is None and len(seatings) == 1 and has_fault(result, seat) and result.stderr[seat]:
                whose = LETTERS.get(bot, StderrOf.BOTH)
                context.say(quoted(f"{seats[seat]} wrote to stderr: --stderr {whose} shows it"))
    results = [(seating, played.result) for seating, played in zip(seatings, outcomes, strict=True)]
    finished = [(seating, result) for seating, result in results if not isinstance(result, UnplayedTask)]
    if finished and len(seatings) > 1:
        void = len(results) - len(finished)
        context.show(quoted(sum_line(finished, names, elapsed_s) + (f", {void} void" if void else "")))
        context.show(*(quoted(text) for text in (seats_text(finished), interval_text(finished)) if text))
    if finished:
        context.show(*series.cautions_of(finished[0][1]))


def match_text(result: MatchResult, seats: Sequence[str]) -> str:
    outcome = result.outcome
    words = f"{listed(list(seats))} draw" if max(outcome.places) == 1 else series.winner_words(outcome, seats)
    if outcome.winner is not None and len(seats) == 2:
        words = f"{seats[outcome.winner]} beats {seats[1 - outcome.winner]}"
    how = f"{series.ending_of(result)}, seed {result.spec.seed}"
    name, score = (max(len(str(word)) for word in words) for words in (seats, outcome.scores))
    verdicts = (fault_words(result, seat) if has_fault(result, seat) else "ok" for seat in range(len(seats)))
    lines = [
        f"  player {seat}  {seats[seat]:{name}}  {outcome.scores[seat]:{score}}  {verdict}"
        for seat, verdict in enumerate(verdicts)
    ]
    if len(seats) > 2:
        lines = [f"  place {place}{line}" for line, place in zip(lines, outcome.places, strict=True)]
    return "\n".join([f"{words} ({how})", *lines])


def coloured(words: str, first_took: float) -> Text:
    """Colour the first line of what is said of a match: green where the first bot won, red where it lost."""
    text = Text(words)
    text.stylize({1.0: "green", 0.0: "red"}.get(first_took, "yellow"), 0, len(words.partition("\n")[0]))
    return text


def sum_line(played: Sequence[tuple[Seating, MatchResult]], names: Sequence[str], elapsed_s: float) -> str:
    scored = [points(seating, result) for seating, result in played]
    text = record_text(scored, len(names))
    return f"{names[0]} against {listed(list(names[1:]))}: {text}, {len(scored) / elapsed_s:.1f} matches/s"


def record_text(scored: Sequence[float], players: int) -> str:
    wins, draws = scored.count(1.0), scored.count(0.5)
    share = 100 * sum(scored) / len(scored)
    if players > 2:
        return f"first in {wins} of {counted(len(scored), 'match', 'matches')} ({share:.1f} % of the points)"
    return f"{wins} won, {draws} drawn, {len(scored) - wins - draws} lost ({share:.1f} % of the points)"


def interval_text(played: Sequence[tuple[Seating, MatchResult]]) -> str:
    """Say how well the first bot's strength is known: as a share of the points and in Elo; "" for a single seed."""
    by_seed: dict[int, list[float]] = {}
    for seating, result in played:
        by_seed.setdefault(seating.spec.seed, []).append(points(seating, result))
    if len(by_seed) < 2:
        return ""
    mean = known_mean([sum(scored) / len(scored) for scored in by_seed.values()])
    strength = estimate_of(mean)
    share = f"{100 * max(mean.low, 0):.1f} to {100 * min(mean.high, 1):.1f} %"
    elo = f"{elo_text(strength.low)} to {elo_text(strength.high)} Elo"
    return f"  with 95 % confidence {share} of the points: {elo}"


def seats_text(played: Sequence[tuple[Seating, MatchResult]]) -> str:
    players = played[0][0].spec.players
    by_seat: dict[int, list[float]] = {seat: [] for seat in range(players)}
    for seating, result in played:
        by_seat[seating.seat_of_first].append(points(seating, result))
    return "\n".join(f"  as player {seat}: {record_text(got, players)}" for seat, got in by_seat.items() if got)
