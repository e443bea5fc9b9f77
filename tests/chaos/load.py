"""The load: people who hand in bots by `ladder submit` all the time, whatever happens to the ladder meanwhile.

A submission counts as accepted when the command says so by its exit status. After any other they try again, as people
do; what was kept all the same is then refused as submitted before.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from cli.status import ExitStatus
from engine.games import GAMES
from tests.chaos.victim import Stuck, Victim

GAME = GAMES["ocean-of-code"]
FILES = ("drifter_v1.py", "drifter.py", "gunner_v1.py", "tracker_v1.py")
PLAYERS = ("ada", "ben", "cleo", "dan", "eve", "finn")
BATTLES = 6
"""Of each version in each league."""
PAUSE_S = 0.5
LADDER = Path(sys.executable).with_name("ladder")


@dataclass(frozen=True, slots=True)
class Accepted:
    """A submission of which the submitter knows that it is kept."""

    version_id: int
    name: str
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
    _over: threading.Event = field(default_factory=threading.Event)
    _now: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def begin(self) -> None:
        """Submit from now on, in the background."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def submit_now(self) -> None:
        """Let the next submission come soon, however many matches wait."""
        self._now.set()

    def wait(self) -> None:
        """Wait until all that may be submitted is."""
        if self._thread is not None:
            self._thread.join()

    def end(self) -> None:
        """Finish the submission that is under way, and submit no more."""
        self._over.set()
        self.wait()

    def _run(self) -> None:
        while not self._over.is_set() and len(self.accepted) < self.most:
            if self._now.is_set() or self._waiting() < self.enough:
                self._now.clear()
                self._submit(len(self.sources))
            self._over.wait(PAUSE_S)

    def _waiting(self) -> int:
        try:
            return int(self.victim.ask("SELECT count(*) FROM matches WHERE state IN ('queued', 'running')")[0][0])
        except Stuck:
            return self.enough

    def _submit(self, number: int) -> None:
        """Hand in a variation of a house bot, again and again until it is kept."""
        file = FILES[number % len(FILES)]
        source = (GAME.bots_folder / file).read_text("utf-8") + f"\n# variation {number}\n"
        player = self.chance.choice(PLAYERS)
        bot = f"{player}-{self.chance.randrange(2)}"
        path = self.victim.folder / f"{bot}.py"
        path.write_text(source)
        self.sources.add(source)
        while True:
            version_id, status = self._try(path, player)
            if version_id is not None:
                self.accepted.append(Accepted(version_id, bot, source))
            if status in {ExitStatus.OK, ExitStatus.REFUSED} or self._over.wait(PAUSE_S):
                return

    def _try(self, path: Path, player: str) -> tuple[int | None, int]:
        """Run the command once; return the version's id, if it was accepted, and the exit status."""
        self.tries += 1
        command = [str(LADDER), "submit", str(path), "--game", GAME.name, "--json"]
        variables = {"LADDER_HOME": str(self.victim.home.folder), "LADDER_PLAYER": player}
        done = subprocess.run(command, capture_output=True, env={**os.environ, **variables}, check=False)
        if done.returncode == ExitStatus.OK:
            return int(json.loads(done.stdout)["id"]), ExitStatus.OK
        return None, done.returncode
