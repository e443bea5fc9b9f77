"""How pages show strangers' words, times, numbers, lines of matches and ratings; and the pages' templates.

How this works. Templates escape whatever they are given. What bots, players and compilers wrote also goes through
`stranger`: control characters become visible and writing that turns around is kept inside (`<bdi>`). Moments are UTC;
the script of live pages turns them into the reader's zone.

A page as one file needs no network, runs no script and leads nowhere. In it no address is known but those of files
beside it, so the templates' macros write words where pages have links, and the frame holds the style sheet itself. A
Content-Security-Policy lets nothing style the page but that sheet, by its hash, and allows no request at all.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import Response

from engine.conversation import ending_words
from engine.game import Games
from engine.immutable import immutable
from engine.text import counted, harmless, one_line, ordinal, time_words
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.names import NamedVersion
from ladder.plots.histogram import heat
from ladder.plots.svg import Scale
from ladder.ratings.counts import FAULT_COUNTS, battles_text, places_text
from ladder.seasons.clarifications import Clarification
from ladder.statistics.elo import elo_text
from ladder.viewer import hash_of
from ladder.views.matches import ListedMatch, is_of
from ladder.web import addresses

WIDTH, HEIGHT = 120, 12
"""Of a bar, in CSS pixels."""
OUTCOMES = {"won": "good", "lost": "bad", "drawn": ""}
"""How a result is marked, by its word: as a class of the style sheet."""


def scale_of(ratings: Iterable[tuple[float, float]], beside: Iterable[float] = ()) -> Scale:
    """Return the scale on which all of these fit, each a mu with its sigma. `beside`: what has to fit on it too."""
    ends = [*beside, *(end for mu, sigma in ratings for end in (mu - sigma, mu + sigma))] or [0.0]
    low, high = min(ends), max(ends)
    return Scale(low, high if high > low else low + 1, 0, WIDTH)


def rating_bar(mu: float, sigma: float, scale: Scale) -> Markup:
    """Draw a rating. Its numbers stand beside it as text, so screen readers skip the picture."""
    left, right, middle = (round(scale.at(rating), 1) for rating in (mu - sigma, mu + sigma, mu))
    return Markup(  # noqa: S704 - numbers alone
        f'<svg class="rating" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">'
        f'<path d="M0 6h{WIDTH}"/><rect x="{left}" y="2" width="{right - left:.1f}" height="8" rx="2"/>'
        f'<path d="M{middle} 0v{HEIGHT}"/></svg>'
    )


@immutable
class MatchLine:
    """A match as a line. `seats`: the own one first; None for a lost one. `mark`: the class of its result."""

    match: MatchRow
    seats: tuple[SeatRow | None, ...]
    result: str
    mark: str
    end: str

    @property
    def score(self) -> str:
        return ":".join("?" if seat is None else seat.score_words for seat in self.seats)


def match_lines(matches: Iterable[ListedMatch], of: NamedVersion | None = None) -> Iterator[MatchLine]:
    for listed in matches:
        by_seat = {seat.seat: seat for seat in listed.seats}
        seats = [by_seat.get(number) for number in range(listed.match.players)]
        if of is not None:
            seats.sort(key=lambda seat: seat is None or not is_of(seat, of))
        result = listed.own_result or ""
        is_void = listed.match.state == "void"
        end = "void" if is_void else ending_words(listed.match.reason, [seat.verdict for seat in listed.seats])
        yield MatchLine(listed.match, tuple(seats), result, OUTCOMES.get(result, ""), end)


@immutable
class LoggedIn:
    """A player whose browser asks. `form_token`: what its forms carry; `operates`: whether as an operator."""

    player: str
    form_token: str
    operates: bool


NO_GAMES = Games((), {})
GAMES: ContextVar[Games] = ContextVar("GAMES", default=NO_GAMES)
"""The games of the ladder that is looked at."""
IS_SERVED: ContextVar[bool] = ContextVar("IS_SERVED", default=False)
"""Whether the request that is answered came to a ladder that is served to players with accounts."""
LOGGED_IN: ContextVar[LoggedIn | None] = ContextVar("LOGGED_IN", default=None)
"""The player whose browser asks, on a ladder that is served; None for everybody else."""
OPERATES: ContextVar[bool] = ContextVar("OPERATES", default=False)
"""Whether an operator asks, on a ladder that is served."""
ANNOUNCED: ContextVar[Sequence[Clarification]] = ContextVar("ANNOUNCED", default=())
"""What was told lately to all, and to the player who asks: it stands above every page."""
STATIC = Path(__file__).parent / "static"
DASH = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
MOST_CHARS = 200_000
"""Of a text on a page. What is kept of compilers and of failed attempts is shorter. All that bots were sent is a link
away, and so is all that is kept of what they wrote to stderr.
"""


def stranger(text: object) -> Markup:
    return Markup(f"<bdi>{escape(one_line(str(text)))}</bdi>")  # noqa: S704 - escaped; a page has hundreds


def lines(text: str) -> Markup:
    more = len(text) - MOST_CHARS
    return escape(harmless(text[:MOST_CHARS])) + (f"\n({more:,} more characters)" if more > 0 else "")


def moment(at: datetime | None) -> Markup:
    """Return a moment as UTC, which the script of live pages turns into the reader's zone; a dash for none."""
    if at is None:
        return escape(DASH)
    utc = at.astimezone(UTC)
    words = f"{utc:%Y-%m-%d %H:%M} UTC"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(utc.isoformat(timespec="seconds"), words, words)


def milliseconds(time_us: int | None) -> str:
    return DASH if time_us is None else time_words(time_us)


def rounded(number: float | None, digits: int = 2) -> str:
    """Return a number with `digits` digits behind the point, and a real minus sign; a dash for none."""
    return DASH if number is None else f"{number:,.{digits}f}".replace("-", MINUS)


@cache
def static(name: str) -> str:
    return f"/static/{name}?{sha256((STATIC / name).read_bytes()).hexdigest()[:12]}"


@cache
def environment() -> Environment:
    jinja = Environment(
        loader=PackageLoader("ladder.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    filters = (stranger, lines, moment, milliseconds, rounded, one_line)
    functions = (static, counted, ordinal, places_text, battles_text, elo_text, heat, match_lines, rating_bar)
    jinja.filters |= {function.__name__: function for function in filters}
    jinja.globals |= {function.__name__: function for function in functions}
    jinja.globals |= {
        "fault_counts": FAULT_COUNTS,
        "to": addresses,
        "ladder_version": version("ladder-arena"),
        "frame": "base.html",
        "is_served": IS_SERVED.get,
        "logged_in": LOGGED_IN.get,
        "announced": ANNOUNCED.get,
        "title_of": lambda game: GAMES.get().title_of(game),
    }
    return jinja


def page(name: str, /, *, status: int = 200, **values: Any) -> Response:
    return html(environment().get_template(name).render(values, catalogue=GAMES.get().all), status)


def html(text: str | bytes, status: int = 200) -> Response:
    return Response(text, status, media_type="text/html; charset=utf-8")


class Nowhere:
    """Stands in for the addresses of pages: none is known."""

    def __getattr__(self, name: str) -> Callable[..., str]:
        return lambda *_, **__: ""


NOWHERE = Nowhere()
BOARDS_FILE = "boards.html"
UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(frozen=True)
class InFolder(Nowhere):
    """Addresses in a folder with the boards and files of `players`. `up`: how a file's own folder leads there."""

    up: str = ""
    players: frozenset[str] = frozenset()

    def player(self, name: str) -> str:
        return f"{self.up}{quote(players_file(name))}" if name in self.players else ""

    def boards(self) -> str:
        return f"{self.up}{BOARDS_FILE}" if self.up else ""


def players_file(name: str) -> str:
    return f"players/{UNSAFE.sub('-', name).lower()}.html"


def file_of(name: str, place: Nowhere = NOWHERE, /, **values: Any) -> str:
    return templates(place).get_template(name).render(values, written_at=datetime.now(UTC)) + "\n"


@lru_cache(maxsize=4)
def templates(place: Nowhere) -> Environment:
    jinja = environment().overlay()
    style = (STATIC / "style.css").read_text("utf-8")
    jinja.globals = {
        **jinja.globals,
        "to": place,
        "frame": "file.html",
        "style": Markup(style),  # noqa: S704 - it is ours
        "policy": f"default-src 'none'; style-src {hash_of(style)}; base-uri 'none'; form-action 'none'",
    }
    return jinja
