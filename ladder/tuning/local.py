"""A tune that this process plays by itself, with no services, and the file that lets it go on where it was.

How this works. Pairs are begun with the values of the moment and count in their order, so with one match at a time a
tune goes the same way whenever it is played with its seed. The file has all that was asked for and every pair that has
counted; what was being played when it was written is played again.
"""

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from cattrs import Converter

from engine.conversation import seat_orders
from engine.errors import UnknownName, UsageFault
from engine.machine import bytes_of
from engine.match import MatchResult, MatchSpec
from engine.series import PlayedTask, PlaySettings, Task, in_order
from engine.toolchains.params import with_params
from engine.toolchains.program import Program
from ladder.choices import GauntletState
from ladder.gauntlets.local import each_pair, half_points, tasks_of
from ladder.gauntlets.plan import Slot
from ladder.gauntlets.variants import RoundRobin
from ladder.ids import VersionId
from ladder.statistics.elo import outcomes_of
from ladder.tuning.parameters import LocalRequest, read_parameters
from ladder.tuning.plan import FRESH, MatchSeen, Places, Spsa, TunePlan
from ladder.tuning.report import RESULT, PlayedPair, Tune, TuneReport, findings_of, has_moved, report_of, variants_of

FORMAT = 1
"""Of a tune's file."""
CANDIDATE = VersionId(-1)


@dataclass(slots=True)
class LocalTune:
    """A tune while it is played, and as its file has it. `source`: the hash of the candidate's; `start`: the places.

    `own`: the candidate's parameters that are not tuned; `confirmed`: what the result took of the pairs against the
    start, None where the host was too busy; `missing`: other pairs of that kind; `spent_s`: in earlier runs; `submit`:
    the command that submits the bot.
    """

    asked: LocalRequest
    tune: Tune
    source: str
    start: Places
    own: dict[str, str]
    submit: tuple[str, ...]
    players: int = 2
    seed_bits: int = 64
    played: list[PlayedPair] = field(default_factory=list[PlayedPair])
    confirmed: list[int | None] = field(default_factory=list[int | None])
    missing: list[int] = field(default_factory=list[int])
    spent_s: float = 0.0

    @property
    def plan(self) -> TunePlan:
        rule = Spsa(read_parameters(self.asked.ranges), self.start, self.tune.pairs, self.tune.seed)
        opponents = tuple(VersionId(-2 - number) for number in range(len(self.tune.against)))
        return TunePlan(rule, CANDIDATE, opponents, own=self.own, seed_bits=self.seed_bits, players=self.players)

    @property
    def state(self) -> str:
        """Return the state that its file shows: stopped, unless it is finished."""
        return GauntletState.FINISHED if self.tune.state == GauntletState.FINISHED else GauntletState.STOPPED

    @property
    def places(self) -> Places:
        return self.played[-1].places if self.played else self.start

    def report(self, state: str, spent_s: float = 0.0) -> TuneReport:
        tune = replace(self.tune, state=state)
        elapsed_s = self.spent_s + spent_s
        confirmed = [pair for pair in self.confirmed if pair is not None]
        return report_of(tune, self.plan, self.played, confirmed, elapsed_s=elapsed_s, submit=self.submit)

    def take(self, number: int, base: Places, slots: Sequence[Sequence[PlayedTask]]) -> None:
        """Let a pair count; one that the host was too busy for counts for neither end."""
        plan = self.plan
        matches = [matches_seen(tasks) for tasks in slots]
        if None in matches:
            self.missing.append(number)
            return
        ends = plan.ends_of(number, [match for match in matches if match is not None])
        places = plan.rule.moved(number, self.places, plan.lead(ends.points))
        self.played.append(PlayedPair(number, base, ends, places))

    def save(self, path: Path, spent_s: float) -> None:
        """Write the file, whole or not at all. Raises UsageFault where it cannot be written."""
        draft = path.with_name(f".{path.name}.draft")
        stored = asdict(replace(self, spent_s=self.spent_s + spent_s))
        try:
            draft.write_text(json.dumps({"ladder_tune": FORMAT, **stored}, default=datetime.isoformat))
            draft.replace(path)
        except OSError as error:
            raise UsageFault(f"cannot write {path}: {error.strerror}") from error


def load(path: Path) -> LocalTune:
    try:
        stored: Any = json.loads(bytes_of(path))
    except FileNotFoundError as error:
        raise UnknownName(f"there is no file {path}") from error
    except (OSError, ValueError) as error:
        raise UsageFault(f"{path} is not a file of a tune") from error
    if not isinstance(stored, dict) or stored.pop("ladder_tune", None) != FORMAT:
        raise UsageFault(f"{path} is not a file of a tune")
    try:
        converter = Converter()
        converter.register_structure_hook(datetime, lambda text, _: datetime.fromisoformat(text))
        tune = converter.structure(stored, LocalTune)
        tune.report(tune.state)
    except Exception as error:
        raise UsageFault(f"{path} is not a whole file of a tune") from error
    return tune


def matches_seen(matches: Sequence[PlayedTask]) -> list[MatchSeen] | None:
    """Return what the matches of a slot were; None where one is void."""
    results = [match.result for match in matches if isinstance(match.result, MatchResult)]
    if len(results) < len(matches):
        return None
    seen: list[MatchSeen] = []
    for order, result in zip(seat_orders(len(matches)), results, strict=True):
        verdicts = tuple(seat.verdict for seat in result.outcome.verdicts)
        seen.append(MatchSeen(half_points(result, order.index(0)), verdicts, [turn.line for turn in result.turns]))
    return seen


def pairs_played(
    run: LocalTune, spec: MatchSpec, programs: Mapping[VersionId, Program], settings: PlaySettings
) -> Generator[None, None, None]:
    """Play the pairs that are left, and let each count. `programs`: without parameters of the candidate's."""
    plan = run.plan
    begun: dict[int, tuple[Places, list[Slot]]] = {}
    gone = {pair.number for pair in run.played} | set(run.missing)
    numbers = [number for number in range(plan.rule.pairs) if number not in gone]

    def tasks() -> Iterator[Task]:
        for number in numbers:
            begun[number] = (run.places, plan.slots_of(number, run.places))
            for slot in begun[number][1]:
                yield from tasks_of(slot, spec, programs)

    with closing(in_order(tasks(), settings)) as results:
        for number in numbers:
            first = list(islice(results, plan.players))
            base, slots = begun.pop(number)
            matches = [first, *(list(islice(results, plan.players)) for _ in slots[1:])]
            run.take(number, base, matches)
            yield


def confirming_pairs_played(
    run: LocalTune, spec: MatchSpec, program: Program, settings: PlaySettings
) -> Generator[None, None, None]:
    """Let the result meet the start on fresh seeds, in the pairs that are left."""
    findings = findings_of(run.plan, run.played, run.tune.bot)
    if not has_moved(findings):
        return
    variants = enumerate(variants_of(findings, run.own))
    programs = {VersionId(number): with_params(program, params) for number, params in variants}
    seeds = RoundRobin(
        2, pairs=run.tune.confirming_pairs, seed=run.tune.seed ^ FRESH, seed_bits=run.seed_bits, players=run.players
    )
    most = outcomes_of(run.players) - 1
    with closing(each_pair(seeds, spec, programs, settings, len(run.confirmed))) as pairs:
        for slot, matches in pairs:
            of_slot = matches_seen(matches)
            points = None if of_slot is None else sum(match.half_points for match in of_slot)
            run.confirmed.append(points if slot.version_id == RESULT or points is None else most - points)
            yield
