"""What a game brings with it: a name, its leagues and a referee. See `engine.games` for where games come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from math import fsum
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from engine.conversation import FOR_TWO, UNFAIR, Referee, SeatOrders, TimeLimits, seat_orders
from engine.errors import GameFault, Refused, UnknownName, UsageFault
from engine.frames import DRAWING_FUNCTIONS, Frames, Knowledge, TextDrawing, Unused
from engine.immutable import immutable

if TYPE_CHECKING:
    from engine.referees.program import RefereeProgram

ENGLISH = "en"


@immutable
class GameLeague:
    """`battles`: how many (one seed, all seat orders) before a version can be promoted. `boss`: in the folder `bots`;
    None: nobody is promoted from here. `boss_params`: so one file can guard several leagues.
    """

    name: str
    title: str
    rules_level: int
    battles: int
    boss: str | None
    boss_params: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)


@immutable
class GameMaps:
    """`facts(seed, rules_level)`: as golden map records and `--json` have it; `draw`: as rows of text for people."""

    facts: Callable[[int, int], dict[str, object]]
    draw: Callable[[int, int], tuple[str, ...]]


@immutable
class Pictures:
    """From the game's `frames.py`, see `engine.frames`. `knowledge`: None where nothing is hidden or known."""

    frames: Callable[[int, int, TimeLimits], Frames]
    knowledge: Knowledge | None = None
    unused: Unused | None = None


def nothing() -> None:
    """Stand where a game could load what it does not have. No lambda: games go to other processes."""


@immutable
class Game:
    """`referee(seed, rules_level, limits)` starts its conversation, and takes the number of players where the game is
    not for two; the seed is a signed 64-bit integer. `lead` is for both. `players`: the numbers that it can have,
    smallest first; `player_weights`: how often each is drawn; (): all alike. `limits`: which count where a match has no
    others. `maps`: None for a game that draws none. `rules_version`: raised when the rules change. `lacks`: the
    capabilities that it says it does not have, see `engine.conformance`. `program`: None for rules in Python;
    `edition`: the hash of a program's files, else "". `statement_file`: of such a game, where it has one.
    """

    name: str
    title: str
    folder: Path
    leagues: tuple[GameLeague, ...]
    draw_probability: float
    most_asks_per_seat: int
    limits: TimeLimits
    referee: Callable[..., Referee]
    maps: GameMaps | None = None
    lacks: frozenset[str] = frozenset()
    rules_version: int = 1
    pictures: Callable[[], Pictures | None] = nothing
    text_drawing: Callable[[], TextDrawing | None] = nothing
    players: tuple[int, ...] = FOR_TWO
    player_weights: tuple[float, ...] = ()
    seat_orders: SeatOrders = SeatOrders.ROTATIONS
    program: RefereeProgram | None = None
    edition: str = ""
    statement_file: str = ""

    def lead(self, seed: int, rules_level: int, limits: TimeLimits, players: int = 2) -> Referee:
        if self.players == FOR_TWO:
            return self.referee(seed, rules_level, limits)
        return self.referee(seed, rules_level, limits, players)

    @property
    def battle_matches(self) -> int:
        """How many matches a battle has; on average, where the number of players is drawn."""
        matches = [len(seat_orders(players, self.seat_orders)) for players in self.players]
        weights = self.player_weights or (1.0,) * len(matches)
        return round(fsum(map(mul, matches, weights)) / fsum(weights))

    @property
    def starts_bots(self) -> bool:
        """Whether its referee is a command that does so: then nothing that was said in its matches is known."""
        return self.program is not None and self.program.starts_bots

    @property
    def caution(self) -> str | None:
        return UNFAIR if self.starts_bots else None

    def require_trust(self, *, trusted: bool) -> None:
        if self.starts_bots and not trusted:
            raise Refused(
                f"{self.name} is played only with bots that one trusts ({UNFAIR}): `--trusted` says that one "
                "does where matches are played here, and on a ladder the league's setting trusted = true"
            )

    def require_lines(self, what: str) -> None:
        """`what`: what needs lines of matches, beginning a sentence."""
        if self.starts_bots:
            raise Refused(
                f"{what} needs the lines that were said in a match, and of {self.name} none are stored: its command "
                "starts the bots itself"
            )

    @property
    def referee_sets_limits(self) -> bool:
        return self.program is not None and self.program.limits is None

    def require_repeatable(self, what: str) -> None:
        """`what`: what needs that, as the beginning of a sentence."""
        if self.program is not None and not self.program.is_repeatable:
            raise Refused(
                f"{what} needs matches that can be repeated, and those of {self.name} cannot as far as is known: "
                f"`ladder game check {self.name} --bots A B` finds out what repeats them"
            )

    @property
    def seed_bits(self) -> int:
        """64 with a sign, or 31 without; 0 where its referee knows none."""
        return 64 if self.program is None else self.program.seed_bits

    def limits_said(self, limits: TimeLimits) -> tuple[int | None, int | None]:
        """Return the limits as a match says them: none where they only estimate what the referee will say."""
        if self.referee_sets_limits and limits == self.limits:
            return None, None
        return limits.first_ms, limits.turn_ms

    def league(self, name: str) -> GameLeague:
        """In any case; blanks count as hyphens. Raises UnknownName."""
        league_name = name.strip().lower().replace(" ", "-")
        for league in self.leagues:
            if league.name == league_name:
                return league
        raise UnknownName.of(f"league of {self.name}", name, [league.name for league in self.leagues])

    @property
    def bosses(self) -> dict[str, GameLeague]:
        """The leagues that a bot of the game's guards, by that boss's name: `boss-bronze`."""
        return {f"boss-{league.name}": league for league in self.leagues if league.boss is not None}

    @property
    def rules_levels(self) -> list[int]:
        return sorted({league.rules_level for league in self.leagues})

    @property
    def bots_folder(self) -> Path:
        return self.folder / "bots"

    @property
    def drawing(self) -> str | None:
        path = self.folder / "draw.js"
        try:
            text = path.read_text("utf-8-sig") if path.is_file() else None
        except (OSError, UnicodeDecodeError) as error:
            raise GameFault(f"{path}, which draws matches of {self.name}, cannot be read: {error}") from error
        for name in DRAWING_FUNCTIONS if text is not None else ():
            if not re.search(rf"^export function {name}\(", text or "", re.MULTILINE):
                raise GameFault(f"{path} exports no function {name}")
        return text

    @property
    def statement_languages(self) -> tuple[str, ...]:
        """English, then those of other files."""
        others = {path.suffixes[0].removeprefix(".") for path in self.folder.glob("statement/level-*.??.md")}
        return (ENGLISH, *sorted(others - {ENGLISH}))

    def statement(self, rules_level: int, language: str = ENGLISH) -> str:
        """From `statement/level-N.md`, in French from `level-N.fr.md`. Raises GameFault where it cannot be read."""
        of_language = "" if language == ENGLISH else f".{language}"
        path = self.folder / "statement" / f"level-{rules_level}{of_language}.md"
        if self.program is not None:
            if not self.statement_file:
                return f"# {self.title}\n\nThis game came without a statement of its rules.\n"
            path = self.folder / self.statement_file
        try:
            return path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise GameFault(f"{path}, the statement of {self.name}, cannot be read: {error}") from error

    def maps_or_refuse(self) -> GameMaps:
        if self.maps is None:
            raise UsageFault(f"{self.name} has no maps: its referee file defines no draw_map")
        return self.maps


class FurtherGames:
    """Games that are found only when one asks for them, such as those in a ladder's database; here there are none."""

    def __reduce__(self) -> tuple[type[FurtherGames], tuple[()]]:
        return FurtherGames, ()

    def present(self) -> tuple[Game, ...]:
        return ()

    def edition(self, edition: str) -> Game:
        raise UnknownName(f"edition {edition[:12]} of a game is not known here")


class FindsGames(Protocol):
    """What knows games by their names, as `Games` does."""

    def find(self, name: str, edition: str | None = None) -> Game: ...


@immutable
class Games:
    """A catalogue, handed in to all that needs one. `here`: with rules in Python. `faults`: why a game or folder cannot
    be used, by name; it is not in `all`. `further`: games with a referee program, asked for only where `here` has not
    the name.
    """

    here: tuple[Game, ...]
    faults: Mapping[str, str]
    further: FurtherGames = FurtherGames()

    @property
    def all(self) -> tuple[Game, ...]:
        names_here = {game.name for game in self.here}
        return (*self.here, *(game for game in self.further.present() if game.name not in names_here))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(game.name for game in self.all)

    def find(self, name: str, edition: str | None = None) -> Game:
        """`edition`: None for the present one. Raises UnknownName; GameFault for a game with a fault."""
        if edition is not None:
            return self.further.edition(edition)
        for game in self.here:
            if game.name == name:
                return game
        if name in self.faults:
            raise GameFault(self.faults[name])
        for game in self.further.present():
            if game.name == name:
                return game
        raise UnknownName.of("game", name, self.names)

    def title_of(self, name: str) -> str:
        return next((game.title for game in self.all if game.name == name), name)

    def without_further(self) -> Games:
        return Games(self.here, self.faults)

    def __contains__(self, name: object) -> bool:
        return any(game.name == name for game in self.here) or name in self.names
