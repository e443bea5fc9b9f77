"""`ladder tune run --local`: see ladder.tuning.local."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePath

from cli.answer import Answer, ExitStatus
from cli.context import Context, default_player
from cli.entrant import Entrant
from cli.gauntlet.local import LocalPlay, find_alone, find_lineup
from cli.terminal.steps import canvas
from cli.tune.output import answer_of, picture
from engine.errors import HostBusy, Refused
from engine.immutable import immutable
from engine.interrupts import interrupts_delayed
from engine.referees.edition import load_any_folder
from engine.text import counted
from engine.toolchains.bot_folder import source_hash
from engine.toolchains.given_bot import OwnProgram, means_file
from engine.toolchains.languages import find_language
from engine.toolchains.params import read_params
from engine.toolchains.program import Program
from ladder.choices import GauntletState
from ladder.gauntlets.lineup import NO_ID, GauntletRequest
from ladder.gauntlets.local import PlayRules
from ladder.gauntlets.order import number_of_players
from ladder.ids import GauntletId, VersionId
from ladder.tuning.local import CANDIDATE, LocalTune, confirming_pairs_played, load, pairs_played
from ladder.tuning.parameters import LocalRequest, read_parameters, start_of
from ladder.tuning.plan import shared_out
from ladder.tuning.report import CONFIRMING, Tune

DRAW_EVERY_S, SAVE_EVERY_S = 2.0, 5.0


@immutable
class Field:
    """Who plays. `programs`: by the ids of a plan, the candidate's without parameters."""

    rules: PlayRules
    candidate: Entrant
    against: list[str]
    programs: dict[VersionId, Program]

    @property
    def source(self) -> str:
        content = self.candidate.content
        return str(content.path) if isinstance(content, OwnProgram) else source_hash(content)


def run_local(context: Context, request: LocalRequest, file: Path, *, as_json: bool) -> Answer:
    """Begin a tune and play it until its end or Ctrl-C. Raises HostBusy where nothing could be played."""
    parameters = read_parameters(request.ranges)
    typed = read_params(request.start)
    if file.exists():
        raise Refused(f"{file} is there already: `ladder tune resume {file}` goes on with it, --state names another")
    field = field_of(context, request)
    rules = field.rules
    params = field.candidate.params
    start = start_of(parameters, params, typed)
    pairs, confirming = shared_out(request.pairs, len(parameters))
    names = {parameter.name for parameter in parameters}
    tune = Tune(
        id=GauntletId(NO_ID),
        game=rules.game.name,
        league=rules.league,
        bot=field.candidate.name,
        against=field.against,
        asked_by=default_player(),
        seed=request.seed,
        pairs=pairs,
        confirming_pairs=confirming,
        state=GauntletState.RUNNING,
        created_at=datetime.now(UTC),
        unknown=start.unknown,
    )
    run = LocalTune(
        asked=request,
        tune=tune,
        source=field.source,
        start=start.places,
        own={name: value for name, value in params.items() if name not in names},
        submit=submit_words(request, field),
        players=number_of_players(None, rules.players, rules.game.name),
        seed_bits=rules.game.seed_bits,
    )
    return play(context, run, field, file, as_json=as_json)


def resume_local(context: Context, file: Path, *, as_json: bool) -> Answer:
    """Go on with a file's tune. Raises as `run_local`, and Refused where nothing is left or the bot is another."""
    run = load(file)
    if run.tune.state == GauntletState.FINISHED:
        raise Refused(f"the tune in {file} is finished: `ladder tune show {file}` has its result")
    field = field_of(context, run.asked)
    if field.source != run.source:
        raise Refused(f"{run.asked.candidate} has changed since the tune in {file} began: begin another one")
    return play(context, run, field, file, as_json=as_json)


def show_local(file: Path) -> Answer:
    run = load(file)
    return replace(answer_of(run.report(run.state)), status=ExitStatus.OK)


def submit_words(request: LocalRequest, field: Field) -> tuple[str, ...]:
    """Return the command that submits the candidate again; a version's source as a file that is called like its bot."""
    file, bot = request.candidate, request.bot
    if not means_file(file):
        bot = file.partition("@")[0]
        file = f"{bot}{PurePath(find_language(field.candidate.language).source).suffix}"
    return ("ladder", "submit", file, "--game", field.rules.game.name, *(() if bot is None else ("--bot", bot)))


def field_of(context: Context, tune: LocalRequest) -> Field:
    folder = None if tune.game_folder is None else Path(tune.game_folder)
    if folder is not None:
        context.know_game(load_any_folder(folder))
    how = LocalPlay(game_folder=folder, trusted=tune.trusted, jobs=tune.jobs, sandbox=tune.sandbox, bot=tune.bot)
    against = tuple(word for word in tune.against if word != tune.candidate)
    request = GauntletRequest(tune.candidate, default_player(), against, league=tune.league, game=tune.game, context=())
    opponents: list[Entrant] = []
    if against:
        lineup = find_lineup(context, request, how)
        rules = lineup.rules
        candidate = lineup.entrants[lineup.lineup.candidate.id]
        opponents = [lineup.entrants[opponent.id] for opponent in lineup.lineup.opponents]
    else:
        rules, candidate = find_alone(context, request, how)
    with context.err.status("building"):
        programs = {CANDIDATE: candidate.without_params.program(tune.sandbox)}
        programs |= {VersionId(-2 - place): opponent.program(tune.sandbox) for place, opponent in enumerate(opponents)}
    return Field(how.trusting(rules), candidate, [opponent.name for opponent in opponents], programs)


def play(context: Context, run: LocalTune, field: Field, file: Path, *, as_json: bool) -> Answer:
    how = LocalPlay(jobs=run.asked.jobs, sandbox=run.asked.sandbox)
    settings = how.begin(context, field.rules)
    spec, program = field.rules.spec(0), field.programs[CANDIDATE]
    began = time.monotonic()
    state: str = GauntletState.RUNNING
    if not as_json:
        context.say(f"what is found is kept in {file}: `ladder tune resume {file}` goes on after Ctrl-C")
    try:
        with ExitStack() as at_end:
            at_end.callback(lambda: run.save(file, time.monotonic() - began))  # however the end comes
            if len(run.played) + len(run.missing) < run.tune.pairs:
                follow(context, run, pairs_played(run, spec, field.programs, settings), file, began, state)
            state = CONFIRMING
            follow(context, run, confirming_pairs_played(run, spec, program, settings), file, began, state)
            state = GauntletState.FINISHED
            run.tune = replace(run.tune, state=state, ended_at=datetime.now(UTC))
    except KeyboardInterrupt:
        answer = answer_of(run.report(GauntletState.STOPPED, time.monotonic() - began))
        return replace(answer, status=ExitStatus.INTERRUPTED)
    if run.missing and not run.played:
        raise HostBusy("not one pair could be played: this machine is too busy")
    if run.missing:
        context.say(f"{counted(len(run.missing), 'pair')} missing: the host was too busy")
    return answer_of(run.report(state, time.monotonic() - began))


def follow(
    context: Context, run: LocalTune, pairs: Generator[None, None, None], file: Path, began: float, state: str
) -> None:
    """Play pairs; say at once what the first ones show."""
    drawn = saved = time.monotonic()
    printed = set[str]()
    run.save(file, drawn - began)
    with canvas(context.err) as draw, closing(pairs) as played:
        for _ in played:
            with interrupts_delayed():  # as in a gauntlet that is played here
                now = time.monotonic()
                is_first = len(run.played) <= len(run.asked.ranges)
                if now - drawn > DRAW_EVERY_S or is_first:
                    report = run.report(state, now - began)
                    for remark in report.remarks if is_first else []:
                        if remark not in printed and state == GauntletState.RUNNING:
                            printed.add(remark)
                            context.say(remark)
                    if context.err.is_terminal:
                        draw(picture(report))
                    drawn = time.monotonic()
                if now - saved > SAVE_EVERY_S:
                    run.save(file, now - began)
                    saved = now
