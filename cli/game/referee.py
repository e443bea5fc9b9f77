"""`ladder game new | check | add | update | remove`: games of one's own, and those whose referee is a program."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cli.answer import Answer, ExitStatus, Found, Options, argument, option
from cli.context import Context
from cli.options.files import file_argument, file_option, write_file
from cli.options.names import ByOption, SandboxOption, ladder_game_argument, operator_named
from cli.terminal.words import quoted
from engine.conformance import kit
from engine.conformance.programs import SEEDS, ProgramCheck, check, is_doubtful, shows_sdk, why_silent
from engine.conversation import FOR_TWO, MOST_PLAYERS, TimeLimits
from engine.errors import UsageFault
from engine.game import Game
from engine.games.game_folder import TABLE, GameTable, load_game
from engine.immutable import immutable
from engine.new_game import write_skeleton
from engine.referees import edition
from engine.referees.edition import NewGame, Value
from engine.referees.program import ALL_RULES, ProtocolKind, command_words, why_unfit
from engine.series import build_file, opened
from engine.toolchains.source import Tree
from ladder import actions
from ladder.views.games import CheckedGame, listed_game

if TYPE_CHECKING:
    from rich.text import Text


@immutable
class Described(Options):
    """What options say of a game."""

    referee: Annotated[
        str | None,
        option("--referee", "The command that starts it, in quotes; files that it names come with the game."),
    ] = None
    kind: Annotated[
        ProtocolKind | None,
        option(
            "--kind",
            "What it speaks: sdk, or the older brutaltester; or command, if it starts the bots itself. "
            "[default: what it asks by when it is tried]",
        ),
    ] = None
    players: Annotated[str | None, option("--players", "How many play: 3, 2-4 or 2,4.", metavar="NUMBERS")] = None
    files: Annotated[
        list[Path] | None, file_option("--file", "A further file or folder of the referee; may be repeated.")
    ] = None
    fault_line: Annotated[
        str | None,
        option(
            "--fault-line", "brutaltester, more than two players: a line that is a wrong move, given for who is out."
        ),
    ] = None
    rules_level: Annotated[
        int, option("--rules-level", "The rules by which it plays; 19 is all of them.", min=1, max=1_000)
    ] = ALL_RULES
    title: Annotated[str | None, option("--title", "For people. [default: the name]")] = None
    statement: Annotated[Path | None, file_option("--statement", "The rules for players, a Markdown file.")] = None
    params: Annotated[
        list[str] | None, option("--param", "key=value, given to the referee with each match; may be repeated.")
    ] = None
    first_limit: Annotated[
        int | None, option("--first-limit", "ms for a first answer. [default: the referee's]", min=1, max=60_000)
    ] = None
    turn_limit: Annotated[
        int | None, option("--turn-limit", "ms for later answers. [default: the referee's]", min=1, max=60_000)
    ] = None
    game_folder: Annotated[
        Path | None,
        file_option("--game-folder", "A folder with a game.toml and all files, in the place of these options."),
    ] = None

    @property
    def are_some(self) -> bool:
        """Whether options say what stands in a game.toml."""
        files, params = self.files or None, self.params or None
        return replace(self, rules_level=ALL_RULES, files=files, params=params, game_folder=None) != Described()

    @property
    def all_files(self) -> list[Path]:
        return [*(self.files or ()), *([self.statement] if self.statement else [])]

    @property
    def statement_file(self) -> str | None:
        """The statement's name in the game's folder."""
        return None if self.statement is None else edition.name_below(Path.cwd() / self.statement, Path.cwd())

    @property
    def limits(self) -> TimeLimits | None:
        """The limits of the bots' time; None: not said. Raises UsageFault where only one is said."""
        if (self.first_limit is None) != (self.turn_limit is None):
            raise UsageFault("--first-limit and --turn-limit go together: say both, or neither")
        if self.first_limit is None or self.turn_limit is None:
            return None
        return TimeLimits(self.first_limit, self.turn_limit)


def described_game(described: Described, name: str) -> NewGame:
    if described.referee is None:
        raise UsageFault('--referee is missing: the command that starts the referee, as in --referee "./tron"')
    return NewGame(
        name=name,
        title=described.title or name.replace("-", " ").title(),
        kind=described.kind or ProtocolKind.SDK,
        command=described.referee,
        players=numbers_of_players(described.players),
        rules_level=described.rules_level,
        fault_line=described.fault_line,
        limits=described.limits,
        statement=described.statement_file or "",
        parameters=parameters_of(described.params or ()),
    )


def numbers_of_players(words: str | None) -> tuple[int, ...]:
    """Read numbers of players: 3, 2-4 or 2,4. Raises UsageFault."""
    if words is None:
        raise UsageFault("--players is missing: how many play, as in --players 3 or --players 2-4")
    counts: set[int] = set()
    for part in words.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?\s*", part)
        numbers = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
        if not numbers or not (numbers[0] >= 2 and numbers[-1] <= MOST_PLAYERS):
            raise UsageFault(f"--players {words}: a game has from 2 to {MOST_PLAYERS} players, as in 3, 2-4 or 2,4")
        counts.update(numbers)
    return tuple(sorted(counts))


def parameters_of(words: Sequence[str]) -> dict[str, str]:
    """Read `key=value`. Raises UsageFault."""
    for word in words:
        if "\n" in word or word.find("=") < 1:
            raise UsageFault(f"--param {word}: it must be key=value")
    return dict(word.split("=", 1) for word in words)


def described_changes(described: Described, before: Game) -> tuple[dict[str, dict[str, Value]], dict[str, Path]]:
    program = before.program
    if program is None:
        raise UsageFault(f"the rules of {before.name} are in Python")
    texts = {"fault_line": described.fault_line, "title": described.title, "statement": described.statement_file}
    top: dict[str, Value] = {"checked": False, **{key: text for key, text in texts.items() if text is not None}}
    referee: dict[str, Value] = {}
    files = {edition.name_below(Path.cwd() / path, Path.cwd()): Path.cwd() / path for path in described.all_files}
    names = [*program.files, *(name for name in files if name not in program.files)]
    if described.referee is not None:
        gathered = edition.gather(described.referee, described.all_files, Path.cwd())
        files = dict(gathered.files)
        names = list(files)
        referee |= {"command": gathered.command, "needs": list(gathered.needs)}
    elif missing := next((path for path in files.values() if not path.exists()), None):
        raise UsageFault(f"--file {missing}: no such file is there")
    if files:
        referee["files"] = names
    if described.players is not None:
        top["players"] = list(numbers_of_players(described.players))
    if limits := described.limits:
        top |= {"first_limit_ms": limits.first_ms, "turn_limit_ms": limits.turn_ms}
    parameters: dict[str, Value] = dict(parameters_of(described.params or ()))
    tables = {"": top, "referee": referee, "parameters": parameters}
    return {table: values for table, values in tables.items() if values}, files


def add_game(
    context: Context,
    name: Annotated[str, argument("What the game is called, as in tron.")],
    bots: Annotated[list[str] | None, argument("With --check: bots that play it.", metavar="[BOT]...")] = None,
    *,
    described: Described,
    check: Annotated[
        bool, option("--check", "Check it first, with the bots after the name; files, as in a.py b.cpp.")
    ] = False,
    to: Annotated[
        Path | None, file_option("--to", "Only write the game's folder here, for `ladder play --game-folder`.")
    ] = None,
    sandbox: SandboxOption = None,
    player: ByOption = None,
) -> Found:
    """Add a game whose referee is a program, in any language.

    Its files are kept in the database for all workers, at most 64 MB in all, and it runs in a sandbox as bots do. With
    --check the bots play it first, and what that shows is kept with the game: what repeats a match, which numbers of
    players work, how it counts time. It is an operator's deed, which `ladder deeds` shows with a name.

    Example: ladder game add olymbits --referee "java -jar referee.jar" --kind sdk --players 3 --check a.py b.cpp
    Example: ladder game add tron --referee ./tron --kind brutaltester --players 2-4 --fault-line OUT
    Example: ladder game add tron --referee ./tron --kind brutaltester --players 2 --to ./tron-game
    Example: ladder game add tron --referee "python3 play.py {SEED} {PLAYERS}" --kind command --players 2-4
    """
    tree = edition_to_add(context, described, name, sandbox)
    if bots and not check:
        raise UsageFault(f"{bots[0]}: say --check before bots that are to play the game")
    report = None
    if check:
        report, tree = checked_edition(context, edition.load_edition(tree), bots or [], None, sandbox)
        if wrong := next((finding for finding in report.findings if finding.proof == "wrong"), None):
            raise UsageFault(f"{name} was not added: {wrong.words}")
    game = edition.load_edition(tree)
    if to is not None:
        edition.write_folder(tree, to)
    else:
        context.act(actions.games.add, operator_named(player), game, tree)
    words = added_words(game, to)
    return Answer(listed_game(game), lambda: [*(checked_parts(report) if report else ()), quoted(words)])


def edition_to_add(context: Context, described: Described, name: str, sandbox: str | None) -> Tree:
    if described.game_folder is not None:
        return folder_alone(described.game_folder, described, name)
    new = described_game(described, name)
    gathered = edition.gather(new.command, described.all_files, Path.cwd())
    if described.kind is None:
        new = replace(new, kind=spoken_kind(context, new, gathered, sandbox))
    if new.kind is ProtocolKind.BRUTALTESTER and new.players != FOR_TWO and new.fault_line is None:
        raise UsageFault(
            "--fault-line is missing: with more than two players this protocol needs a line that the referee takes "
            "for a wrong move"
        )
    tree = edition.new_edition(new, gathered)
    require_spoken(edition.load_edition(tree), sandbox)
    return tree


def folder_alone(folder: Path, described: Described, name: str) -> Tree:
    if described.are_some:
        raise UsageFault("--game-folder cannot be used with options that say what stands in its game.toml")
    game = edition.load_folder(folder)
    if game.name != name:
        raise UsageFault(f"{folder}/game.toml: name is {game.name!r}, not {name!r}")
    return edition.read_folder(folder)


def added_words(game: Game, to: Path | None) -> str:
    level = ", ".join(dict.fromkeys(str(league.rules_level) for league in game.leagues))
    players = " or ".join(map(str, game.players))
    if to is not None:
        return f"{to}: {game.name}, for {players} players, by rules level {level}; nothing was added to a ladder"
    return f"{game.name} is added: for {players} players, by rules level {level}; files {game.edition[:12]}"


def update_game(
    context: Context,
    name: Annotated[str, ladder_game_argument()],
    *,
    described: Annotated[Described, {"kind", "rules_level"}],
    new_season: Annotated[
        bool, option("--new-season", "Close the season, if it has rated matches, and begin the next one.")
    ] = False,
    player: ByOption = None,
) -> Found:
    """Change the files of a game, or what is said of it.

    Its old files are kept: each match has the hash of those by which it was played, and a gauntlet ends with those with
    which it began. What waits to be played goes by the new ones. While the season has rated matches this is refused
    without --new-season. What a check has found out is to be found out anew: `ladder game check`.

    Example: ladder game update tron --referee ./tron2 --new-season
    """
    before = game_of_ladder(context, name)
    if described.game_folder is not None:
        tree = folder_alone(described.game_folder, described, name)
    elif described.are_some:
        tree = edition.changed_edition(before.folder, *described_changes(described, before))
        if described.referee is not None:
            require_spoken(edition.load_edition(tree), None)
    else:
        raise UsageFault("nothing to change was said: --referee, --file, --players and others say it")
    actor = operator_named(player)
    update = context.act(actions.games.update, actor, before, edition.load_edition(tree), tree, new_season=new_season)
    if not update.changed:
        return Answer(update, quoted(f"nothing to do: {name} has these files already"))
    season = "; its season was closed" if update.new_season else ""
    return Answer(update, quoted(f"{name} is changed: files {before.edition[:12]} to {update.edition[:12]}{season}"))


def game_of_ladder(context: Context, name: str) -> Game:
    """Return a game whose referee is a program. Raises UnknownName; UsageFault for one with rules in Python."""
    game = context.games.find(name)
    if game.program is None:
        raise UsageFault(f"the rules of {name} are in Python: they are changed in its folder, {game.folder}")
    return game


def remove_game(
    context: Context,
    name: Annotated[str, ladder_game_argument()],
    keep_matches: Annotated[
        bool, option("--keep-matches", "Also if it has bots and matches, which stay as they are.")
    ] = False,
    player: ByOption = None,
) -> Found:
    """Remove a game whose referee is a program.

    One that has bots or matches is removed only with --keep-matches: then no more is played, what waits becomes void,
    and all that was played stays, with the files by which it was.

    Example: ladder game remove tron --keep-matches
    """
    use = context.act(actions.games.remove, operator_named(player), name, keep_matches=keep_matches)
    rest = f"; {use.bots:,} bots and {use.matches:,} matches are kept" if keep_matches else ""
    return Answer(use, lambda: quoted(f"{name} is removed{rest}"))


def new_game(
    context: Context,
    name: Annotated[str, argument("What the game is called, as in tic-tac-toe.")],
    folder: Annotated[Path, file_argument("Where it is written: a folder that is empty, or is not there yet.")],
) -> None:
    """Write the skeleton of a game of your own.

    It is a small game that can be played at once and passes `ladder game check`; change it file by file. Ladder finds
    it where LADDER_GAMES names its folder or the one above it, on every machine that plays its matches.

    Example: ladder game new tic-tac-toe ~/games/tic-tac-toe
    """
    for path in write_skeleton(name, folder):
        context.show(quoted(str(path)))
    context.say(quoted(f"try it: ladder game check {folder}, then LADDER_GAMES={folder} ladder game show {name}"))


def check_game(
    context: Context,
    what: Annotated[str, ladder_game_argument("A game's folder, or a game of the ladder.", or_folder=True)],
    bots: Annotated[list[str] | None, argument("With --bots: bots that play it.", metavar="[BOT]...")] = None,
    with_bots: Annotated[
        bool, option("--bots", "The words after the game are bots that play it; files, as in a.py b.cpp.")
    ] = False,
    seeds: Annotated[int | None, option("--seeds", "Play that many seeds. [default: 3]", min=2, max=1000)] = None,
    sandbox: SandboxOption = None,
    player: ByOption = None,
    as_json: Annotated[bool, option("--json", "Print what was found as JSON.")] = False,
) -> Found:
    """Check a game.

    A folder of rules in Python, with the conformance kit: files and keys, statements, that its referee ends every match
    and gives the same one again, that its bosses and starters pass their trial matches, and, where it has them, golden
    records and secrets.

    A game whose referee is a program, by letting it lead matches between bots and then giving a fresh one the same
    answers: what repeats a match, which numbers of players work, how it counts time, what its fault line does. What is
    found is written into its game.toml. Without bots only its first questions are compared, and what that leaves open
    is said to be unproven.

    Exit status 1 where something is wrong, 2 where the game cannot be loaded.

    Example: ladder game check ~/games/tic-tac-toe
    Example: ladder game check olymbits --bots a.py b.cpp --seeds 5
    """
    if bots and not with_bots:
        raise UsageFault(f"{bots[0]}: say --bots before bots that are to play it")
    folder = Path(what)
    if folder.is_dir() and not GameTable(folder / TABLE).is_table("referee"):
        if bots or seeds or as_json:
            raise UsageFault("--bots, --seeds and --json are for games whose referee is a program")
        return check_rules(context, folder, sandbox)
    if with_bots and not bots:
        raise UsageFault("--bots: name at least one bot after the game")
    game = edition.load_folder(folder) if folder.is_dir() else game_of_ladder(context, what)
    report, tree = checked_edition(context, game, bots or [], seeds, sandbox)
    if folder.is_dir():
        write_file(folder / TABLE, tree.contents[TABLE], over=True)
    elif tree.hash != game.edition:
        context.act(actions.games.update, operator_named(player), game, edition.load_edition(tree), tree)
    status = ExitStatus.OK if report.is_sound else ExitStatus.FAILED
    view = CheckedGame(game.name, report.is_sound, report.findings, tree.hash)
    return Answer(view, lambda: checked_parts(report), status=status)


def check_rules(context: Context, folder: Path, sandbox: str | None) -> Answer:
    is_sound = True
    for finding in kit.check(load_game(folder.absolute()), opened(sandbox)):  # each is shown as soon as it is there
        result = "lacks" if finding.lacks else "failed" if finding.complaints else "ok"
        complaints = [f"{'':7}{complaint}" for complaint in finding.complaints]
        context.show(quoted("\n".join([f"{result:7}{finding.check}", *complaints])))
        is_sound = is_sound and not finding.complaints
    return Answer(None, (), status=ExitStatus.OK if is_sound else ExitStatus.FAILED)


FIRST_LINES = {ProtocolKind.SDK: "INIT", ProtocolKind.BRUTALTESTER: "###Start"}
"""What a referee is sent first, by each protocol in which it asks."""


def spoken_kind(context: Context, new: NewGame, gathered: edition.Gathered, sandbox: str | None) -> ProtocolKind:
    """Find out by its jar or by starting it which protocol a new referee speaks, and say so. Raises UsageFault."""
    if why_unfit(command_words(new.command), new.players) is None:
        raise UsageFault("this command is given the bots, so it starts them itself: say --kind command")
    game = edition.load_edition(edition.new_edition(new, gathered))
    if game.program is None or shows_sdk(game.program):
        return ProtocolKind.SDK
    whys = []
    for kind, first in FIRST_LINES.items():
        why = why_silent(game, replace(game.program, kind=kind), opened(sandbox))
        if not why:
            context.say(f"its referee speaks {kind}: it asks when it is sent {first}")
            return kind
        whys.append(f"sent {first}: {why}")
    raise UsageFault(f"say by --kind which protocol the referee speaks, for it asks nothing; {'; '.join(whys)}")


def require_spoken(game: Game, sandbox: str | None) -> None:
    """Raise UsageFault where a referee is to speak `sdk`, its jar does not show that it does, and it asks nothing."""
    program = game.program
    if program is not None and is_doubtful(program) and (why := why_silent(game, program, opened(sandbox))):
        raise UsageFault(
            f"this jar does not speak the protocol of the SDK: {why}; one that speaks the older protocol is added "
            "with --kind brutaltester"
        )


def checked_edition(
    context: Context, game: Game, bots: Sequence[str], seeds: int | None, sandbox: str | None
) -> tuple[ProgramCheck, Tree]:
    """Check a game. Returns its files, too, with what was found written into `game.toml`."""
    programs = [build_file(word, context.settings.source_chars, sandbox) for word in bots]
    report = check(game, programs, opened(sandbox), SEEDS if seeds is None else seeds)
    return report, edition.changed_edition(game.folder, report.values, {})


def checked_parts(report: ProgramCheck) -> list[Text]:
    return [quoted(f"{finding.proof.value:10}{finding.about}: {finding.words}") for finding in report.findings]
