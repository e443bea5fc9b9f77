"""What is known of a game whose referee is a program, as lines for people."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.conversation import UNFAIR
from engine.referees.program import ProtocolKind, RepeatedBy

if TYPE_CHECKING:
    from engine.game import Game
    from engine.referees.program import RefereeProgram

REPEATED = {
    RepeatedBy.SEED: "the same seed is the same match",
    RepeatedBy.PARAMETERS: "a match is repeated by the parameters that the referee gives back, which are stored",
    RepeatedBy.NOTHING: "no match can be repeated: no pairs on one seed, no gauntlet against a baseline, no replay",
}


def players_words(game: Game) -> str:
    first, last = game.players[0], game.players[-1]
    if len(game.players) > 2 and len(game.players) == last - first + 1:
        return f"{first} to {last} players"
    return f"{' or '.join(map(str, game.players))} players"


def referee_lines(game: Game) -> Iterator[str]:
    program = game.program
    if program is None:
        return
    yield f"{game.title}: {players_words(game)}; its referee is a program of its own"
    yield f"  command     {shlex.join(program.command)}"
    yield f"  protocol    {protocol_words(program)}"
    yield f"  files       {game.edition} ({', '.join(program.files) or 'none but game.toml'})"
    if program.needs:
        yield f"  needs       {', '.join(program.needs)}"
    yield f"  rules       {', '.join(f'{league.title} by level {league.rules_level}' for league in game.leagues)}"
    yield f"  limits      {limits_words(program)}"
    if program.parameters:
        yield f"  parameters  {', '.join(f'{key}={value}' for key, value in program.parameters)}"
    if program.fault_line is not None:
        yield f"  fault line  {program.fault_line}"
    yield f"  seeds       {seed_words(program)}; {REPEATED[program.repeated_by]}"
    if not program.proven:
        yield f"  unproven    `ladder game check {game.name} --bots A B` finds out whether this is so"


def protocol_words(program: RefereeProgram) -> str:
    if program.kind is ProtocolKind.COMMAND:
        return f"command: {UNFAIR}"
    return program.kind.value


def limits_words(program: RefereeProgram) -> str:
    if program.starts_bots:
        return f"{program.bounds.match_s} s for the whole match"
    if program.limits is not None:
        return f"{program.limits.first_ms} ms for a first answer, {program.limits.turn_ms} ms for each later one"
    if program.kind is ProtocolKind.SDK:
        return "the referee's own" + (", from a bank of time" if program.has_time_bank else "")
    return "1000 ms for a first answer, 100 ms for each later one"


def seed_words(program: RefereeProgram) -> str:
    return f"{program.seed_bits} bits" if program.seed_bits else "it knows none"
