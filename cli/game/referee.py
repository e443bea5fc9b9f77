"""`ladder game new | check | add | update | remove`: games of one's own, and those whose referee is a program."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cli.answer import Answer, ExitStatus, Found, argument, option
from cli.context import Context
from cli.options.files import file_argument, file_option
from cli.options.names import ByOption, SandboxOption, ladder_game_argument, operator_named
from cli.terminal.words import quoted
from engine.conformance import kit
from engine.conformance.kit import CheckFinding
from engine.conformance.programs import SEEDS, check
from engine.conformance.ways import ProgramCheck, is_doubtful, shows_sdk, why_silent
from engine.conversation import FOR_TWO, MOST_PLAYERS, TimeLimits
from engine.errors import UsageFault, plain_words
from engine.game import Game
from engine.games.game_folder import TABLE, GameTable, load_game
from engine.new_game import write_skeleton
from engine.referees.edition import (
    Gathered,
    changed_edition,
    gather,
    load_edition,
    load_folder,
    name_below,
    new_edition,
    read_folder,
    write_folder,
)
from engine.referees.game_file import NewGame, Value
from engine.referees.program import ALL_RULES, ProtocolKind, command_words, why_unfit
from engine.series import build_file, opened
from engine.toolchains.source import Tree
from ladder import actions
from ladder.views.games import CheckedGame, listed_game

if TYPE_CHECKING:
    from rich.text import Text


@dataclass(frozen=True, slots=True)
class Described:
    """The options, as they were typed."""

    referee: str | None
    kind: ProtocolKind | None
    players: str | None
    files: Sequence[Path]
    fault_line: str | None
    title: str | None
    statement: Path | None
    params: Sequence[str]
    first_limit: int | None
    turn_limit: int | None

    @property
    def is_said(self) -> bool:
        values = (self.referee, self.kind, self.players, self.fault_line, self.title, self.statement, self.first_limit)
        return any(value is not None for value in (*values, self.turn_limit)) or bool(self.files or self.params)

    @property
    def all_files(self) -> list[Path]:
        return [*self.files, *([self.statement] if self.statement else [])]

    @property
    def limits(self) -> TimeLimits | None:
        """The limits of the bots' time; None: not said. Raises UsageFault where only one is said."""
        if (self.first_limit is None) != (self.turn_limit is None):
            raise UsageFault("--first-limit and --turn-limit go together: say both, or neither")
        if self.first_limit is None or self.turn_limit is None:
            return None
        return TimeLimits(self.first_limit, self.turn_limit)


def described_game(said: Described, name: str, rules_level: int) -> NewGame:
    if said.referee is None:
        raise UsageFault('--referee is missing: the command that starts the referee, as in --referee "./tron"')
    return NewGame(
        name=name,
        title=said.title or name.replace("-", " ").title(),
        kind=said.kind or ProtocolKind.SDK,
        command=said.referee,
        players=numbers_of_players(said.players),
        rules_level=rules_level,
        fault_line=said.fault_line,
        limits=said.limits,
        statement=name_below(Path.cwd() / said.statement, Path.cwd()) if said.statement else "",
        parameters=parameters_of(said.params),
    )


def numbers_of_players(words: str | None) -> tuple[int, ...]:
    """Read numbers of players: 3, 2-4 or 2,4. Raises UsageFault."""
    if words is None:
        raise UsageFault("--players is missing: how many play, as in --players 3 or --players 2-4")
    found: set[int] = set()
    for part in words.split(","):
        match = re.fullmatch(r"\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?\s*", part)
        numbers = range(int(match[1]), int(match[2] or match[1]) + 1) if match else range(0)
        if not numbers or not (numbers[0] >= 2 and numbers[-1] <= MOST_PLAYERS):
            raise UsageFault(f"--players {words}: a game has from 2 to {MOST_PLAYERS} players, as in 3, 2-4 or 2,4")
        found.update(numbers)
    return tuple(sorted(found))


def parameters_of(words: Sequence[str]) -> dict[str, str]:
    """Read `key=value`. Raises UsageFault."""
    found = {}
    for word in words:
        key, mark, value = word.partition("=")
        if not (key and mark) or "\n" in word:
            raise UsageFault(f"--param {word}: it must be key=value")
        found[key] = value
    return found


def described_changes(said: Described, before: Game) -> tuple[dict[str, dict[str, Value]], dict[str, Path]]:
    program = before.program
    if program is None:
        raise UsageFault(f"the rules of {before.name} are in Python")
    own: dict[str, Value] = {"checked": False}
    referee: dict[str, Value] = {}
    files = {name_below(Path.cwd() / path, Path.cwd()): Path.cwd() / path for path in said.all_files}
    names = [*program.files, *(name for name in files if name not in program.files)]
    if said.referee is not None:
        gathered = gather(said.referee, said.all_files, Path.cwd())
        files = dict(gathered.files)
        names = list(files)
        referee |= {"command": gathered.command, "needs": list(gathered.needs)}
    elif missing := next((path for path in files.values() if not path.exists()), None):
        raise UsageFault(f"--file {missing}: no such file is there")
    if files:
        referee["files"] = names
    if said.players is not None:
        own["players"] = list(numbers_of_players(said.players))
    if said.fault_line is not None:
        own["fault_line"] = said.fault_line
    if said.title is not None:
        own["title"] = said.title
    if said.statement is not None:
        own["statement"] = name_below(Path.cwd() / said.statement, Path.cwd())
    if limits := said.limits:
        own |= {"first_limit_ms": limits.first_ms, "turn_limit_ms": limits.turn_ms}
    changes: dict[str, dict[str, Value]] = {"": own, "referee": referee, "parameters": dict(parameters_of(said.params))}
    return {table: values for table, values in changes.items() if values}, files


RefereeOption = Annotated[
    str | None, option("--referee", "The command that starts it, in quotes; files that it names come with the game.")
]
FilesOption = Annotated[
    list[Path] | None, file_option("--file", "A further file or folder of the referee; may be repeated.")
]
KindOption = Annotated[
    ProtocolKind | None,
    option(
        "--kind",
        "What it speaks: sdk, or the older brutaltester; or command, if it starts the bots itself. "
        "[default: what it asks by when it is tried]",
    ),
]
PlayersOption = Annotated[str | None, option("--players", "How many play: 3, 2-4 or 2,4.", metavar="NUMBERS")]
FaultLineOption = Annotated[
    str | None,
    option("--fault-line", "brutaltester, more than two players: a line that is a wrong move, given for who is out."),
]
TitleOption = Annotated[str | None, option("--title", "For people. [default: the name]")]
StatementOption = Annotated[Path | None, file_option("--statement", "The rules for players, a Markdown file.")]
ParamsOption = Annotated[
    list[str] | None, option("--param", "key=value, given to the referee with each match; may be repeated.")
]
FirstLimitOption = Annotated[
    int | None, option("--first-limit", "ms for a first answer. [default: the referee's]", min=1, max=60_000)
]
TurnLimitOption = Annotated[
    int | None, option("--turn-limit", "ms for later answers. [default: the referee's]", min=1, max=60_000)
]
FolderOption = Annotated[
    Path | None, file_option("--game-folder", "A folder with a game.toml and all files, in the place of these options.")
]
CheckOption = Annotated[
    bool, option("--check", "Check it first, with the bots after the name; files, as in a.py b.cpp.")
]
BotsArgument = Annotated[list[str] | None, argument("With --check: bots that play it.", metavar="[BOT]...")]


def add_game(
    context: Context,
    name: Annotated[str, argument("What the game is called, as in tron.")],
    bots: BotsArgument = None,
    referee: RefereeOption = None,
    kind: KindOption = None,
    players: PlayersOption = None,
    file: FilesOption = None,
    fault_line: FaultLineOption = None,
    rules_level: Annotated[
        int, option("--rules-level", "The rules by which it plays; 19 is all of them.", min=1, max=1_000)
    ] = ALL_RULES,
    title: TitleOption = None,
    statement: StatementOption = None,
    param: ParamsOption = None,
    first_limit: FirstLimitOption = None,
    turn_limit: TurnLimitOption = None,
    game_folder: FolderOption = None,
    check: CheckOption = False,
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
    said = Described(
        referee, kind, players, file or [], fault_line, title, statement, param or [], first_limit, turn_limit
    )
    tree = edition_to_add(context, said, name, rules_level, game_folder, sandbox)
    if bots and not check:
        raise UsageFault(f"{bots[0]}: say --check before bots that are to play the game")
    found = check_tree(context, tree, bots or [], None, sandbox) if check else None
    tree = found.tree if found else tree
    game = load_edition(tree)
    if to is not None:
        write_folder(tree, to)
    else:
        context.act(actions.games.add, operator_named(player), game, tree)
    return Answer(listed_game(game), lambda: [*(checked_parts(found) if found else ()), quoted(added_words(game, to))])


def edition_to_add(
    context: Context, said: Described, name: str, rules_level: int, folder: Path | None, sandbox: str | None
) -> Tree:
    if folder is not None:
        return folder_alone(folder, said, name)
    new = described_game(said, name, rules_level)
    gathered = gather(new.command, said.all_files, Path.cwd())
    if said.kind is None:
        new = replace(new, kind=spoken_kind(context, new, gathered, sandbox))
    if new.kind is ProtocolKind.BRUTALTESTER and new.players != FOR_TWO and new.fault_line is None:
        raise UsageFault(
            "--fault-line is missing: with more than two players this protocol needs a line that the referee takes "
            "for a wrong move"
        )
    tree = new_edition(new, gathered)
    require_spoken(load_edition(tree), sandbox)
    return tree


def folder_alone(folder: Path, said: Described, name: str) -> Tree:
    if said.is_said:
        raise UsageFault("--game-folder cannot be used with options that say what stands in its game.toml")
    game = load_folder(folder)
    if game.name != name:
        raise UsageFault(f"{folder}/game.toml: name is {game.name!r}, not {name!r}")
    return read_folder(folder)


def added_words(game: Game, to: Path | None) -> str:
    level = ", ".join(dict.fromkeys(str(league.rules_level) for league in game.leagues))
    players = " or ".join(map(str, game.players))
    if to is not None:
        return f"{to}: {game.name}, for {players} players, by rules level {level}; nothing was added to a ladder"
    return f"{game.name} is added: for {players} players, by rules level {level}; files {game.edition[:12]}"


def update_game(
    context: Context,
    name: Annotated[str, ladder_game_argument()],
    referee: RefereeOption = None,
    players: PlayersOption = None,
    file: FilesOption = None,
    fault_line: FaultLineOption = None,
    title: TitleOption = None,
    statement: StatementOption = None,
    param: ParamsOption = None,
    first_limit: FirstLimitOption = None,
    turn_limit: TurnLimitOption = None,
    game_folder: FolderOption = None,
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
    said = Described(
        referee, None, players, file or [], fault_line, title, statement, param or [], first_limit, turn_limit
    )
    before = game_of_ladder(context, name)
    tree = edition_to_change(said, before, game_folder)
    done = context.act(
        actions.games.update, operator_named(player), before, load_edition(tree), tree, new_season=new_season
    )
    if not done.changed:
        return Answer(done, quoted(f"nothing to do: {name} has these files already"))
    season = "; its season was closed" if done.new_season else ""
    return Answer(done, quoted(f"{name} is changed: files {before.edition[:12]} to {done.edition[:12]}{season}"))


def edition_to_change(said: Described, before: Game, folder: Path | None) -> Tree:
    if folder is not None:
        return folder_alone(folder, said, before.name)
    if not said.is_said:
        raise UsageFault("nothing to change was said: --referee, --file, --players and others say it")
    values, files = described_changes(said, before)
    tree = changed_edition(before.folder, values, files)
    if said.referee is not None:
        require_spoken(load_edition(tree), None)
    return tree


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
    used = context.act(actions.games.remove, operator_named(player), name, keep_matches=keep_matches)
    kept = f"; {used.bots:,} bots and {used.matches:,} matches are kept" if keep_matches else ""
    return Answer(used, lambda: quoted(f"{name} is removed{kept}"))


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
    if is_rules_in_python(Path(what)):
        if bots or seeds or as_json:
            raise UsageFault("--bots, --seeds and --json are for games whose referee is a program")
        return check_rules(context, Path(what), sandbox)
    if with_bots and not bots:
        raise UsageFault("--bots: name at least one bot after the game")
    if Path(what).is_dir():
        found = check_folder(context, Path(what), bots or [], seeds, sandbox)
    else:
        found = check_on_ladder(context, what, bots or [], seeds, sandbox, player)
    status = ExitStatus.OK if found.check.is_sound else ExitStatus.FAILED
    return Answer(found.view, lambda: checked_parts(found), status=status)


def is_rules_in_python(folder: Path) -> bool:
    return folder.is_dir() and not GameTable(folder / TABLE).is_table("referee")


def check_on_ladder(
    context: Context, name: str, bots: Sequence[str], seeds: int | None, sandbox: str | None, player: str | None
) -> CheckedEdition:
    game = game_of_ladder(context, name)
    found = checked_edition(context, game, bots, seeds, sandbox)
    if found.tree.hash != game.edition:
        context.act(actions.games.update, operator_named(player), game, load_edition(found.tree), found.tree)
    return found


def check_rules(context: Context, folder: Path, sandbox: str | None) -> Answer:
    game = load_game(folder.absolute())
    is_sound = True
    for finding in kit.check(game, opened(sandbox)):  # each is shown as soon as it is there
        context.show(quoted(finding_text(finding)))
        is_sound = is_sound and not finding.complaints
    return Answer(None, (), status=ExitStatus.OK if is_sound else ExitStatus.FAILED)


def finding_text(finding: CheckFinding) -> str:
    result = "lacks" if finding.lacks else "failed" if finding.complaints else "ok"
    return "\n".join([f"{result:7}{finding.check}", *(f"{'':7}{one}" for one in finding.complaints)])


@dataclass(frozen=True, slots=True)
class CheckedEdition:
    """A game that was checked. `tree`: its files, with what was found written into `game.toml`."""

    game: str
    check: ProgramCheck
    tree: Tree

    @property
    def view(self) -> CheckedGame:
        return CheckedGame(self.game, self.check.is_sound, self.check.findings, self.tree.hash)


SAID_FIRST = {ProtocolKind.SDK: "INIT", ProtocolKind.BRUTALTESTER: "###Start"}
"""What a referee is sent first, by each protocol in which it asks."""


def spoken_kind(context: Context, new: NewGame, gathered: Gathered, sandbox: str | None) -> ProtocolKind:
    """Find out by its jar or by starting it which protocol a new referee speaks, and say so. Raises UsageFault."""
    if why_unfit(command_words(new.command), new.players) is None:
        raise UsageFault("this command is given the bots, so it starts them itself: say --kind command")
    game = load_edition(new_edition(new, gathered))
    if game.program is None:
        raise UsageFault(f"the rules of {game.name} are in Python")
    if shows_sdk(game.program):
        return ProtocolKind.SDK
    whys = []
    for kind, first in SAID_FIRST.items():
        why = why_silent(game, replace(game.program, kind=kind), opened(sandbox))
        if not why:
            context.say(f"its referee speaks {kind}: it asks when it is sent {first}")
            return kind
        whys.append(f"sent {first}: {why}")
    raise UsageFault(f"say by --kind which protocol the referee speaks, for it asks nothing; {'; '.join(whys)}")


def require_spoken(game: Game, sandbox: str | None) -> None:
    """Raise UsageFault where a referee is to speak `sdk`, its jar does not show that it does, and it asks nothing."""
    if game.program is not None and is_doubtful(game.program):
        why = why_silent(game, game.program, opened(sandbox))
        if why:
            raise UsageFault(
                f"this jar does not speak the protocol of the SDK: {why}; one that speaks the older protocol is added "
                "with --kind brutaltester"
            )


def checked_edition(
    context: Context, game: Game, bots: Sequence[str], seeds: int | None, sandbox: str | None
) -> CheckedEdition:
    programs = [build_file(word, context.settings.source_chars, sandbox) for word in bots]
    found = check(game, programs, opened(sandbox), SEEDS if seeds is None else seeds)
    return CheckedEdition(game.name, found, changed_edition(game.folder, found.values, {}))


def check_tree(
    context: Context, tree: Tree, bots: Sequence[str], seeds: int | None, sandbox: str | None
) -> CheckedEdition:
    """Check a game that is to be added. Raises UsageFault where it is not as its file says, and as above."""
    found = checked_edition(context, load_edition(tree), bots, seeds, sandbox)
    wrong = [finding for finding in found.check.findings if finding.proof == "wrong"]
    if wrong:
        raise UsageFault(f"{found.game} was not added: {wrong[0].words}")
    return found


def check_folder(
    context: Context, folder: Path, bots: Sequence[str], seeds: int | None, sandbox: str | None
) -> CheckedEdition:
    """Check the game in a folder, and write what was found into its `game.toml`. Raises as above."""
    found = checked_edition(context, load_folder(folder), bots, seeds, sandbox)
    try:
        (folder / TABLE).write_bytes(found.tree.contents[TABLE])
    except OSError as error:
        raise UsageFault(f"cannot write {folder / TABLE}: {plain_words(error)}") from error
    return found


def checked_parts(found: CheckedEdition) -> list[Text]:
    return [quoted(f"{finding.proof.value:10}{finding.about}: {finding.words}") for finding in found.check.findings]
