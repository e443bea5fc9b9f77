"""One match drawn: its map, and beside it the last turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from engine.endings import ending_words
from engine.game import Games
from engine.text import counted, one_line
from ladder.views.turns.match import MatchInDetail

WIDTH = 80
GAP = "   "


def match_drawing(games: Games, match: MatchInDetail) -> list[str]:
    """Return the lines of a drawing that is not wider than a small terminal."""
    row, seats = match.row, [seat.seat for seat in match.seats]
    scores = ":".join(str(seat.score) for seat in seats)
    versions = " against ".join(seat.version for seat in seats)
    ended = ending_words(row.reason, [seat.verdict for seat in seats])
    heads = [
        f"match {row.id}, {row.league}: {versions}",
        f"{scores}, {ended}, {counted(row.turns, 'turn')}, seed {row.seed_words}",
    ]
    drawn = games.find(row.game).maps_or_refuse().draw(row.known_seed, row.rules_level)
    return [*heads, "", *beside(drawn, list(last_turns(match, len(drawn))))]


def last_turns(match: MatchInDetail, rows: int) -> Iterator[str]:
    """Yield the last turns of a match, a line each, with who said what."""
    names = {seat.seat.seat: seat.seat.version for seat in match.seats}
    width = max(map(len, names.values()))
    for turn in match.said[-rows:]:
        said = "(nothing)" if turn.line is None else one_line(turn.line)
        yield f"{turn.turn:3}  {names[turn.seat]:{width}}  {said}"


def beside(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Put lines beside each other, cut to the width."""
    width = max(map(len, left))
    lines = (f"{one:{width}}{GAP}{other}".rstrip() for one, other in zip_longest(left, right, fillvalue=""))
    return [line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..." for line in lines]
