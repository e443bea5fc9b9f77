"""`ladder gauntlet run --local`, see ladder.gauntlets.local: who takes part, files and stored versions; playing it.

How this works. The name of a file says where it belongs: `kraken.py` would be the next version of the bot kraken, if
there is one of that name. The rules and conditions of that bot's league count then; else those of the first version
that is named. With nothing but files and a game the database is not needed: the game's own leagues and the official
conditions count. So it is with its bosses, where there is no ladder yet.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import field, replace
from pathlib import Path

from cli import cases
from cli.answer import Answer, ExitStatus
from cli.context import Context
from cli.entrant import Entrant, of_boss, of_files, of_version
from cli.gauntlet.output import comparison_answer, picture, result_of
from cli.gauntlet.run import LocalOptions
from cli.ladders.direct import can_be_read, database_to_read
from cli.options.numbers import seed_or_drawn
from cli.terminal.steps import bar, canvas
from cli.terminal.words import sandbox_text
from engine.bot.conditions import OFFICIAL
from engine.boxes import NONE
from engine.conversation import seat_orders
from engine.errors import HostBusy, Refused, Unavailable, UnknownName, UsageFault
from engine.game import Game, Games
from engine.immutable import immutable
from engine.interrupts import interrupts_delayed
from engine.match import MatchResult, MatchSpec
from engine.series import PlayedTask, PlaySettings, UnplayedTask, jobs_or_all_cores, opened
from engine.text import counted
from engine.toolchains.given_bot import means_file
from engine.toolchains.params import Params, with_params
from engine.toolchains.program import Program
from ladder.bots import bots, versions
from ladder.bots.sources import sources_of
from ladder.choices import GauntletState
from ladder.database.connection import Connection
from ladder.gauntlets import order
from ladder.gauntlets.gauntlets import columns_of_test
from ladder.gauntlets.lineup import NO_ID, GauntletRequest, Lineup, Participant, WordKind, participant, read_word, vary
from ladder.gauntlets.local import PlayRules, Run, each_pair, gauntlet_of, half_points, timed_pair
from ladder.gauntlets.rendering import outlook
from ladder.gauntlets.report import earlier
from ladder.gauntlets.variants import PairPoints, RoundRobin, VariantComparison, conclusion, names_of
from ladder.ids import LeagueId, VersionId
from ladder.leagues import leagues
from ladder.statistics.elo import outcomes_of

DRAW_EVERY_S = 0.2


def run_local(context: Context, request: GauntletRequest, how: LocalPlay) -> Answer:
    """Play a gauntlet here until it is answered or interrupted. Raises HostBusy where nothing could be played."""
    pairs = order.number_of_pairs(request.pairs, request.seeds, request.question)
    seed = seed_or_drawn(request.seed)
    field = find_lineup(context, request, how)
    rules = how.trusting(field.rules)
    with context.err.status("building"):
        programs = {player.id: field.entrants[player.id].program(how.sandbox) for player in field.lineup.participants}
    settings = how.begin(context, rules)
    if how.cases:
        _, by_file = cases.cases_to_ask(cases.cases_folder(None))
        answers = cases.ask_in_cases(context, by_file, programs[field.lineup.candidate.id], how.jobs, how.sandbox)
        if answers.status != ExitStatus.OK:
            return replace(answers, after=["so no match was played"])
    gauntlet = gauntlet_of(request, rules, field.lineup, pairs, seed)
    pair_s = None
    if request.minutes is not None:
        with context.err.status("playing a pair that does not count, to see how long one takes"):
            pair_s = timed_pair(gauntlet.plan, rules.spec(0), programs, settings)
        test = order.test_within(request, pair_s, gauntlet.players)
        gauntlet = replace(gauntlet, **columns_of_test(test))
    run = Run(gauntlet, field.prior)
    if not how.as_json and (words := outlook(run.gauntlet.test, pairs, run.gauntlet.players, pair_s)):
        context.say(words)
    state = play_through(context, run, rules.spec(0), programs, settings)
    if run.void:
        missing = "1 pair is" if len(run.void) == 1 else f"{len(run.void)} pairs are"
        context.say(f"{missing} missing: the host was too busy for them ({run.void[-1]})")
        if not run.pairs and state == "finished":
            raise HostBusy("not one pair could be played: this machine is too busy")
    # By which words and options `ladder play` knows who takes part.
    words_by_name = {Path(word).name: word for word in request.against if Path(word).exists()}
    words_by_name[field.lineup.candidate.name] = request.candidate
    options = [word for name, value in how.params.items() for word in ("--param-a", f"{name}={value}")]
    options += ["--game-folder", str(how.game_folder)] if how.game_folder is not None else []
    options += ["--trusted"] if rules.game.starts_bots else []
    report = replace(run.report(state), words=words_by_name, options=options)
    answer = result_of(report, worse_only=how.worse_only)
    return answer if state == "finished" else replace(answer, status=ExitStatus.INTERRUPTED)


def play_through(
    context: Context, run: Run, spec: MatchSpec, programs: Mapping[VersionId, Program], settings: PlaySettings
) -> str:
    """Play until the question is answered or Ctrl-C; return the state then. `spec`: of all matches but for the seed."""
    drawn = 0.0
    try:
        with canvas(context.err) as draw, closing(each_pair(run.gauntlet.plan, spec, programs, settings)) as played:
            for slot, matches in played:
                with interrupts_delayed():  # the first verdict imports what the answer takes, too: not by half
                    run.take(slot, matches)
                    if run.is_answered:
                        break
                    if context.err.is_terminal and time.monotonic() - drawn > DRAW_EVERY_S:
                        draw(picture(run.report()))
                        drawn = time.monotonic()
    except KeyboardInterrupt:
        return "stopped"
    return "finished"


def run_varied(context: Context, request: GauntletRequest, how: LocalPlay) -> Answer:
    """Play variants of the candidate against each other here. Raises as `run_local` does."""
    order.require_alone(request)
    pairs = order.number_of_pairs(request.pairs, request.seeds, None)
    seed = seed_or_drawn(request.seed)
    rules, entrant = find_alone(context, request, how)
    rules = how.trusting(rules)
    order.require_comparable(rules.game, request)
    with context.err.status("building"):
        program = entrant.without_params.program(how.sandbox)
    settings = how.begin(context, rules)
    values = [{**entrant.params, **variant} for variant in request.variants]
    programs = {VersionId(number): with_params(program, params) for number, params in enumerate(values)}
    players = order.number_of_players(request.players, rules.players, rules.game.name)
    plan = RoundRobin(len(values), pairs, seed, request.seeds, rules.game.seed_bits, players)
    tally = PairPoints(outcomes_of(players) - 1)
    state = play_all(context, plan, tally, rules.spec(0), programs, settings)
    names = names_of(request.variants)
    scores = tally.scores(names, values)
    rows = tally.compared(names)
    comparison = VariantComparison(rules.game.name, rules.league, entrant.name, seed, pairs, state, scores, rows)
    status = ExitStatus.OK if state == GauntletState.FINISHED else ExitStatus.INTERRUPTED
    return comparison_answer(comparison, comparison, conclusion(comparison), status)


def play_all(
    context: Context,
    plan: RoundRobin,
    tally: PairPoints,
    spec: MatchSpec,
    programs: Mapping[VersionId, Program],
    settings: PlaySettings,
) -> str:
    """Play all pairs, or until Ctrl-C; return the state it then is in. Raises HostBusy where none could be played."""
    void: list[str] = []
    state = GauntletState.FINISHED
    try:
        with bar(context.err) as progress, closing(each_pair(plan, spec, programs, settings)) as played:
            for slot, matches in progress.track(played, total=plan.slots, description="playing"):
                points, why = outcome_of(matches)
                if why:
                    void.append(why)
                else:
                    tally.take(slot, points)
    except KeyboardInterrupt:
        state = GauntletState.STOPPED
    if void and not tally.played and state == GauntletState.FINISHED:
        raise HostBusy("not one pair could be played: this machine is too busy")
    if void:
        context.say(f"{counted(len(void), 'pair')} missing: the host was too busy ({void[-1]})")
    return state


def outcome_of(matches: Sequence[PlayedTask]) -> tuple[int, str]:
    """Return what who had every seat once took from a pair, in half-points; or else why a match of it is void."""
    void = [match.result.why for match in matches if isinstance(match.result, UnplayedTask)]
    results = [match.result for match in matches if isinstance(match.result, MatchResult)]
    seats = [seating.index(0) for seating in seat_orders(len(matches))]
    return sum(map(half_points, results, seats)), "".join(void[:1])


@immutable
class LocalPlay(LocalOptions):
    """How a gauntlet is played here. `params`: the candidate's; `cases`: it is asked in the folder's first."""

    as_json: bool = False
    params: Params = field(default_factory=dict[str, str])
    worse_only: bool = False
    cases: bool = False

    def __post_init__(self) -> None:
        if self.bot == "":
            raise UsageFault("--bot is empty: name a bot, or leave it out to go by the file's name")

    def trusting(self, rules: PlayRules) -> PlayRules:
        """Return the rules with the word that all are trusted. Raises Refused where it is missing, and needed."""
        conditions = replace(rules.conditions, trusted=self.trusted or rules.conditions.trusted)
        rules.game.require_trust(trusted=conditions.trusted)
        return replace(rules, conditions=conditions)

    def begin(self, context: Context, rules: PlayRules) -> PlaySettings:
        """Say what people should know before matches are played, and return the settings by which they are."""
        if opened(self.sandbox).name == NONE:
            context.say(sandbox_text(NONE))
        if rules.game.caution:
            context.say(rules.game.caution)
        return PlaySettings(rules.conditions, jobs_or_all_cores(self.jobs), self.sandbox)


@immutable
class File:
    """A file or folder that takes part. `id`: below 0, one for each; `stem`: the bot whose next version it would be."""

    id: VersionId
    entrant: Entrant
    stem: str

    def participant(self, game: Game) -> Participant:
        return Participant(self.id, self.entrant.name, game.name, self.entrant.language)


@immutable
class LocalLineup:
    """All that a local gauntlet needs. `entrants`: by the participants' ids."""

    rules: PlayRules
    lineup: Lineup
    entrants: Mapping[VersionId, Entrant]

    @property
    def prior(self) -> frozenset[str]:
        candidate = self.lineup.candidate
        met = (*self.lineup.opponents, *self.lineup.context)
        own = [one.name for one in met if one.is_of(candidate.bot)]
        return frozenset(earlier(candidate.bot, candidate.number, own))


def find_lineup(context: Context, request: GauntletRequest, how: LocalPlay) -> LocalLineup:
    """Find who takes part. Raises UsageFault, UnknownName, Refused; Unavailable where a database is needed."""
    files = files_of(context, request)
    if request.game is not None and request.against:
        game = context.games.find(request.game)
        by_word = files if can_be_read(context) else files | bosses_of(game, request, files)
        if set(words_of(request)) == set(by_word):
            rules = game_rules(game, request.league)
            candidate = vary(by_word[request.candidate].participant(game), how.params)
            order.require_comparable(game, request)
            players = {word: file.participant(game) for word, file in by_word.items()}
            lineup = order.lineup_of(request, candidate, lambda word: [players[word]], players.__getitem__)
            entrants = {file.id: file.entrant for file in by_word.values()}
            entrants[candidate.id] = by_word[request.candidate].entrant.but(how.params)
            return LocalLineup(rules, lineup, entrants)
    require_ladder(context, "name files and bosses with --against ./old.py,boss-gold, and the game with --game")
    with database_to_read(context) as connection:
        named_like = files[request.candidate].stem if request.candidate in files else ""
        return lineup_from_database(connection, context.games, request, files, how.bot or named_like, how.params)


def find_alone(context: Context, request: GauntletRequest, how: LocalPlay) -> tuple[PlayRules, Entrant]:
    """Find the candidate, which meets nothing but variants of itself, and its rules. Raises as `find_lineup` does."""
    files = files_of(context, request)
    file = files.get(request.candidate)
    if file is not None and request.game is not None:
        return game_rules(context.games.find(request.game), request.league), file.entrant
    require_ladder(context, "name a file, and the game with --game")
    with database_to_read(context) as connection:
        home = home_of(connection, request, files, how.bot or (file.stem if file is not None else ""))
        rules, _ = league_rules(connection, context.games, request, home)
        if file is not None:
            return rules, file.entrant
        version = order.version_named(connection, request.candidate, rules.game.name)
        return rules, of_version(sources_of(connection, [version.id])[version.id])


def require_ladder(context: Context, advice: str) -> None:
    if context.server is not None:
        raise Refused(
            f"a gauntlet that is played here takes no versions from {context.server.url}: {advice}; `ladder bot source "
            "VERSION -o FILE` fetches a source"
        )
    if not can_be_read(context):
        raise Unavailable(f"there is no ladder in {context.home.folder} to look up bots in: {advice}")


def words_of(request: GauntletRequest) -> tuple[str, ...]:
    compared = () if request.baseline is None else (request.baseline,)
    return (request.candidate, *compared, *request.against, *(request.context or ()))


def files_of(context: Context, request: GauntletRequest) -> dict[str, File]:
    bots = of_files(filter(means_file, words_of(request)), context.settings.source_chars)
    ids = {bot.identity: VersionId(-number) for number, (_, bot) in enumerate(bots.values(), 1)}
    return {word: File(ids[bot.identity], entrant, bot.bot) for word, (entrant, bot) in bots.items()}


def bosses_of(game: Game, request: GauntletRequest, files: Mapping[str, File]) -> dict[str, File]:
    words = [word for word in dict.fromkeys(words_of(request)) if word.lower() in game.bosses and word not in files]
    return {
        word: File(VersionId(-len(files) - number), of_boss(game, word.lower()), word.lower())
        for number, word in enumerate(words, 1)
    }


def lineup_from_database(
    connection: Connection, games: Games, request: GauntletRequest, files: Mapping[str, File], bot: str, given: Params
) -> LocalLineup:
    """Find whom words mean, files first, and read the sources of versions. `bot`, `given`: see `find_lineup`."""
    home = home_of(connection, request, files, bot)
    rules, league_id = league_rules(connection, games, request, home)
    as_players = {word: file.participant(rules.game) for word, file in files.items()}
    if request.candidate in files:  # it is the version that it would be if it were submitted now
        own = as_players[request.candidate]
        try:
            owner = bots.find_bot(connection, bot, rules.game.name)
            latest = max((version.number for version in versions.versions_of(connection, owner.id)), default=0)
            own = replace(own, bot=owner.name, bot_id=owner.id, number=latest + 1)
        except UnknownName:
            own = replace(own, bot=bot, number=1)
    else:
        own = participant(order.version_named(connection, request.candidate, rules.game.name))
    candidate = vary(own, given)
    order.require_comparable(rules.game, request)
    resolver = order.OpponentResolver(connection, candidate, league_id, files=as_players)
    chosen = order.lineup_of(request, candidate, resolver, resolver.one)
    sources = sources_of(connection, [player.id for player in (own, *chosen.participants) if player.id > NO_ID])
    entrants = {file.id: file.entrant for file in files.values()}
    entrants |= {number: of_version(source) for number, source in sources.items()}
    return LocalLineup(rules, chosen, {**entrants, candidate.id: entrants[own.id].but(given)})


def home_of(connection: Connection, request: GauntletRequest, files: Mapping[str, File], bot: str) -> bots.Bot | None:
    """Return the bot that the candidate is or would be a version of, else that of the first version that is named."""
    if request.candidate in files:
        try:
            return bots.find_bot(connection, bot, request.game)
        except UnknownName:
            pass
    for word in words_of(request):
        if word not in files and read_word(word).kind is WordKind.VERSION:
            return bots.bot_of_version(connection, order.version_named(connection, word, request.game).id)
    return None


def league_rules(
    connection: Connection, games: Games, request: GauntletRequest, home: bots.Bot | None
) -> tuple[PlayRules, LeagueId]:
    game = request.game or (home.game if home is not None else None)
    if game is None:
        raise UsageFault(f"no bot is called as {request.candidate} is: say with --game which game it plays")
    rules = games.find(game)
    by_id = {league.id: league for league in leagues.leagues(connection, rules.name)}
    if request.league is not None:
        league = leagues.find_league(connection, game, request.league)
    elif home is not None and home.game == game:
        league = by_id[home.league_id]
    else:
        league = max(by_id.values(), key=lambda row: row.position)
    (settings,) = (row for row in leagues.settings_of(connection, game) if row.id == league.id)
    conditions = leagues.conditions_of(settings.values)
    play_rules = PlayRules(rules, league.title, league.rules_level, conditions, settings.limits, league.players)
    return play_rules, league.id


def game_rules(game: Game, league: str | None) -> PlayRules:
    chosen = game.leagues[-1] if league is None else game.league(league)
    return PlayRules(game, chosen.title, chosen.rules_level, OFFICIAL, game.limits, game.players)
