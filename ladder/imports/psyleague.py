"""A folder of psyleague: `psyleague.cfg` (TOML), `psyleague.db` (a line for each bot), `psyleague.games` (JSON lines).

How this works. psyleague rates the matches in the order in which its file of games holds them, with the defaults of the
package `trueskill` but for the two numbers in its configuration. A bot that is removed there takes its games along, and
the rest is rated again; so the file of games always leads to the ratings that its file of bots has.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any

from engine.conversation import MOST_PLAYERS
from engine.errors import UsageFault
from ladder.choices import RatingSystem
from ladder.imports import foreign
from ladder.imports.foreign import ForeignBot, ForeignLeague, ForeignMatch, SourceFolder
from ladder.ratings.models import Rating, RatingSettings

ORIGIN = "psyleague"
CONFIGURATION = "psyleague.cfg"
FILES = {"file_db": "psyleague.db", "file_games": "psyleague.games", "dir_bots": "bots"}
COMMANDS = ("cmd_bot_setup", "cmd_play_game")
SETTINGS = ("n_workers", "n_players", "mm_min_matches", "mm_min_matches_preference", "model", "draw_prob", "tau")
NO_DESCRIPTION = "n/a"
LARGEST = 1e9
DATE = "%Y-%m-%d %H-%M-%S"


def read(folder: Path, labels: Mapping[str, str]) -> ForeignLeague:
    """Read a folder. `labels`: see ladder.imports.foreign. Raises UsageFault, which names what is broken."""
    foreign.require_file(folder, ORIGIN, foreign.path_inside(folder, CONFIGURATION))
    configuration = foreign.read_toml(folder / CONFIGURATION)
    bots_file, games_file, sources = (
        foreign.path_inside(folder, text_of(configuration, key, FILES[key], folder)) for key in FILES
    )
    foreign.require_file(folder, ORIGIN, bots_file)
    bots = read_bots(bots_file, SourceFolder(sources, labels))
    matches = read_games(games_file) if games_file.exists() else ()
    if matches and not bots:
        raise UsageFault(f"{bots_file} is empty: perhaps {ORIGIN} is just writing it; nothing is imported")
    return ForeignLeague(
        ORIGIN,
        file=bots_file.name,
        bots=bots,
        matches=matches,
        players=tuple(sorted({len(match.players) for match in matches})),
        written_at=foreign.written_at(games_file) if matches else None,
        rating=rating_of(configuration),
        commands={key: str(configuration[key]) for key in COMMANDS if key in configuration},
        settings={key: str(configuration[key]) for key in SETTINGS if key in configuration},
    )


def text_of(configuration: Mapping[str, Any], key: str, otherwise: str, folder: Path) -> str:
    value = configuration.get(key, otherwise)
    if not isinstance(value, str) or not value or "\0" in value:
        raise UsageFault(f"{folder / CONFIGURATION}: {key} must name a file; nothing is imported")
    return value


def rating_of(configuration: Mapping[str, Any]) -> RatingSettings | None:
    tau, draws = configuration.get("tau"), configuration.get("draw_prob")
    if (
        configuration.get("model") == "trueskill"
        and isinstance(tau, int | float)
        and isinstance(draws, int | float)
        and 0 <= tau <= LARGEST
        and 0 <= draws < 1
    ):
        return RatingSettings(system=RatingSystem.TRUESKILL, tau=float(tau), draw_probability=float(draws))
    return None


def read_bots(path: Path, sources: SourceFolder) -> tuple[ForeignBot, ...]:
    bots: dict[str, ForeignBot] = {}
    for number, line in foreign.numbered_lines(path):
        try:
            bot = bot_of(line, sources)
        except (ValueError, OverflowError) as error:
            raise foreign.line_fault(path, number, f"no bot as psyleague writes them ({error})") from error
        if bot.name in bots:
            raise foreign.line_fault(path, number, f"a second bot {bot.name}")
        bots[bot.name] = bot
    return tuple(bots.values())


def bot_of(line: str, sources: SourceFolder) -> ForeignBot:
    """Read a bot's line: `name : description : mu : sigma : games : errors : active : date`. Raises ValueError."""
    words = [word.strip() for word in line.rsplit(":", 6)]
    name, colon, note = (word.strip() for word in words[0].partition(":"))
    if len(words) != 7 or not (name and colon):
        raise ValueError(f"{line.count(':') + 1} parts instead of 8")
    rating = Rating(float(words[1]), float(words[2]))
    if not (isfinite(rating.mu) and isfinite(rating.sigma)):
        raise ValueError("a rating that is not a number")
    _games, _errors, is_active = (int(word) for word in words[3:6])
    note = "" if note == NO_DESCRIPTION else note
    created_at = datetime.strptime(words[6], DATE).astimezone()
    source = sources.source_of(name)
    return ForeignBot(name, note, created_at, source=source, rating=rating, is_active=bool(is_active))


def read_games(path: Path) -> tuple[ForeignMatch, ...]:
    games: list[dict[str, Any]] = []
    for number, line in foreign.numbered_lines(path):
        try:
            game = json.loads(line)
            check_game(game)
        except (ValueError, RecursionError) as error:
            raise foreign.line_fault(path, number, f"no game as psyleague writes them ({error})") from error
        games.append(game)
    keys = foreign.keys_of([json.dumps(game, sort_keys=True) for game in games])
    return tuple(match_of(game, key) for game, key in zip(games, keys, strict=True))


class NoGame(ValueError):
    """A line of the file of games is none."""


def check_game(game: Any) -> None:
    if not isinstance(game, dict):
        raise NoGame("no object")
    for key in ("players", "ranks", "errors"):
        if not isinstance(game.get(key), list):
            raise NoGame(f"{key} must be a list")
    players, ranks, errors = game["players"], game["ranks"], game["errors"]
    if not all(isinstance(player, str) and player for player in players):
        raise NoGame("players must be names")
    "".join(players).encode()  # halves of characters raise an error that says so
    if not 2 <= len(players) <= MOST_PLAYERS or len(set(players)) < len(players):
        raise NoGame(f"players must be 2 to {MOST_PLAYERS} different ones")
    if not (len(ranks) == len(errors) == len(players)) or not all(map(is_number, chain(ranks, errors))):
        raise NoGame("ranks and errors must be numbers, one for each player")
    test_data, player_data = game.get("test_data", {}), game.get("player_data", [])
    if not isinstance(test_data, dict) or not isinstance(player_data, list):
        raise NoGame("test_data must be an object, and player_data a list of objects")
    if len(player_data) not in {0, len(players)} or not all(isinstance(data, dict) for data in player_data):
        raise NoGame("player_data must be a list of objects, one for each player")


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def match_of(game: Mapping[str, Any], key: str) -> ForeignMatch:
    test_data = game.get("test_data", {})
    player_data = game.get("player_data") or [{}] * len(game["players"])
    seed = foreign.seed_of(test_data.get("seed"))
    if seed is not None:
        test_data = {name: value for name, value in test_data.items() if name != "seed"}
    return ForeignMatch(
        key,
        players=tuple(game["players"]),
        ranks=tuple(game["ranks"]),
        faults=tuple(bool(error) for error in game["errors"]),
        metrics=tuple(foreign.metrics_from(test_data, data) for data in player_data),
        seed=seed,
    )
