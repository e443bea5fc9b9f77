"""Parameters that are tuned: their ranges, as people write them, and the values in these. Pure."""

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from engine.errors import UsageFault
from engine.immutable import immutable
from engine.text import shortened
from engine.toolchains.params import Params, check_params

MOST = 16
"""Of one tune: each further one takes 200 pairs more."""
WRITTEN = "write NAME=1..20, NAME=0.5..4.0, NAME=0.01..10:log or NAME=a,b,c"


class ParameterKind(StrEnum):
    """`LOG`: as far from 1 to 10 as from 10 to 100; `CHOICE`: words, of which neighbours should be alike."""

    INT = "int"
    FLOAT = "float"
    LOG = "log"
    CHOICE = "choice"


@immutable
class Parameter:
    """A parameter and its range, ends included. Of a choice `low` and `high` are places in `choices`."""

    name: str
    kind: ParameterKind
    low: float
    high: float
    choices: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return self.kind in {ParameterKind.INT, ParameterKind.CHOICE}

    @property
    def least_reach(self) -> float:
        """Return how far its place has to be moved up and down so that two different values come of it."""
        return 0.5 / (self.high - self.low) if self.is_whole else 0.0

    @property
    def range_text(self) -> str:
        if self.kind is ParameterKind.CHOICE:
            return ",".join(self.choices)
        return f"{self.low:g}..{self.high:g}{':log' if self.kind is ParameterKind.LOG else ''}"

    def value_at(self, place: float) -> float:
        if self.kind is ParameterKind.LOG:
            return float(self.low * (self.high / self.low) ** place)
        value = self.low + place * (self.high - self.low)
        return float(math.floor(value + 0.5)) if self.is_whole else value

    def number_at(self, place: float) -> float:
        """Return what a curve shows at a place: between whole numbers too."""
        return self.low + place * (self.high - self.low) if self.is_whole else self.value_at(place)

    def text_at(self, place: float) -> str:
        if self.kind is ParameterKind.CHOICE:
            return self.choices[int(self.value_at(place))]
        return f"{self.value_at(place):.0f}" if self.kind is ParameterKind.INT else f"{self.value_at(place):.4g}"

    def place_of(self, text: str) -> float:
        """Return the place of a value. Raises UsageFault for one that is not in the range."""
        if self.kind is ParameterKind.CHOICE:
            value = float(self.choices.index(text)) if text in self.choices else None
        else:
            value = number_in(text)
        if value is None or not self.low <= value <= self.high:
            raise UsageFault(f"{self.name} starts with {shortened(text)}, which is not in {self.range_text}")
        if self.kind is ParameterKind.LOG:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@immutable
class TuneRequest:
    """What somebody asks for. `ranges`, `start`: as they are typed; `against`: see ladder.gauntlets.lineup.

    `pairs`: in all, None: as many as is usual; `seed`: None: by chance; `league`: None: where the bot plays.
    """

    candidate: str
    ranges: tuple[str, ...]
    start: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    pairs: int | None = None
    seed: int | None = None
    league: str | None = None
    game: str | None = None


@immutable
class LocalRequest(TuneRequest):
    """One that is played here. `candidate`, `against`: files or versions; `bot`: whose next version a file is."""

    seed: int = 0
    bot: str | None = None
    game_folder: str | None = None
    trusted: bool = False
    sandbox: str | None = None
    jobs: int = 0


def read_parameters(words: Iterable[str]) -> tuple[Parameter, ...]:
    """Read the ranges of --param. Raises UsageFault, also for a range that is empty or backwards."""
    parameters = tuple(read_parameter(word) for word in words)
    if not parameters:
        raise UsageFault(f"name the parameters to be tuned with --param, each with its range: {WRITTEN}")
    names = [parameter.name for parameter in parameters]
    for name in names:
        if names.count(name) > 1:
            raise UsageFault(f"the parameter {shortened(name)} comes twice")
    if len(parameters) > MOST:
        raise UsageFault(f"there are {len(parameters)} parameters; {MOST} can be tuned at once")
    for place in (0.0, 1.0):
        check_params({parameter.name: parameter.text_at(place) for parameter in parameters})
    return parameters


def read_parameter(word: str) -> Parameter:
    name, equals, text = word.partition("=")
    if not equals or not text:
        raise UsageFault(f"--param {shortened(word)} has no range: {WRITTEN}")
    if ".." not in text:
        return choice_of(name, text)
    text, _, ending = text.partition(":")
    low_text, _, high_text = text.partition("..")
    low, high = number_in(low_text), number_in(high_text)
    endings = {"", *set(ParameterKind) - {ParameterKind.CHOICE}}
    if low is None or high is None or math.isinf(high - low) or ending not in endings:
        raise UsageFault(f"--param {shortened(word)} is not a range: {WRITTEN}")
    if low >= high:
        what = "is empty" if low == high else f"is backwards: write {name}={high_text}..{low_text}"
        raise UsageFault(f"the range {shortened(word)} {what}")
    are_whole = low_text.lstrip("-").isdecimal() and high_text.lstrip("-").isdecimal()
    kind = ParameterKind(ending) if ending else ParameterKind.INT if are_whole else ParameterKind.FLOAT
    if kind is ParameterKind.INT and not are_whole:
        raise UsageFault(f"the range {shortened(word)} has ends that are not whole numbers")
    if kind is ParameterKind.LOG and low <= 0:
        raise UsageFault(f"the range {shortened(word)} has to begin above 0, as steps of a log range are factors")
    return Parameter(name, kind, low, high)


def choice_of(name: str, text: str) -> Parameter:
    choices = tuple(text.split(","))
    if len(choices) < 2 or len(set(choices)) < len(choices) or "" in choices:
        raise UsageFault(f"--param {shortened(f'{name}={text}')} is not a range: {WRITTEN}")
    return Parameter(name, ParameterKind.CHOICE, 0.0, len(choices) - 1.0, choices)


def number_in(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


@immutable
class TuneStart:
    """Where a tune begins: a place for each parameter. `unknown`: names of which nobody said a value: the middle."""

    places: tuple[float, ...]
    unknown: tuple[str, ...]


def start_of(parameters: Sequence[Parameter], params: Params, start: Mapping[str, str]) -> TuneStart:
    """Return the start. `params`: what the version was submitted with; `start`: of --start. Raises UsageFault."""
    names = [parameter.name for parameter in parameters]
    for name in start:
        if name not in names:
            raise UsageFault(f"--start {shortened(name)}: no --param of that name is tuned")
    values = {**params, **start}
    places = tuple(one.place_of(values[one.name]) if one.name in values else 0.5 for one in parameters)
    return TuneStart(places, tuple(name for name in names if name not in values))
