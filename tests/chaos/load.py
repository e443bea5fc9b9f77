"""The load: people who hand in bots by `ladder submit` all the time, whatever happens to the ladder meanwhile.

They play two games, one for two players and one for three. Now and then one begins a gauntlet or asks for battles.

A submission counts as accepted when the command says so by its exit status. After any other they try again, as people
do; what was kept all the same is then refused as submitted before.
"""

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from cli.answer import ExitStatus
from ladder.ids import VersionId
from tests.catalogue import GAMES
from tests.chaos import game_of_three
from tests.chaos.victim import Stuck, Victim

GAME = GAMES.find("ocean-of-code")
FILES = ("drifter_v1.py", "drifter.py", "gunner_v1.py", "tracker_v1.py")
PLAYERS = ("ada", "ben", "cleo", "dan", "eve", "finn")
BATTLES = 6
"""Of each version in each league."""
PAUSE_S = 0.5
PAIRS: Mapping[str, int] = {GAME.name: 6, game_of_three.NAME: 1}
"""Of each gauntlet that is played meanwhile."""
FIRST = (GAME.name, *[game_of_three.NAME] * game_of_three.PLAYERS)
"""The games of the first bots: enough for matches of both. Later the games take turns."""
REQUESTS = 2
ASKED: Mapping[str, int] = {GAME.name: 4, game_of_three.NAME: 2}
"""This many battles somebody asks for so often; they rate nobody."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A submission of which the submitter knows that it is kept."""

    version_id: VersionId
    game: str
    name: str
    version: str
    source: str


@dataclass
class Load:
    """Submits whenever fewer than `enough` matches wait. `tries`: all commands that were run."""

    victim: Victim
    chance: Random
    enough: int
    most: int
    accepted: list[Accepted] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)
    tries: int = 0
    gauntlets: dict[str, int] = field(default_factory=dict)
    requests: list[int] = field(default_factory=list)
    _over: threading.Event = field(default_factory=threading.Event)
    _now: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def begin(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def submit_now(self) -> None:
        self._now.set()

    def wait_for(self, count: int) -> None:
        while len(self.accepted) < min(count, self.most):
            self.submit_now()
            time.sleep(PAUSE_S)

    def wait(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def end(self) -> None:
        self._over.set()
        self.wait()

    def _run(self) -> None:
        while not self._over.is_set() and len(self.accepted) < self.most:
            if self._now.is_set() or self._waiting() < self.enough:
                self._now.clear()
                self._submit(len(self.sources))
                self._begin_gauntlets()
            if len(self.requests) < REQUESTS:
                self._ask_for_battles()
            self._over.wait(PAUSE_S)

    def _waiting(self) -> int:
        try:
            return int(self.victim.ask("SELECT count(*) FROM matches WHERE state IN ('queued', 'running')")[0][0])
        except Stuck:
            return self.enough

    def _submit(self, number: int) -> None:
        """Hand in a variation of a bot, again and again until it is kept."""
        game = FIRST[number] if number < len(FIRST) else (GAME.name, game_of_three.NAME)[number % 2]
        source = f"{source_for(game, number)}\n# variation {number}\n"
        player = PLAYERS[number % len(PLAYERS)] if number < len(FIRST) else self.chance.choice(PLAYERS)
        bot = f"{player}-{self.chance.randrange(2)}"
        path = self.victim.folder / f"{bot}.py"
        path.write_text(source)
        self.sources.add(source)
        while True:
            told, status = self._try("submit", str(path), "--game", game, player=player)
            if told is not None:
                self.accepted.append(Accepted(VersionId(int(told["id"])), game, bot, str(told["version"]), source))
            if status in {ExitStatus.OK, ExitStatus.REFUSED} or self._over.wait(PAUSE_S):
                return

    def _begin_gauntlets(self) -> None:
        """In each game, let the second version play a gauntlet against the first, asking until it is begun."""
        for game, pairs in PAIRS.items():
            first, second, *_ = [*self._versions_of(game), "", ""]
            words = [second, "--against", first, "--game", game, "--pairs", str(pairs), "--detach"]
            while second and game not in self.gauntlets and not self._over.is_set():
                told, _ = self._try("gauntlet", "run", *words, player=PLAYERS[0])
                if told is not None:
                    self.gauntlets[game] = int(told["gauntlet"])
                else:
                    self._over.wait(PAUSE_S)

    def _versions_of(self, game: str) -> list[str]:
        return [one.version for one in self.accepted if one.game == game]

    def _ask_for_battles(self) -> None:
        """Ask once for battles between the first bots, which are refused while they are on no common board."""
        game, seats = (GAME.name, 2) if self.requests else (game_of_three.NAME, game_of_three.PLAYERS)
        names = list(dict.fromkeys(one.name for one in self.accepted if one.game == game))[:seats]
        if len(names) == seats:
            words = [*names, "--game", game, "--battles", str(ASKED[game])]
            told, _ = self._try("match", "request", *words, player=PLAYERS[1])
            if told is not None:
                self.requests.append(int(told["id"]))

    def _try(self, *words: str, player: str) -> tuple[dict[str, Any] | None, int]:
        self.tries += words[0] == "submit"
        done = self.victim.run(*words, "--json", player=player)
        return (json.loads(done.stdout) if done.returncode == ExitStatus.OK else None), done.returncode


def source_for(game: str, number: int) -> str:
    if game == game_of_three.NAME:
        return game_of_three.BOT
    return (GAME.bots_folder / FILES[number % len(FILES)]).read_text("utf-8")
