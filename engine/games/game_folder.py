"""From a folder with a `game.toml` to a `Game`: each thing that is wrong with one is a sentence with file and key.

How this works. `game.toml` is checked key by key, and the files that it names have to be there. Then the file that its
key `referee` names is imported, as a module of a package made of the folder: so it may import its neighbours by
`from .board import ...`. It defines `referee`, and `map_facts` and `draw_map` where a seed gives a map.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.conversation import FOR_TWO, MOST_PLAYERS, SeatOrders, TimeLimits
from engine.errors import GameFault, plain_words
from engine.frames import TextDrawing
from engine.game import Game, GameLeague, GameMaps, Pictures
from engine.text import shortened

TABLE = "game.toml"
FRAMES = "frames.py"
TEXT_DRAWING = "draw.py"
NAME = re.compile("[a-z0-9][a-z0-9-]{0,38}")
"""What a game or a league may be called."""
CAPABILITIES = ("golden", "secrets", "starters")
"""What a game has in files of its own or, in the key `lacks`, says that it does not have."""
KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "a table"}


def load_game(folder: Path, package: str | None = None) -> Game:
    """`package`: under which name its modules can be imported, if under any. Raises GameFault, naming file and key."""
    table = GameTable(folder / TABLE)
    if table.is_table("referee"):
        raise table.fault("referee", "is a program's table: such a game is added by `ladder game add`")
    name, title = table.name("name"), table.text("title")
    draw_probability = table.share("draw_probability")
    most_asks = table.number("most_asks_per_seat")
    limits = TimeLimits(table.number("first_limit_ms"), table.number("turn_limit_ms"))
    lacks = frozenset(table.words("lacks", CAPABILITIES))
    rules_version = table.number("rules_version", 1)
    players = table.players("players") if table.has("players") else FOR_TWO
    weights = read_weights(table, players)
    orders = SeatOrders(table.word("seat_orders", tuple(SeatOrders), SeatOrders.ROTATIONS))
    file = table.file("referee", folder / table.text("referee"))
    rows = table.rows("leagues")
    table.refuse_others()
    leagues = read_leagues(rows, folder)
    for row, league in zip(rows, leagues, strict=True):
        row.file("rules_level", folder / "statement" / f"level-{league.rules_level}.md")
    package = package or package_of(folder)
    module = import_referee(table, file, package)
    referee = function_of(module, "referee", table)
    maps = None
    if any(hasattr(module, name) for name in ("map_facts", "draw_map")):
        maps = GameMaps(function_of(module, "map_facts", table), function_of(module, "draw_map", table))
    return Game(
        name,
        title,
        folder,
        leagues,
        draw_probability=draw_probability,
        most_asks_per_seat=most_asks,
        limits=limits,
        referee=referee,
        maps=maps,
        lacks=lacks,
        rules_version=rules_version,
        pictures=partial(load_pictures, folder, package),
        text_drawing=partial(load_text_drawing, folder, package),
        players=players,
        player_weights=weights,
        seat_orders=orders,
    )


def load_pictures(folder: Path, package: str) -> Pictures | None:
    """It is imported only now: most commands show no match."""
    if (module := import_optional(folder / FRAMES, package, "frames")) is None:
        return None
    return Pictures(module.frames, getattr(module, "knowledge", None), getattr(module, "unused", None))


def load_text_drawing(folder: Path, package: str) -> TextDrawing | None:
    module = import_optional(folder / TEXT_DRAWING, package, "rows", "facts")
    return None if module is None else TextDrawing(module.rows, module.facts, getattr(module, "LEGEND", {}))


def import_optional(path: Path, package: str, *functions: str) -> ModuleType | None:
    """Return None where a game has not that file. Raises GameFault, also where a function is missing."""
    if not path.is_file():
        return None
    try:
        module = import_module(f"{package}.{path.stem}")
    except (Exception, SystemExit) as error:
        raise GameFault(f"{path} cannot be imported ({type(error).__name__}: {plain_words(error)})") from error
    for name in functions:
        if not callable(getattr(module, name, None)):
            raise GameFault(f"{path} defines no function {name}")
    return module


def read_leagues(
    rows: Sequence[GameTable], folder: Path, level: int | None = None, battles: int | None = None
) -> tuple[GameLeague, ...]:
    """`level`, of their rules, `battles`: where the file does not say; None: it has to. Raises GameFault."""
    leagues = tuple(read_league(row, folder, level, battles) for row in rows)
    for name, count in Counter(league.name for league in leagues).items():
        if count > 1:
            raise GameFault(f"{rows[0].path}: two leagues have the name {name!r}")
    return leagues


def read_league(table: GameTable, folder: Path, level: int | None, battles: int | None) -> GameLeague:
    name, title = table.name("name"), table.text("title")
    level, battles = table.number("rules_level", level), table.number("battles", battles)
    boss, parts = table.text_if_any("boss"), []
    if boss is not None:
        table.file("boss", folder / "bots" / boss)
        parts = [word.partition("=") for word in table.texts("boss_params")]
    if not all(value for _, _, value in parts):
        raise table.fault("boss_params", "holds one without a value: write it as in DEPTH=6")
    table.refuse_others()
    return GameLeague(name, title, level, battles, boss, {name: value for name, _, value in parts})


def read_weights(table: GameTable, players: tuple[int, ...]) -> tuple[float, ...]:
    """Return () where the file does not say. Raises GameFault."""
    if not table.has("player_weights"):
        return ()
    weights = table.take("player_weights", list)
    if len(weights) != len(players) or not all(type(weight) in (int, float) and weight > 0 for weight in weights):
        raise table.fault("player_weights", f"must have {len(players)} numbers above 0: one for each of `players`")
    return tuple(map(float, weights))


class GameTable:
    """A table of `game.toml`, from which each key is taken once. Every method raises GameFault with file and key."""

    def __init__(self, path: Path, values: dict[str, Any] | None = None, inside: str = "") -> None:
        """Read the file, or take a table inside it; `inside` is then how sentences call it."""
        self.path, self._inside, self._taken = path, inside, set[str]()
        self._values = read_toml(path) if values is None else values

    def has(self, key: str) -> bool:
        self._taken.add(key)
        return key in self._values

    def is_table(self, key: str) -> bool:
        return isinstance(self._values.get(key), dict)

    def fault(self, key: str, why: str) -> GameFault:
        return GameFault(f"{self.path}: {key}{self._inside} {why}")

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        """`default`: where the key is missing; None: it may not be."""
        if not self.has(key):
            if default is None:
                raise self.fault(key, "is missing")
            return default
        value = self._values[key]
        fits = isinstance(value, (int, float) if kind is float else kind)
        if not fits or (isinstance(value, bool) and kind is not bool):
            raise self.fault(key, f"is {shortened(str(value))}; it must be {KINDS[kind]}")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        text = str(self.take(key, str, default))
        if not text.strip():
            raise self.fault(key, "is empty")
        return text

    def text_if_any(self, key: str) -> str | None:
        return self.text(key) if self.has(key) else None

    def name(self, key: str) -> str:
        name = self.text(key)
        if not NAME.fullmatch(name):
            raise self.fault(key, f"is {name!r}; it must be of small letters, digits and hyphens, at most 39")
        return name

    def number(self, key: str, default: int | None = None) -> int:
        number = int(self.take(key, int, default))
        if not 1 <= number <= 1_000_000:
            raise self.fault(key, f"is {number}; it must be from 1 to 1000000")
        return number

    def share(self, key: str, default: float | None = None) -> float:
        share = float(self.take(key, float, default))
        if not 0 < share < 1:
            raise self.fault(key, f"is {share}; it must be above 0 and below 1")
        return share

    def words(self, key: str, choices: tuple[str, ...]) -> list[str]:
        words = list(self.take(key, list, []))
        if unknown := [word for word in words if word not in choices]:
            raise self.fault(key, f"holds {unknown[0]!r}; known: {', '.join(choices)}")
        return words

    def players(self, key: str) -> tuple[int, ...]:
        numbers = self.take(key, list)
        if not numbers or not all(type(number) is int and 2 <= number <= MOST_PLAYERS for number in numbers):
            raise self.fault(key, f"is {numbers}; it must be a list of numbers from 2 to {MOST_PLAYERS}")
        return tuple(sorted(set(numbers)))

    def word(self, key: str, choices: Sequence[str], default: str | None) -> str:
        if (word := self.text(key, default)) not in choices:
            raise self.fault(key, f"is {word!r}; known: {', '.join(choices)}")
        return word

    def among(self, key: str, choices: Sequence[int], default: int) -> int:
        if (number := int(self.take(key, int, default))) not in choices:
            raise self.fault(key, f"is {number}; it must be one of: {', '.join(map(str, choices))}")
        return number

    def truth(self, key: str, *, default: bool) -> bool:
        return bool(self.take(key, bool, default))

    def texts(self, key: str) -> list[str]:
        texts = self.take(key, list, [])
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise self.fault(key, "must be a list of texts")
        return list(texts)

    def table(self, key: str) -> GameTable:
        return GameTable(self.path, self.take(key, dict), f" of [{key}]")

    def rows(self, key: str) -> list[GameTable]:
        rows = self.take(key, list)
        if not rows or not all(isinstance(row, dict) for row in rows):
            raise self.fault(key, f"must be one or more tables, each begun by [[{key}]]")
        return [GameTable(self.path, row, f" of the {number}. {key[:-1]}") for number, row in enumerate(rows, 1)]

    def file(self, key: str, path: Path) -> Path:
        if not path.is_file():
            raise self.fault(key, f"names {path}, and no such file is there")
        return path

    def refuse_others(self) -> None:
        if others := [key for key in self._values if key not in self._taken]:
            raise self.fault(others[0], f"is not a known key; known: {', '.join(sorted(self._taken))}")


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise GameFault(f"{path} cannot be read: {plain_words(error)}") from error


def package_of(folder: Path) -> str:
    name = f"ladder_game{re.sub('[^0-9A-Za-z]', '_', str(folder.resolve()))}"
    if name not in sys.modules:
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        sys.modules[name] = module_from_spec(spec)
    return name


def import_referee(table: GameTable, path: Path, package: str) -> ModuleType:
    if path.suffix != ".py" or not path.stem.isidentifier():
        raise table.fault("referee", f"is {path.name!r}; it must be a Python module's file, such as referee.py")
    try:
        return import_module(f"{package}.{path.stem}")
    except (Exception, SystemExit) as error:
        words = f"{type(error).__name__}: {plain_words(error)}"
        raise table.fault("referee", f"names {path}, which cannot be imported ({words})") from error


def function_of(module: ModuleType, name: str, table: GameTable) -> Any:
    function = getattr(module, name, None)
    if not callable(function):
        raise table.fault("referee", f"names {module.__file__}, which defines no function {name}")
    return function
