"""That no player is shown what it must not see.

How this works. A game lists in its `hidden.toml` what is hidden: ways to play a seat that the other player must not be
able to distinguish. Every way is played against the same opponent, who has to be asked exactly the same each time.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, product, repeat

from engine.conversation import Ask, Outcome, Referee
from engine.errors import GameFault, plain_words
from engine.game import Game
from engine.match import MatchSpec, led_by


@dataclass(frozen=True, slots=True)
class Secret:
    """Something hidden: `ways`, all lines of a seat, between which an opponent who says `opponent` sees no difference.

    The last line of `opponent` is said again and again.
    """

    what: str
    levels: tuple[int, ...]
    seed: int
    ways: tuple[tuple[str, ...], ...]
    opponent: tuple[str, ...]


def secrets_of(game: Game) -> tuple[Secret, ...]:
    """Read what a game hides. Raises GameFault, which names the file and the key that is wrong."""
    path = game.folder / "hidden.toml"
    try:
        table = tomllib.loads(path.read_text("utf-8-sig"))
        return tuple(
            Secret(
                row["what"],
                tuple(row["levels"]),
                table["seed"],
                tuple((*row.get("before", ()), way, *row.get("after", ())) for way in row["ways"]),
                tuple(row.get("opponent", table["opponent"])),
            )
            for row in table["secrets"]
        )
    except KeyError as missing:
        raise GameFault(f"{path}: {missing.args[0]} is missing") from missing
    except (OSError, ValueError, TypeError) as error:
        raise GameFault(f"{path} cannot be read as a list of secrets: {plain_words(error)}") from error


def given_away(game: Game) -> Iterator[str]:
    """Complain about each secret that shows in what the opponent is asked. Raises GameFault."""
    for secret in secrets_of(game):
        for level, players in product(secret.levels, game.players):
            for seat in range(players):
                first, *others = (heard for heard, _ in played(game, secret, level, seat, players))
                for way, heard in zip(secret.ways[1:], others, strict=True):
                    if heard != first:
                        yield f"{secret.what}, level {level}, seat {seat}: the opponent can distinguish {way}"


def played(game: Game, secret: Secret, level: int, seat: int, players: int = 2) -> Iterator[tuple[list[Ask], Outcome]]:
    """Play all ways in a seat, one after another."""
    for way in secret.ways:
        referee = led_by(MatchSpec(game, level, secret.seed, players=players))
        yield overheard(referee, seat, way, secret.opponent, players)


def overheard(
    referee: Referee, seat: int, lines: tuple[str, ...], opponent: tuple[str, ...], players: int = 2
) -> tuple[list[Ask], Outcome]:
    """Let a seat say its lines and then nothing; return what the others were asked until then, and the end."""
    said = {other: chain(opponent, repeat(opponent[-1])) for other in range(players)} | {seat: iter(lines)}
    heard: list[Ask] = []
    try:
        ask = next(referee)
        while True:
            if ask.seat != seat:
                heard.append(ask)
            ask = referee.send(next(said[ask.seat], None))
    except StopIteration as end:
        return heard, end.value
