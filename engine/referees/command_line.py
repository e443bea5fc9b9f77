"""The words of a command that plays a whole match: what stands in them for the seed and for the bots.

How this works. Two tools have such commands, and each has its own signs. cgarena: `{SEED}`, `{PLAYERS}` for the
commands of all bots, a word each, and `{P1}`, `{P2}` ... for that of one. psyleague: `%P1%`, `%P2%` ... for the name of
one, `%DIR%` for the folder where they are, and a word with `%ALL_PLAYERS%` stands there once for each of them. Here a
bot's command is a program without arguments, in one folder with the others. So either way the word is the path of a
program, and what follows a name, as `.exe`, is part of the file's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

FOLDER = "/players"
REPLAY = "/tmp/replay"  # noqa: S108 - of a box, where nobody else is
SEED = ("{SEED}", "%SEED%")
EVERY_PATH, EVERY_NAME = "{PLAYERS}", "%ALL_PLAYERS%"
ONE = re.compile(r"\{P([1-9])\}|%P([1-9])%")
ENDING = re.compile(r"%(?:P[1-9]|ALL_PLAYERS)%([\w.-]*)")


def takes_seed(words: Sequence[str]) -> bool:
    return any(sign in word for word in words for sign in SEED)


def why_unfit(words: Sequence[str], players: Sequence[int]) -> str | None:
    """Return None where it can play matches of all these numbers of players."""
    named = {int(found[1] or found[2]) for word in words for found in ONE.finditer(word)}
    if any(sign in word for word in words for sign in (EVERY_PATH, EVERY_NAME)):
        return None
    if not named:
        return "names no bot: {PLAYERS} or %ALL_PLAYERS% stands for all of them, {P1} or %P1% for the first"
    if named != set(range(1, players[-1] + 1)) or len(players) > 1:
        numbers = " or ".join(map(str, players))
        return (
            f"names the bots {', '.join(map(str, sorted(named)))}, and its matches have {numbers}: "
            "{PLAYERS} or %ALL_PLAYERS% stands for all of them"
        )
    return None


def name_of(seat: int) -> str:
    """p1 in seat 0."""
    return f"p{seat + 1}"


def endings(words: Sequence[str]) -> set[str]:
    """What follows the names of bots; "" also where nothing does."""
    return {"", *(found[1] for word in words for found in ENDING.finditer(word))}


def filled(words: Sequence[str], seed: int, players: int) -> tuple[str, ...]:
    return tuple(one for word in words for one in _filled(word, seed, players))


def _filled(word: str, seed: int, players: int) -> Iterator[str]:
    seats = range(players) if EVERY_PATH in word or EVERY_NAME in word else [0]
    for seat in seats:
        path = f"{FOLDER}/{name_of(seat)}"
        one = word.replace(EVERY_PATH, path).replace(EVERY_NAME, name_of(seat))
        one = ONE.sub(lambda found: f"{FOLDER}/p{found[1]}" if found[1] else f"p{found[2]}", one).replace(
            "%DIR%", FOLDER
        )
        one = one.replace("{PLAYER_COUNT}", str(players)).replace("{REPLAY_PATH}", REPLAY)
        for sign in SEED:
            one = one.replace(sign, str(seed))
        yield one
