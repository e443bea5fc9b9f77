"""All checks of a game by name. A check gives a sentence for each thing that is wrong, and none where all is well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.bot.conditions import OFFICIAL
from engine.conformance import rules
from engine.conformance.recording import LIMIT_MS, recorded
from engine.errors import BuildRefused, GameFault, MissingTool, UsageFault
from engine.game import Game
from engine.games.golden import MapRecord, MatchRecord, first_difference, map_difference, numbered_records
from engine.live import play
from engine.match import MatchSpec
from engine.sandbox.box import Sandbox
from engine.toolchains.build import build
from engine.toolchains.languages import language_of
from engine.toolchains.params import NO_PARAMS, Params, check_params, with_params
from engine.trial import SMOKE_SEED, smoke


@dataclass(frozen=True, slots=True)
class Capability:
    """`name`: as `lacks` has it; `title`: for people; `place`: where its files belong; `patterns`: of their paths."""

    name: str
    title: str
    place: str
    patterns: tuple[str, ...]

    def files(self, game: Game) -> list[Path]:
        return [path for pattern in self.patterns for path in sorted(game.folder.glob(pattern)) if path.is_file()]


GOLDEN = Capability("golden", "golden records", "golden.jsonl", ("golden.jsonl", "golden.jsonl.gz"))
STARTERS = Capability("starters", "starters", "starters/", ("starters/*",))
CAPABILITIES = (GOLDEN, Capability("secrets", "secrets", "hidden.toml", ("hidden.toml",)), STARTERS)


def contradictions(game: Game, capability: Capability) -> Iterator[str]:
    if bool(capability.files(game)) == (capability.name in game.lacks):
        table = game.folder / "game.toml"
        if capability.name in game.lacks:
            yield f'{table}: lacks names "{capability.name}", and {capability.place} is there'
        else:
            yield f'{table}: there is no {capability.place}: add it, or put "{capability.name}" into lacks'


def records_not_met(game: Game) -> Iterator[str]:
    path = next(iter(GOLDEN.files(game)), None)
    try:
        for line, record in numbered_records(path) if path else ():
            if record.game != game.name:
                yield f"{path}, line {line}: a record of {record.game}"
            elif isinstance(record, MapRecord):
                facts = game.maps_or_refuse().facts(record.seed, game.leagues[-1].rules_level)
                if difference := map_difference(record, facts):
                    yield f"{path}, line {line}: {difference}"
            elif difference := first_difference(record, game):
                yield f"{path}, line {line}: {difference}"
    except UsageFault as fault:
        yield str(fault)


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """`complaints` is empty where all is well; `lacks`: the game says that it has none of it."""

    check: str
    complaints: tuple[str, ...] = ()
    lacks: bool = False


def bosses_tried(game: Game, sandbox: Sandbox) -> tuple[CheckFinding, tuple[MatchRecord, ...]]:
    """Return also the records of what they said."""
    complaints: list[str] = []
    records: list[MatchRecord] = []
    for league in game.leagues:
        if league.boss is None:
            continue
        found, record = tried(game, league.rules_level, game.bots_folder / league.boss, sandbox, league.boss_params)
        complaints += found
        records += record
    return CheckFinding("bosses pass their trial matches", tuple(complaints)), tuple(records)


def starters_tried(game: Game, sandbox: Sandbox) -> CheckFinding:
    """Those whose language is not installed here are left out."""
    complaints: list[str] = []
    for path in STARTERS.files(game):
        try:
            complaints += tried(game, game.leagues[0].rules_level, path, sandbox)[0]
        except MissingTool:
            continue
    return CheckFinding("starters pass their trial matches", tuple(complaints))


def tried(
    game: Game, level: int, path: Path, sandbox: Sandbox, params: Params = NO_PARAMS
) -> tuple[list[str], list[MatchRecord]]:
    """Try a bot against itself, with each number of players; return also the record of a match of each."""
    complaints: list[str] = []
    records: list[MatchRecord] = []
    try:
        check_params(params)
        program = with_params(build(path.read_text("utf-8"), language_of(path), sandbox), params)
        for players in game.players:
            complaint = smoke(program, MatchSpec(game, level, SMOKE_SEED, players=players), sandbox, OFFICIAL)
            complaints += [f"{path}: {complaint}"] if complaint else []
            if not complaint:
                spec = MatchSpec(game, level, SMOKE_SEED, LIMIT_MS, LIMIT_MS, players)
                records.append(recorded(play(spec, [program] * players, sandbox), "trial"))
    except (BuildRefused, GameFault, UsageFault) as fault:
        return [f"{path}: {fault}"], []
    return complaints, records


RULES: dict[str, Callable[[Game, tuple[MatchRecord, ...]], Iterator[str]]] = {
    "any lines end a match": rules.unfinished,
    "the same seed and lines give the same match": rules.unsteady,
    "the first answer has its own limit": rules.limits_mixed_up,
}
"""Checks of the referee, which go by matches that were played."""


def check(game: Game, sandbox: Sandbox) -> Iterator[CheckFinding]:
    """Every check ends, whatever the referee does. Raises SandboxFault and MissingTool where bots cannot run here."""
    game = rules.bounded(game)
    yield CheckFinding("leagues", tuple(rules.leagues_out_of_order(game)))
    yield CheckFinding("statements", tuple(rules.statement_complaints(game)))
    for capability in CAPABILITIES:
        complaints = tuple(contradictions(game, capability))
        yield CheckFinding(capability.title, complaints, lacks=capability.name in game.lacks and not complaints)
    yield CheckFinding("maps", tuple(rules.maps_unsteady(game)), lacks=game.maps is None)
    yield CheckFinding("no answer loses", listed(rules.lenient_with_silence(game)))
    trial, records = bosses_tried(game, sandbox)
    yield trial
    for name, complaints_of in RULES.items():
        yield CheckFinding(name, listed(complaints_of(game, records)))
    found = listed(rules.picture_complaints(game, records))
    yield CheckFinding("pictures", found, lacks=not found and game.pictures() is None)
    if "golden" not in game.lacks:
        yield CheckFinding("golden records are met", listed(records_not_met(game)))
    if "secrets" not in game.lacks:
        yield CheckFinding("secrets are kept", listed(rules.given_away(game)))
    if "starters" not in game.lacks:
        yield starters_tried(game, sandbox)


def listed(complaints: Iterator[str]) -> tuple[str, ...]:
    """Return the complaints; where a file is missing or the referee raises, that is one too, and the last."""
    found: list[str] = []
    try:
        found.extend(complaints)
    except GameFault as fault:
        found.append(str(fault))
    return tuple(found)
