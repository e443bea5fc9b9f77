"""The game's own bots play here, in the sandbox: each boss and each starter has to pass its trial match."""

from __future__ import annotations

from pathlib import Path

from engine.bot.conditions import OFFICIAL
from engine.conformance.finding import Finding
from engine.conformance.recording import LIMIT_MS, recorded
from engine.errors import BuildRefused, GameFault, MissingTool
from engine.game import Game
from engine.games.golden import MatchRecord
from engine.live.match import play
from engine.match import MatchSpec
from engine.sandbox.box import Sandbox
from engine.toolchains.build import Program, build, language_of
from engine.trial import SMOKE_SEED, smoke


def bosses_tried(game: Game, sandbox: Sandbox) -> tuple[Finding, tuple[MatchRecord, ...]]:
    """Let each boss play itself in its league. Returns what was found, and the records of what they said."""
    complaints: list[str] = []
    records: list[MatchRecord] = []
    for league in game.leagues:
        if league.boss is None:
            continue
        found, record = tried(game, league.rules_level, game.bots_folder / league.boss, sandbox)
        complaints += found
        records += record
    return Finding("bosses pass their trial matches", tuple(complaints)), tuple(records)


def starters_tried(game: Game, sandbox: Sandbox) -> Finding:
    """Let each starter play itself in the lowest league. Those whose language is not installed here are left out."""
    complaints: list[str] = []
    for path in sorted(path for path in game.folder.glob("starters/*") if path.is_file()):
        try:
            complaints += tried(game, game.leagues[0].rules_level, path, sandbox)[0]
        except MissingTool:
            continue
    return Finding("starters pass their trial matches", tuple(complaints))


def tried(game: Game, level: int, path: Path, sandbox: Sandbox) -> tuple[list[str], list[MatchRecord]]:
    """Try a bot against itself, with each number of players. Returns complaints, and the record of a match of each."""
    complaints: list[str] = []
    records: list[MatchRecord] = []
    try:
        program = build(path.read_text("utf-8"), language_of(path), sandbox)
        for players in game.players:
            complaint = smoke(program, MatchSpec(game, level, SMOKE_SEED, players=players), sandbox, OFFICIAL)
            complaints += [f"{path}: {complaint}"] if complaint else []
            records += [] if complaint else [recording(game, level, program, sandbox, players)]
    except (BuildRefused, GameFault) as fault:
        return [f"{path}: {fault}"], []
    return complaints, records


def recording(game: Game, level: int, program: Program, sandbox: Sandbox, players: int) -> MatchRecord:
    """Return the record of a match of a program against itself."""
    result = play(MatchSpec(game, level, SMOKE_SEED, LIMIT_MS, LIMIT_MS, players), [program] * players, sandbox)
    return recorded(result, "trial")
