"""What an operator can set for each league: names, bounds, and what they mean.

How this works. A setting is a column of the table `leagues` of the same name. What stands in `SETTINGS` is what league
files may hold, what `ladder league list` shows and what is checked before it goes into the database. So a new setting
is a column and a line here. A setting that takes None is written as "" in files. The boss alone is not a column: it is
the bot that guards the league.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, TypeAlias

from engine.bot.clock import FATAL_OVERRUN, GRACE_MS, Clock, Policy
from engine.conversation import TimeLimits
from engine.immutable import immutable
from ladder.choices import Matchmaking, Promotion, RankedBy, RatingSystem, ScoreFormula
from ladder.ids import LeagueId
from ladder.row_limits import FIRST_YEAR, LAST_YEAR

SURE_BATTLES = 10
"""From this many battles on a version goes up as soon as it is sure that it is stronger than the boss."""
SETTLING_TIMES = 4
"""A version plays on to this many times its own battles at most, to settle its order with the boss or a neighbour..."""
MOST_SETTLING = 50
"""... and to no more than this many in all, ..."""
LEAST_SETTLING_TIMES = 2
"""... but to this many times its own where those are more: so in no league a rank is final while it is open."""


def most_battles_with_boss(battles: int) -> int:
    """Return how many of its own battles a version plays against the boss at most."""
    return (battles + 1) // 2


def most_battles_to_settle(battles: int) -> int:
    """Return up to how many battles a version with so many plays on.

    With few, chance decides much and more help; with many, some rise by luck: at most as many again.
    """
    return max(min(SETTLING_TIMES * battles, MOST_SETTLING), LEAST_SETTLING_TIMES * battles)


BOSS = "boss"
TITLE = "title"
PROMOTION = "promotion"
RATING_SYSTEM = "rating_system"
RANKED_BY = "ranked_by"
BOSS_WINS = "boss_wins"
BATTLES = "battles"
LONGEST_LIMIT_MS = 60_000
"""Of a turn. One lasts at most twenty times its limit, see engine.bot.clock, which has to fit where microseconds are
kept: in 32 bits, some 2,147 seconds.
"""

Value: TypeAlias = int | float | bool | str | datetime | None


@immutable
class Setting(ABC):
    """One thing that can be set. `about`: a sentence for people."""

    name: str
    about: str

    @property
    @abstractmethod
    def possible_values(self) -> str:
        """What values it takes, in words that follow "must be"."""

    @abstractmethod
    def takes(self, value: object) -> bool: ...


@immutable
class Bounded(Setting):
    """A setting that is a number between two bounds; with `or_none` it can be left to the game."""

    NUMBERS: ClassVar[str]
    TYPES: ClassVar[tuple[type[float], ...]]

    least: float
    most: float
    or_none: bool = False

    @property
    def possible_values(self) -> str:
        return f"{self.NUMBERS} from {self.least} to {self.most}" + (', or "" for none' if self.or_none else "")

    def takes(self, value: object) -> bool:
        if value is None:
            return self.or_none
        return isinstance(value, self.TYPES) and not isinstance(value, bool) and self.least <= value <= self.most


@immutable
class Measure(Bounded):
    """With decimals."""

    NUMBERS = "a number"
    TYPES = (int, float)


@immutable
class Number(Bounded):
    """A whole one."""

    NUMBERS = "a whole number"
    TYPES = (int,)

    least: int
    most: int


@immutable
class Switch(Setting):
    """A setting that is on or off; with `or_none` it can be left open."""

    or_none: bool = False

    @property
    def possible_values(self) -> str:
        return 'true, false, or "" for none' if self.or_none else "true or false"

    def takes(self, value: object) -> bool:
        return isinstance(value, bool) or (value is None and self.or_none)


@immutable
class Choice(Setting):
    """A setting that is one of some words."""

    words: tuple[str, ...]

    @property
    def possible_values(self) -> str:
        return " or ".join(f'"{word}"' for word in self.words)

    def takes(self, value: object) -> bool:
        return isinstance(value, str) and value in self.words


@immutable
class WordsSetting(Setting):
    """A setting that is some words for people, in one line."""

    most_chars: int

    @property
    def possible_values(self) -> str:
        return f"1 to {self.most_chars} printable characters"

    def takes(self, value: object) -> bool:
        if not isinstance(value, str) or not value.isprintable():
            return False
        return bool(value.strip()) and len(value) <= self.most_chars


@immutable
class BotName(Setting):
    """A setting that names a bot, or none. Whether there is such a bot only the database knows."""

    @property
    def possible_values(self) -> str:
        return 'the name of a bot, or "" for none'

    def takes(self, value: object) -> bool:
        return value is None or (isinstance(value, str) and bool(value) and value.isprintable())


@immutable
class Moment(Setting):
    """A setting that is a moment, or none: a date and time with its zone, in the years that PostgreSQL can store."""

    @property
    def possible_values(self) -> str:
        return 'a date and time with its zone, such as 2027-03-01T18:00:00Z, or "" for none'

    def takes(self, value: object) -> bool:
        if value is None:
            return True
        return isinstance(value, datetime) and value.tzinfo is not None and FIRST_YEAR <= value.year <= LAST_YEAR


IN_ORDER: tuple[Setting, ...] = (
    WordsSetting(TITLE, "what people call the league; no other of the game has that title or name", 40),
    Number("rules_level", "by which of the game's rules it plays; `ladder game show` has them", 1, 100),
    BotName(
        BOSS,
        "the bot that guards it and is never moved: it leaves its own league for this one for good, and the boss "
        "before stays as an ordinary bot, which can go up; a bot can guard one league; only the highest needs none",
    ),
    Choice(PROMOTION, Promotion.explain(), tuple(Promotion)),
    Number(
        BOSS_WINS, "for the promotion boss_wins: this many wins against the boss; any rated match counts", 1, 100_000
    ),
    Switch(
        "demotion", "whether a version that takes less than a tenth of the points is sent down a league (at most once)"
    ),
    Moment(
        "opens_at",
        'a moment such as 2027-03-01T18:00:00Z: until then versions that have earned it wait below; "": it is open',
    ),
    Number(BATTLES, "battles that a version plays before it can be promoted; each is two matches", 1, 100_000),
    Measure(
        "sure",
        f"for the promotion rank_above_boss: from {SURE_BATTLES} battles on a version goes up as soon as both ratings "
        "say with this chance that it is stronger than the boss, and battles that can change nothing are spared; for "
        "settled_above_boss: as soon as the fit says so, and its battles end once it is as surely the weaker one and "
        'its rank is known well enough; "": every version has all its battles first, as on CodinGame',
        0.5,
        1,
        or_none=True,
    ),
    Choice("matchmaking", Matchmaking.explain(), tuple(Matchmaking)),
    Number("placement_battles", "for codingame: this many first battles are spread over the whole board", 0, 100_000),
    Number("near_ranks", "for codingame: afterwards opponents are at most this many ranks away", 1, 100_000),
    Switch(
        "own_bots_meet",
        "whether two bots of one player meet in matches that rate; only its boss meets all where wins against it "
        'promote; "": they do until the ladder has players with accounts',
        or_none=True,
    ),
    Number(
        "most_bots",
        "as many bots of one player, retired ones not counted, can be in it; others wait below or are refused; "
        '"": any number',
        1,
        10_000,
        or_none=True,
    ),
    Number("memory_mb", "memory of one bot, in megabytes", 16, 1_048_576),
    Number("threads", "threads of one bot", 1, 4_096),
    Number("open_files", "files that a bot can have open", 16, 65_536),
    Number("file_size_mb", "the largest file that a bot can write, in megabytes", 1, 65_536),
    Number("line_bytes", "a bot that writes this many bytes without a newline has flooded", 100, 10_000_000),
    Number("stderr_turn_bytes", "debug output that is kept of a bot's turn, in bytes", 0, 10_000_000),
    Number("stderr_match_bytes", "debug output that is kept of a bot's match, in bytes", 0, 10_000_000),
    Switch("early_line_loses", "whether a line that comes before it is asked for loses; else it waits for its turn"),
    Number(
        "first_limit_ms",
        "the time for a bot's first answer, in milliseconds; \"\": the game's own",
        1,
        LONGEST_LIMIT_MS,
        or_none=True,
    ),
    Number(
        "turn_limit_ms",
        'the time for each later answer, in milliseconds; "": the game\'s own',
        1,
        LONGEST_LIMIT_MS,
        or_none=True,
    ),
    Choice(
        "time_policy",
        f"strict: an overrun loses; codingame: {GRACE_MS} ms of grace, overrun number {FATAL_OVERRUN} loses",
        tuple(Policy),
    ),
    Choice("clock", "fair: waiting for a busy host is not charged; wall: all time counts", tuple(Clock)),
    Choice(RANKED_BY, f"what orders the board; {RankedBy.explain()}", tuple(RankedBy)),
    Number(
        "rank_width",
        f"for ranked_by settled: from {SURE_BATTLES} battles on a version that cannot change its league gets no more "
        'while its rank is known within so many places (12 to 19: 7); "": every version has all its battles',
        0,
        10_000,
        or_none=True,
    ),
    Choice(RATING_SYSTEM, RatingSystem.explain(), tuple(RatingSystem)),
    Measure("mu", "the skill that is believed of a newcomer", -10_000, 10_000),
    Measure("sigma", "how uncertain that is: its standard deviation", 0.001, 10_000),
    Measure("beta", "how much a bot's play varies from match to match, on the scale of skill", 0.001, 10_000),
    Measure("tau", "doubt that is added with every match, so that ratings never freeze", 0, 10_000),
    Measure(
        "draw_probability",
        'the share of draws that trueskill and informed matchmaking expect, not openskill; "": the game\'s own',
        0,
        0.99,
        or_none=True,
    ),
    Choice(
        "score_formula",
        f"what the score is, by which a live board ranks; {ScoreFormula.explain()}",
        tuple(ScoreFormula),
    ),
    Switch(
        "trusted",
        "whether all bots are trusted so far that a game's own command may start them, in one box where they see each "
        "other; games of the kind `command` are not played without it, and for others it means nothing",
    ),
    Switch("programs", "whether versions may come as programs, ready to be run, and not only as sources"),
)
SETTINGS = {setting.name: setting for setting in IN_ORDER}

USUAL_LIMITS = TimeLimits(first_ms=1000, turn_ms=50)


@immutable
class LeagueSettings:
    """A league's settings by name. `game_limits`: the game's of time; `battle_matches`: of a battle, on average."""

    id: LeagueId
    game: str
    name: str
    values: Mapping[str, Value]
    game_limits: TimeLimits = USUAL_LIMITS
    battle_matches: int = 2

    @property
    def limits(self) -> TimeLimits:
        values: Mapping[str, Any] = self.values
        return self.game_limits.but(values["first_limit_ms"], values["turn_limit_ms"])


def as_name(words: str) -> str:
    return words.strip().lower().replace(" ", "-")
