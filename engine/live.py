"""A match between bots that run: their boxes are built, the conversation is led, and what they wrote is kept.

The *smoke match*. Before a bot is let in it plays itself, to show that it starts, speaks and keeps to the rules. How
quick it is its matches will show; an answer that was a little late once, against itself, is no reason to refuse it. So
each answer may take `GRACE_MS` longer than in the league. Refused is a bot that breaks a rule, ends, says too much or
uses too much memory; and one that in each of three trials needs even longer than that, or is over the league's limit in
more than one of its turns in `SLOW_SHARE`.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from engine.bot.clock import GRACE_MS, TimeRule
from engine.bot.conditions import OFFICIAL, Conditions
from engine.bot.process import RunningBot
from engine.boxes import CGROUP
from engine.conversation import Outcome, Verdict
from engine.cores import OnWaiting, core_for_a_match
from engine.errors import Refused
from engine.match import MatchResult, MatchSpec, Script, ScriptedPlayer, Turn, converse, fault_words
from engine.referees.match_command import play_whole
from engine.referees.process import MatchSetup
from engine.referees.session import ProgramReferee
from engine.rejudge import limits_of, overruns_of
from engine.sandbox.box import Sandbox
from engine.text import shortened
from engine.toolchains.program import Program
from engine.workspace import open_workspace


def play(
    spec: MatchSpec,
    programs: Sequence[Program | None],
    sandbox: Sandbox,
    conditions: Conditions = OFFICIAL,
    *,
    scripts: Sequence[Script] = (),
    on_waiting: OnWaiting = None,
    suspicions: Sequence[str] = (),
) -> MatchResult:
    """Play programs, one for each seat, on a core of their own. `scripts`: what each seat says first; one that has
    nothing else needs no program. `suspicions`: for each seat why the bot is blamed in its turns, not the host; "" for
    the host. Raises SandboxFault; HostBusy where the host kept a bot from answering: play it again; RefereeFault,
    MissingTool; Refused where a command is to play bots that are not trusted or that the sandbox cannot hold; Stopped
    where a script says so.
    """
    if spec.game.starts_bots:
        return play_by_command(spec, [program for program in programs if program], sandbox, conditions, on_waiting)
    with hold_programs(spec, programs), core_for_a_match(on_waiting), ExitStack() as running:
        referee = running.enter_context(program_referee(spec, sandbox, conditions)) if spec.game.program else None
        bots = [
            running.enter_context(seat_bot(program, sandbox, conditions, suspicion)) if program else None
            for program, suspicion in zip(programs, suspicions or [""] * len(programs), strict=True)
        ]
        live = [bot for bot in bots if bot]
        for bot in live:
            bot.ready()
        if referee:
            referee.ready()
        players = [ScriptedPlayer(script, bot) for script, bot in zip(scripts, bots, strict=True)] if scripts else live
        outcome, turns = converse(spec, players, referee.conversation() if referee else None)
        for bot in live:
            bot.hear_rest()
        return MatchResult(
            spec,
            with_warnings(outcome, programs),
            with_stderr_chars(turns, [bot.stderr_chars if bot else [] for bot in bots]),
            stderr=tuple(bot.stderr if bot else "" for bot in bots),
            early_lines=tuple(bot.early_lines if bot else 0 for bot in bots),
            stderr_dropped_bytes=tuple(bot.stderr_dropped_bytes if bot else 0 for bot in bots),
            sandbox=sandbox.name,
            rules_version=spec.game.rules_version,
            notes=referee.notes() if referee else None,
            metrics=tuple(bot.metrics if bot else {} for bot in bots),
        )


def play_by_command(
    spec: MatchSpec, programs: Sequence[Program], sandbox: Sandbox, conditions: Conditions, on_waiting: OnWaiting
) -> MatchResult:
    """The result has no turns. Raises what `play` raises."""
    spec.game.require_trust(trusted=conditions.trusted)
    if sandbox.name != CGROUP:
        raise Refused(
            f"{spec.game.name} needs the sandbox {CGROUP}, as its command starts the bots itself, and the one here is "
            f"{sandbox.name}: `ladder doctor` says what would help"
        )
    with hold_programs(spec, programs), core_for_a_match(on_waiting):
        outcome, notes = play_whole(MatchSetup(spec, conditions.time), programs, sandbox, conditions)
    return MatchResult(
        spec,
        with_warnings(outcome, programs),
        (),
        stderr=("",) * spec.players,
        early_lines=(0,) * spec.players,
        stderr_dropped_bytes=(0,) * spec.players,
        sandbox=sandbox.name,
        rules_version=spec.game.rules_version,
        notes=notes,
    )


@contextmanager
def hold_programs(spec: MatchSpec, programs: Iterable[Program | None]) -> Iterator[None]:
    """Keep on this machine what the match is played with, however long it takes."""
    workspace = open_workspace()
    with ExitStack() as all_of_them:
        for holder in (spec.game.program, *programs):
            if holder:
                all_of_them.enter_context(workspace.hold(holder.folder))
        yield


def seat_bot(program: Program, sandbox: Sandbox, conditions: Conditions, suspicion: str) -> RunningBot:
    return RunningBot(sandbox, program.box(conditions.limits), conditions, program.runtime, suspicion)


def program_referee(spec: MatchSpec, sandbox: Sandbox, conditions: Conditions) -> ProgramReferee:
    """Raises UsageFault for a game whose rules are in Python."""
    return ProgramReferee(MatchSetup(spec, conditions.time), sandbox)


def with_stderr_chars(turns: Iterable[Turn], chars: Sequence[Sequence[int]]) -> tuple[Turn, ...]:
    if not any(map(any, chars)):
        return tuple(turns)
    of_seats = [iter(counts) for counts in chars]
    return tuple(replace(turn, stderr_chars=next(of_seats[turn.seat], 0)) for turn in turns)


def with_warnings(outcome: Outcome, programs: Sequence[Program | None]) -> Outcome:
    """Optimisation can turn what a compiler warns of into a crash."""
    verdicts = tuple(
        replace(verdict, message=f"{verdict.message}; its compiler had warned: {shortened(warning)}")
        if verdict.verdict is Verdict.CRASHED and program and (warning := first_warning(program.warnings))
        else verdict
        for verdict, program in zip(outcome.verdicts, programs, strict=True)
    )
    return replace(outcome, verdicts=verdicts)


def first_warning(words: str) -> str:
    _, mark, rest = words.partition("warning: ")
    return rest.splitlines()[0] if mark and rest else ""


SMOKE_SEED = 1
TRIES = 3
"""A time-out alone is believed only when each trial has one."""
SLOW_SHARE = 10
MOST_QUOTED_CHARS = 4_000


def smoke(program: Program, spec: MatchSpec, sandbox: Sandbox, conditions: Conditions) -> str | None:
    """Return why a bot is not let in, None where it is. `spec`: by its league's limits. Raises what `play` raises."""
    lenient = replace(conditions, time=TimeRule(clock=conditions.time.clock))
    limits = spec.limits
    with_grace = replace(spec, first_limit_ms=limits.first_ms + GRACE_MS, turn_limit_ms=limits.turn_ms + GRACE_MS)
    complaint: str | None = None
    for _ in range(TRIES):
        result = play(spec if spec.game.referee_sets_limits else with_grace, [program] * spec.players, sandbox, lenient)
        failed = (seat for seat, verdict in enumerate(result.outcome.verdicts) if verdict.verdict is not Verdict.OK)
        if (seat := next(failed, None)) is None:
            if (complaint := describe_slowness(result, spec, lenient.time)) is None:
                return None
            continue
        complaint = describe(result, seat)
        if result.outcome.verdicts[seat].verdict is not Verdict.TIMEOUT:
            break
    return complaint


def describe(result: MatchResult, seat: int) -> str:
    verdict = result.outcome.verdicts[seat]
    grace = f" (each limit was {GRACE_MS} ms longer than in its league)" if verdict.verdict is Verdict.TIMEOUT else ""
    complaint = f"in a trial match against itself: {fault_words(result, seat)}{grace}"
    stderr = result.stderr[seat].strip("\r\n").rstrip()
    end = stderr[-MOST_QUOTED_CHARS:]
    if len(end) < len(stderr):
        return "\n".join([complaint, "the end of its stderr:", end.partition("\n")[2] or end])
    return f"{complaint}\nits stderr:\n{stderr}" if stderr else complaint


def describe_slowness(result: MatchResult, spec: MatchSpec, rule: TimeRule) -> str | None:
    """Say that a seat was over its league's limits in too many turns; None if none was. `spec`: without grace."""
    grace_ms = 0 if result.spec == spec else GRACE_MS
    limits_ms = [limit_ms - grace_ms for limit_ms in limits_of(result)]
    for seat, overruns in enumerate(overruns_of(result, limits_ms, rule)):
        turns = sum(turn.seat == seat for turn in result.turns)
        if overruns * SLOW_SHARE > turns:
            return (
                f"in a trial match against itself: {overruns} of {turns} answers took longer than the limit, which is "
                f"{spec.limits.first_ms} ms for the first one and {spec.limits.turn_ms} ms for each later one"
            )
    return None
