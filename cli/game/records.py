"""`ladder game verify`: whether our referees do what golden records hold."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from cli.answer import ExitStatus, option
from cli.context import Context
from cli.options.files import file_argument, file_option, text_of, write_file
from cli.options.names import SandboxOption, game_argument, league_option
from cli.options.numbers import MOST_MATCHES, jobs_option, seed_option, seed_or_drawn
from cli.terminal.steps import bar
from cli.terminal.words import quoted
from engine.bot.conditions import OFFICIAL
from engine.conformance.kit import fixtures, record_of_match
from engine.errors import HostBusy, Refused, UsageFault
from engine.game import Game, Games
from engine.games import golden
from engine.games.game_folder import TABLE
from engine.match import MatchResult, MatchSpec
from engine.parallel import in_processes
from engine.records.repeat_match import log_difference, record_difference, runner_difference
from engine.records.runner_file import read_runner_file, read_tester_log
from engine.referees.edition import load_any_folder
from engine.sandbox.box import Sandbox
from engine.series import PlaySettings, Task, UnplayedTask, build_file, in_order, jobs_or_all_cores, opened
from engine.text import counted

RECORDS_AT_ONCE = 20
"""Recorded matches that one process gets at a time."""


@dataclass(slots=True)
class Verification:
    """What came of files: how many matches and maps, how many of them differ, and how many files cannot be read."""

    matches: int = 0
    maps: int = 0
    different: int = 0
    unreadable: int = 0

    def end(self, context: Context, counts: str) -> int:
        """Print the sum, which begins with `counts`, and return the exit status."""
        context.show(f"{counts}, {self.matches + self.maps - self.different} identical")
        if self.unreadable:
            return ExitStatus.USAGE
        return ExitStatus.FAILED if self.different else ExitStatus.OK


def verify(
    context: Context,
    files: Annotated[
        list[Path], file_argument("Golden files, plain or gzip. After a game's name: files of other programs.")
    ],
    seed: Annotated[int | None, seed_option("Of a log, which does not say it.")] = None,
    league: Annotated[
        str | None, league_option("Whose rules count for such files, which do not say it. [default: the highest]")
    ] = None,
    as_game: Annotated[
        str | None,
        option("--as", "Golden records of this game, too, are put to the game that is named.", metavar="GAME"),
    ] = None,
    sandbox: SandboxOption = None,
    jobs: Annotated[int, jobs_option("Processes")] = 0,
) -> int:
    """Play recorded matches against our referees.

    Files of both forms, and of any game that `ladder game list` shows.

    Reports how many are identical and, for each that is not, the first difference: the ask's number, the seat, what
    was expected and what came. Exit status 1 if any differs. A file that cannot be read is named, and the others are
    still checked; exit status 2 then.

    After the name of a game whose referee is a program, or its folder, come files of one match each, as other programs
    write them: the JSON of the SDK's runner, and logs that cg-brutaltester writes with -l, which need --seed. A fresh
    referee is given their answers. Such files hold no questions, or only their lines. What they hold is compared: the
    seats that are asked, words for people, lines, scores or places.

    Example: ladder game verify shared/golden/*/*.jsonl.gz

    Golden records of any game, in files whose names end in .jsonl or .jsonl.gz, may come after its name or folder too:
    then that game is verified, and records that name another one are refused without --as.

    Example: ladder game verify olymbits match.json
    Example: ladder game verify tron logs/game1.log --seed 42
    """
    game: Game | None = None
    if len(files) > 1 and (files[0].is_dir() or str(files[0]) in context.games):  # a file may be called as a game is
        game = game_named(context, files[0])
        files = files[1:]
        if not (as_game or all(file.name.endswith((".jsonl", ".jsonl.gz")) for file in files)):
            return verify_foreign(context, game, files, seed, league, sandbox)
        context.know_game(game)
    if as_game and game is None:
        raise UsageFault("--as goes with golden records, after the name or folder of the game that is verified")
    if seed is not None:
        raise UsageFault("--seed goes with a log of cg-brutaltester, after the name of its game")
    if league is not None:
        raise UsageFault("--league goes with files of other programs, after the name of their game")
    cores = jobs_or_all_cores(jobs)
    total = verify_each(context, files, lambda path: verify_golden(context, path, game, as_game, cores, sandbox))
    return total.end(context, f"{total.matches} matches{f' and {total.maps} maps' if total.maps else ''}")


def verify_each(
    context: Context, files: Sequence[Path], verify_one: Callable[[Path], tuple[int, int, Sequence[str]]]
) -> Verification:
    """Verify files, print differences, and name what cannot be read. `verify_one`: gives matches, maps, differences."""
    total = Verification()
    for path in files:
        try:
            matches, maps, differences = verify_one(path)
        except UsageFault as fault:
            context.say(quoted(f"ladder: {fault}" if str(path) in str(fault) else f"ladder: {path}: {fault}"))
            total.unreadable += 1
            continue
        total.matches += matches
        total.maps += maps
        total.different += len(differences)
        for difference in differences:
            context.show(quoted(f"{path}: {difference}"))
    return total


def verify_golden(
    context: Context, path: Path, game: Game | None, as_game: str | None, jobs: int, tier: str | None
) -> tuple[int, int, list[str]]:
    """Verify one file in `jobs` processes; return its matches and maps, and the first difference of each that differs.

    `game`: None: each record's; `as_game`: another's records too.
    """
    records = list(golden.numbered_records(path))
    if game is not None:
        records = [(at, record_of(game, record, as_game, f"{path}, line {at}")) for at, record in records]
    batches = [records[at : at + RECORDS_AT_ONCE] for at in range(0, len(records), RECORDS_AT_ONCE)]
    by_rules = {game.name for game in context.games.here if game.program is None}
    jobs = jobs if all(record.game in by_rules for _, record in records) else 1
    differences = in_processes(partial(differences_in, context.games, tier), batches, jobs)
    maps = sum(isinstance(record, golden.MapRecord) for _, record in records)
    with bar(context.err) as progress, closing(differences) as results:
        tracked = progress.track(results, total=len(batches), description=path.name)
        return len(records) - maps, maps, [sentence for sentences in tracked for sentence in sentences]


def record_of(game: Game, record: golden.Record, as_game: str | None, where: str) -> golden.Record:
    """Return a record as one of the game that is verified. Raises UsageFault where it names another one."""
    if record.game not in {game.name, as_game} and as_game != game.name:
        raise UsageFault(
            f"{where}: this is a record of {record.game}, and {game.name} was to be verified; "
            f"--as {record.game} puts it to {game.name} all the same"
        )
    return replace(record, game=game.name)


def differences_in(games: Games, tier: str | None, batch: list[tuple[int, golden.Record]]) -> list[str]:
    differences = ((number, difference_of(games, record, tier)) for number, record in batch)
    return [f"line {number}: {difference}" for number, difference in differences if difference is not None]


def difference_of(games: Games, record: golden.Record, tier: str | None) -> str | None:
    """Return how our game differs from a record, or why that cannot be said; None where not. Raises GameFault."""
    try:
        game = games.find(record.game)
        if isinstance(record, golden.MapRecord):
            facts = game.maps_or_refuse().facts(record.seed, game.leagues[-1].rules_level)
            difference = golden.map_difference(record, facts)
        else:
            difference = record_difference(record, game, opened(tier) if game.program else None)
    except UsageFault as error:
        return str(error)
    return None if difference is None else str(difference)


def record_matches(
    context: Context,
    game: Annotated[str, game_argument("The game's name, or its folder.")],
    output: Annotated[Path, option("--output -o", "The file that is written; one of that name is replaced.")],
    matches: Annotated[int, option("--matches -n", "How many.", min=1, max=MOST_MATCHES)] = 20,
    bots: Annotated[
        list[Path] | None, file_option("--bot", "A source that plays; can be given again. [default: the bosses]")
    ] = None,
    seed: Annotated[int, seed_option("The first match's seed; each next is one higher.")] = 1,
    jobs: Annotated[int, jobs_option()] = 0,
    sandbox: SandboxOption = None,
) -> None:
    """Play matches and write them down as golden records.

    Every question and answer has a line of its own, so a change of the rules shows in a comparison of two files. All
    rules levels and numbers of players take turns, and all orders of bots; each answer may take 10 s, so that a busy
    machine changes nothing.
    `ladder game verify` plays such a file against the referee.

    Example: ladder game record tic-tac-toe --matches 20 -o golden.jsonl
    Example: ladder game record ./tron-game --bot a.py --bot b.py -o golden.jsonl
    """
    rules = game_named(context, Path(game))
    rules.require_lines("a golden record")
    rules.require_repeatable("a golden record")
    series = fixtures(rules, bots or [], matches, seed)
    results = enumerate(results_of(context, series, jobs, sandbox), 1)
    lines = [line for number, result in results for line in golden.open_lines(record_of_match(result, str(number)))]
    write_file(output, "".join(f"{line}\n" for line in lines).encode(), over=True)
    context.show(f"{output}: {matches} matches")


def results_of(
    context: Context, series: Sequence[tuple[MatchSpec, Sequence[Path]]], jobs: int, tier: str | None
) -> Iterator[MatchResult]:
    files = dict.fromkeys(path for _, bots in series for path in bots)
    programs = {path: build_file(path, context.settings.source_chars, tier) for path in files}
    tasks = [Task(spec, tuple(programs[bot] for bot in bots)) for spec, bots in series]
    with closing(in_order(tasks, PlaySettings(OFFICIAL, jobs_or_all_cores(jobs), tier))) as results:
        for played in results:
            if isinstance(played.result, UnplayedTask):
                raise HostBusy(f"a match could not be played: {played.result.why}")
            yield played.result


def verify_foreign(
    context: Context, game: Game, files: Sequence[Path], seed: int | None, league: str | None, tier: str | None
) -> int:
    """Compare a referee with files of a match each; print differences, return the status. Raises Refused."""
    if game.program is None:
        raise Refused(
            f"the rules of {game.name} are in Python: golden records are for those, and need no name before them"
        )
    game.require_lines("`ladder game verify`")
    chosen = game.leagues[-1] if league is None else game.league(league)
    sandbox = opened(tier)

    def verify_one(path: Path) -> tuple[int, int, list[str]]:
        difference = foreign_difference(path, game, chosen.rules_level, seed, sandbox)
        return 1, 0, [] if difference is None else [str(difference)]

    total = verify_each(context, files, verify_one)
    if total.matches and len(game.rules_levels) > 1:
        context.say(f"by the rules of {chosen.title}{'' if league else '; --league chooses others'}")
    return total.end(context, counted(total.matches, "match", "matches"))


def game_named(context: Context, name: Path) -> Game:
    """Return the game of that name, or else of that folder with a game in it. Raises UnknownName, GameFault."""
    is_folder = name.is_dir() and ((name / TABLE).is_file() or str(name) not in context.games)
    return load_any_folder(name) if is_folder else context.games.find(str(name))


def foreign_difference(
    path: Path, game: Game, rules_level: int, seed: int | None, sandbox: Sandbox
) -> golden.GoldenDifference | None:
    text = text_of(path)
    if text.lstrip().startswith("{"):
        if seed is not None:
            raise UsageFault("--seed is for logs; this file says its seed itself")
        return runner_difference(read_runner_file(path, text), game, rules_level, sandbox)
    log = read_tester_log(path, text)
    if seed is None and game.program is not None and game.program.seed_bits:
        raise UsageFault("a log does not say its seed: give it with --seed")
    return log_difference(log, seed_or_drawn(seed), game, rules_level, sandbox)
