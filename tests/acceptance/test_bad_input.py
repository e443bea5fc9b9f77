"""Bad input: one clear sentence on stderr, the documented exit status, nothing changed, no traceback."""

import os
import shutil
import subprocess
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import psycopg
import pytest
import typer
from typer.models import ArgumentInfo, OptionInfo

from cli.options.matches import MatchName
from cli.program.assembly import program
from tests.acceptance.conftest import LADDER, NO_BROKER, Desk, Shell
from tests.catalogue import GAMES
from tests.throwaway import written
from workers.embedded import state_file
from workers.embedded.home import LadderHome

GAME = "ocean-of-code"


def test_input_that_makes_no_sense_is_refused_in_one_sentence(arena: Desk, bot: Path, tmp_path: Path) -> None:
    for name in ("bot.xyz", "bot.zip", "bot.tar.gz", "it's my bot.py"):
        (tmp_path / name).write_text("?")
    (tmp_path / "seeds").write_text("7\n1 2\n")
    for words, sentence in (
        (("submit", "{bot}", "--game", "chess"), "unknown game 'chess'; known: ocean-of-code, ice-and-fire"),
        (("submit", "{bot}", "--game", GAME, "--language", "klingon"), "unknown language 'klingon'"),
        (("submit", "{folder}/missing.py", "--game", GAME), "missing.py: No such file"),
        (("submit", "{folder}", "--game", GAME, "--language", "python"), "there is no ladder.toml in it"),
        (("submit", "{folder}", "--game", GAME), "there is no ladder.toml in it"),
        (("submit", "{bot} --depth 8", "--game", GAME), "only programs can be given arguments (--depth 8)"),
        (
            ("submit", "{folder}/bot.zip", "--game", GAME),
            "bot.zip: it cannot be unpacked: it is neither a whole zip nor a tar; pack",
        ),
        (("play", GAME, "{bot}", "{folder}/bot.tar.gz"), "bot.tar.gz: it cannot be unpacked"),
        (("play", GAME, "{bot}", "{folder}"), "there is no ladder.toml in it"),
        (("submit", "/dev/zero", "--game", GAME), "a source is a plain file"),
        (("submit", "{folder}/bot.xyz", "--game", GAME), ".xyz"),
        (
            ("submit", "{folder}/it's my bot.py", "--game", GAME),
            """can be made from "it's my bot.py"; give one with --bot""",
        ),
        (("submit", "{bot}", "--game", GAME, "--bot", "no good"), "a bot's name is 1 to 39"),
        (("submit", "{bot}", "--game", GAME, "--bot", ""), "a bot's name is 1 to 39"),
        (("submit", "{bot}", "--game", GAME, "--player", ""), "--player is empty"),
        (("bot", "activate", "boss-bronze@v1", "--player", ""), "--player is empty"),
        (("submit", "{bot}", "--game", GAME, "--language", ""), "unknown language ''"),
        (("match", "list", "--bot", ""), "unknown bot ''"),
        (("league", "list", "--game", ""), "unknown game ''"),
        (("season", "list", "--game", ""), "unknown game ''"),
        (("season", "show", GAME, "1", "--league", ""), "unknown league"),
        (("game", "show", GAME, "--league", ""), "unknown league"),
        (("board", "--json", "--csv"), "cannot be used together"),
        (("board", "--watch", "--json"), "cannot be used together"),
        (("board", "--game", "chess"), "unknown game 'chess'"),
        (("board", "--game", GAME, "--league", "tin"), "unknown league of ocean-of-code 'tin'; known: wood-2"),
        (("bot", "show", "nessie"), "unknown bot 'nessie'"),
        (("match", "show", "999999999"), "no match 999999999"),
        (("match", "show", "abc"), "'abc' is not a match number; `ladder match list` lists them"),
        (("gauntlet", "show", "0"), "0 cannot be a gauntlet number"),
        (("gauntlet", "run", "{bot}"), ".py is a file: add --local, or submit it"),
        (("bot", "show", "{bot}"), "is a file, and a bot or version is wanted here: submit it first"),
        (("bot", "activate", "{bot}"), "is a file, and a bot or version is wanted here"),
        (("submit", "nemo@v1", "--game", GAME), "`ladder bot source nemo@v1` prints its source"),
        (("submit", "{bot}"), "with --game, or set LADDER_GAME, or work in a bot's folder; known games: ocean-of-code"),
        (("play", GAME, "{bot}", "{bot}", "--seed", "99999999999999999999"), "not a signed 64-bit number"),
        (("play", GAME, "{bot}", "{bot}", "--matches", "0"), "'--matches' / '-n': it should be at least 1 ("),
        (("match", "input", "1", "--seat", "8"), "'--seat': it should be at most 7 ("),
        (("play", GAME, "{bot}", "{bot}", "--league", "tin"), "unknown league"),
        (("play", "chess", "{bot}", "{bot}"), "unknown game"),
        (("play", GAME, "{bot}", "{bot}", "--clock", "sun"), "'--clock': 'sun' is not one of 'fair', 'wall'"),
        (("match", "list", "--limit", "two"), "'--limit' / '-n': it should be a whole number"),
        (("play", GAME, "{bot}", "{bot}", "--policy", "kind"), "'strict', 'codingame'"),
        (("play", GAME, "{bot}", "{bot}", "--sandbox", "sand"), "unknown sandbox 'sand'; known: auto, bubblewrap"),
        (("play", GAME, "{bot}", "nessie"), "unknown bot 'nessie'"),
        (("play", GAME, "{bot}", "boss-bronze@v99"), "unknown version of boss-bronze 'v99'; known: v1"),
        (("play", GAME, "{bot}", "nessie@3"), "it should look like kraken@v3"),
        (("play", GAME, "{bot}", "{bot}", "--seeds", "9..1"), "9..1 is empty"),
        (("play", GAME, "{bot}", "{bot}", "--seeds", "1,2", "--seed", "3"), "leave --seed and --matches out"),
        (("play", GAME, "{bot}", "{bot}", "--no-limit", "--turn-limit", "9"), "--no-limit takes all limits away"),
        (("play", GAME, "{bot}", "{bot}", "--turn-limit", "0"), "--turn-limit"),
        (("play", GAME, "{bot}", "{bot}", "--stderr", "c"), "'a', 'b', 'both'"),
        (("play", GAME, "{bot}", "{bot}", "--seeds", "{folder}/seeds"), "line 2: 1 2 is not a seed; write one whole"),
        (("bot", "diff", "kraken", "v1", "v2"), "takes: v2; for example: `ladder bot diff kraken@v3 v4` (`--help`"),
        (("bot", "diff", "kraken"), "Missing argument 'second'; for example: `ladder bot diff kraken@v3 v4` ("),
        (("match", "list", "--bot", "nessie", "--won", "--lost"), "type --where 'result != drawn' for both"),
        (("match", "list", "--won", "--drawn", "--lost"), "leave --won, --drawn and --lost out"),
        (("match", "rejudge", "999999999"), "no match 999999999"),
        (("league", "show", "chess"), "unknown game 'chess'"),
        (("league", "apply", "{folder}/missing.toml"), "missing.toml: No such file"),
        (("dance",), "dance"),
        (("board", "--colour"), "--colour"),
    ):
        assert sentence in arena.refused(2, *(word.format(bot=bot, folder=tmp_path) for word in words)), words


def test_a_folder_that_is_typed_like_a_version_is_said_to_be_one(
    arena: Desk, desk: Desk, bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f2").mkdir()
    monkeypatch.chdir(tmp_path)
    play, advice = ("play", GAME, bot, "f2"), "for the folder of that name write ./f2/"
    assert f"f2 is not a version; {advice}" in arena.refused(2, *play)
    assert f"f2 is not a version; {advice}" in arena.refused(2, "gauntlet", "run", bot, "--against", "f2", "--local")
    assert "unknown bot 'f2'" in arena.refused(2, "bot", "show", "f2")
    assert "unknown league" in arena.refused(2, "play", GAME, bot, bot, "--league", "f2")
    assert "unknown game 'f2'" in arena.refused(2, "play", "f2", bot, bot)
    assert f"f2 is not a boss of {GAME}; {advice}" in desk.refused(2, *play)


def test_a_source_that_is_no_bot_is_refused_by_limits_of_choice(arena: Desk, bot: Path, tmp_path: Path) -> None:
    path = tmp_path / "strange.py"
    for content, sentence in (
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"x" * 100_001, "100,001 characters, the limit is 100,000"),
        (b"print('\xff\xfe')", "UTF-8"),
        (b"print('\0')", "NUL"),
    ):
        path.write_bytes(content)
        said = arena.refused(3, "submit", path, "--game", GAME)
        assert f"{path}: the source" in said
        assert sentence in said
        assert "unknown bot" in arena.refused(2, "bot", "show", "strange")
    sentence = arena.refused(3, "submit", bot, "--game", GAME, "--bot", "toolong", LADDER_SOURCE_CHARS="10")
    assert "more than 10 characters; that is the limit" in sentence
    assert "LADDER_SOURCE_CHARS" in arena.refused(2, "submit", bot, "--game", GAME, LADDER_SOURCE_CHARS="ten")


def test_a_name_that_is_no_text_is_refused_in_one_sentence(arena: Desk, bot: Path) -> None:
    for words in (("bot", "show"), ("submit", bot, "--game", GAME, "--bot"), ("match", "list", "--bot")):
        assert r"'kra\udcffken' is not text in UTF-8" in arena.refused(2, *words, "kra\udcffken")


def test_a_path_that_no_file_can_have_is_refused_in_one_sentence(arena: Desk) -> None:
    for words in (("match", "import"), ("export",), ("backup",)):
        assert f"{'x' * 77}... cannot be used: File name too long" in arena.refused(2, *words, "x" * 256)


def test_a_file_that_does_not_end_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.machine.MOST_FILE_MB", 1)
    monkeypatch.setattr("engine.games.golden._MOST_LINE_MB", 1)
    for words in ("tune show", "league apply", "contest open ocean-of-code --until 2100-01-01 --rules"):
        assert desk.refused(2, *words.split(), "/dev/zero") == "ladder: cannot read /dev/zero: it has more than 1 MB\n"
    assert "/dev/zero, line 1: it has more than 1 MB\n" in desk.refused(2, "game", "verify", "/dev/zero")


def test_a_second_submission_of_the_same_source_is_refused_with_the_first_ones_name(arena: Desk, bot: Path) -> None:
    arena.ok("submit", bot, "--game", GAME, "--bot", "twin")
    assert "it is twin@v1" in arena.refused(3, "submit", bot, "--game", GAME, "--bot", "twin")


def test_somebody_elses_name_is_refused(arena: Desk, bot: Path) -> None:
    arena.ok("submit", bot, "--game", GAME, "--bot", "owned", "--player", "ann")
    assert "belongs to ann" in arena.refused(3, "submit", bot, "--game", GAME, "--bot", "owned", "--player", "bob")


def test_a_bot_that_does_not_compile_is_rejected_with_the_compilers_words(arena: Desk, tmp_path: Path) -> None:
    path = written(tmp_path / "broken.cpp", "int main() { return missing_name; }")
    refusal = arena.refused(3, "play", GAME, path, path)
    assert "missing_name" in refusal
    assert "\nbroken.cpp:1:21: error" in refusal, "the file is called as its author calls it"
    assert "warning" not in refusal, "nothing is said of what comes with every source"
    done = arena.run("submit", path, "--game", GAME, "--watch")
    assert done.returncode == 3
    assert "missing_name" in done.stderr
    assert "broken.cpp:1:21: error" in done.stderr
    assert "missing_name" in arena.ok("bot", "show", "broken")
    assert "/bot/" not in refusal + done.stderr


def test_a_bot_in_a_language_without_a_recipe_is_refused_with_the_reason(arena: Desk, tmp_path: Path) -> None:
    path = written(tmp_path / "darting.dart", "void main() {}")
    words = "there is no recipe for Dart: Debian 12 has no package of its compiler"
    assert words in arena.refused(5, "play", GAME, path, path)
    done = arena.run("submit", path, "--game", GAME, "--watch")
    assert done.returncode == 3
    assert words in done.stderr


def test_what_the_compiler_said_of_a_bot_that_it_took_is_shown_with_the_bot(arena: Desk, tmp_path: Path) -> None:
    path = written(tmp_path / "grumble.cpp", "int careless() { }\nint main() { return 1; }")
    assert arena.run("submit", path, "--game", GAME, "--watch").returncode == 3
    shown = arena.ok("bot", "show", "grumble")
    assert "its compiler said" in shown
    assert "no return statement in function returning non-void [-Wreturn-type]" in shown
    assert "this one was built without optimisation" in shown
    assert "grumble.cpp:1:18: warning" in shown
    assert "its compiler had warned: no return statement" in shown, "what the trial match says of its end"
    assert "[-Wreturn-type]" in arena.json("bot", "show", "grumble")["versions"][0]["warnings"]


def test_a_bot_that_fails_its_trial_match_is_rejected_with_its_own_words(arena: Desk, tmp_path: Path) -> None:
    path = written(tmp_path / "crasher.py", "raise SystemExit('I would rather not [/bold] \\x1b[2J\\0')")
    done = arena.run("submit", path, "--game", GAME, "--watch")
    assert done.returncode == 3
    assert "I would rather not [/bold] \u241b[2J\u2400" in done.stderr
    crash = "crash on its first turn (match turn 1): the program ended with exit code 1"
    assert f"in a trial match against itself: {crash}" in done.stderr
    assert "I would rather not [/bold] \u241b[2J\u2400" in arena.ok("bot", "show", "crasher")
    assert "crasher has no finished match yet" in arena.run("match", "list", "--bot", "crasher").stderr


def test_commands_that_need_services_say_how_to_start_them(desk: Desk, bot: Path, tmp_path: Path) -> None:
    submit, leagues = ("submit", bot, "--game", GAME), written(tmp_path / "leagues.toml", f'game = "{GAME}"\n')
    moves = (("bot", "rewind", "kraken"), ("bot", "activate", "kraken@v1"))
    more = (("league", "apply", leagues), ("league", "show", GAME), ("rating", "verify"))
    for words in (("board",), ("status",), ("bot", "list"), ("match", "list"), submit, *moves, *more):
        assert "`ladder up`" in desk.refused(4, *words)


@pytest.fixture
def without_broker(arena: Desk) -> Mapping[str, str]:
    running = state_file.running(LadderHome.at(arena.home))
    assert running is not None
    return {"LADDER_DATABASE_URL": running.database_url, **NO_BROKER}


def test_a_submission_whose_broker_is_away_says_that_it_will_be_noticed_later(
    arena: Desk, without_broker: Mapping[str, str], bot: Path
) -> None:
    done = arena.run("submit", bot, "--game", GAME, "--bot", "patient", **without_broker)
    assert done.returncode == 0
    assert "patient@v1 is accepted all the same" in done.stderr


def test_the_status_without_a_broker_says_what_is_known(arena: Desk, without_broker: Mapping[str, str]) -> None:
    for words in (("status",), ("status", "--json")):
        done = arena.run(*words, **without_broker)
        assert done.returncode == 4
        assert "finished" in done.stdout
        assert done.stderr.startswith("ladder: the broker does not answer")
        assert done.stderr.count("\n") == 1


def test_a_named_database_that_does_not_answer_is_unavailable(desk: Desk, tmp_path: Path) -> None:
    named = {"LADDER_DATABASE_URL": f"postgresql://ladder@/ladder?host={tmp_path}", **NO_BROKER}
    told = desk.refused(4, "board", **named)
    assert "does not answer" in told
    assert told.endswith("; is LADDER_DATABASE_URL right?\n"), "no `ladder up` would start that one"


def test_a_database_without_schema_says_what_to_type(desk: Desk, database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    assert "ladder db migrate" in desk.refused(4, "board")
    desk.ok("db", "migrate")
    desk.ok("board")


def test_a_traceback_is_shown_only_on_request(desk: Desk) -> None:
    assert "Traceback" not in desk.run("board").stderr
    assert "Traceback" in desk.run("--debug", "board").stderr


def test_output_into_a_closed_pipe_is_no_error_message(arena: Desk) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    variables = arena.full_environment(PYTHONUNBUFFERED="")
    command: list[str | Path] = [LADDER, "board", "--json"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, env=variables, check=False)
    os.close(writing)
    assert done.stderr == b""


TOO_LARGE = str(10**20)
OF_WHOLE, OF_REAL = (TOO_LARGE,), ("nan", "inf", "1e300")
WITH_TEST = {"--alpha": ("--sprt", "0,10"), "--beta": ("--sprt", "0,10")}
"""What makes a command look at the option at all."""


@dataclass(frozen=True)
class Number:
    """A number on the command line: the words up to it, and values that it cannot have."""

    words: tuple[str, ...]
    values: tuple[str, ...]


def numbers() -> Iterator[Number]:
    for path, command in commands():
        parameters = parameters_of(command)
        kinds = [kind for kind, info in parameters if isinstance(info, ArgumentInfo)]
        given = [3 * ("1",) if kind == list[int] else ("1" if is_number(kind) else "x",) for kind in kinds]
        arguments = 0
        for kind, info in parameters:
            values = OF_REAL if kind is float else OF_WHOLE
            if isinstance(info, ArgumentInfo):
                arguments += 1
                if is_number(kind):
                    yield Number((*path, *sum(given[: arguments - 1], ())), values)
            elif is_number(kind):
                name = str(info.default)  # in an annotation the first word stands there
                below = () if info.min is None else (str(int(info.min) - 1),)
                needed = WITH_TEST.get(name, ()) if path[-1] != "stats" else ()
                yield Number((*path, *sum(given, ()), *needed, name), values + below)


def commands() -> Iterator[tuple[tuple[str, ...], Callable[..., Any]]]:
    groups: list[tuple[tuple[str, ...], typer.Typer]] = [((), program())]
    groups += [
        ((str(group.name),), group.typer_instance) for group in program().registered_groups if group.typer_instance
    ]
    for path, group in groups:
        for command in group.registered_commands:
            if command.callback is not None:
                yield (*path, command.name or command.callback.__name__), command.callback


def parameters_of(command: Callable[..., Any]) -> list[tuple[Any, OptionInfo | ArgumentInfo]]:
    hints = [get_args(hint) for hint in get_type_hints(command, include_extras=True).values()]
    return [(hint[0], hint[1]) for hint in hints if len(hint) == 2 and isinstance(hint[1], (OptionInfo, ArgumentInfo))]


def is_number(kind: Any) -> bool:
    return kind in (int, float, MatchName) or bool({int, float} & set(get_args(kind)))


ALL = list(numbers())


@pytest.mark.parametrize("number", ALL, ids=lambda number: "-".join(number.words))
def test_a_number_that_cannot_be_is_refused_in_a_sentence_before_anything_is_done(desk: Shell, number: Number) -> None:
    for value in number.values:
        done = desk.run(*number.words, value)
        assert (done.returncode, done.stdout) == (2, ""), (value, done.stderr)
        assert done.stderr.startswith("ladder: "), value
        assert done.stderr.count("\n") == 1, done.stderr
        assert "unexpected" not in done.stderr, value
    assert not desk.home.exists()


def test_the_numbers_of_all_kinds_of_commands_were_found() -> None:
    kinds = {("simulate", "--tau"), ("match", "show"), ("match", "--limit"), ("game", "--seed"), ("up", "--workers")}
    assert kinds <= {(number.words[0], number.words[-1]) for number in ALL}


def test_the_largest_numbers_that_are_taken_can_be_worked_with(desk: Shell) -> None:
    small = ("simulate", "--bots", "3", "--battles", "2", "--repeats", "1", "--resubmissions", "1", "--jobs", "1")
    for words in (("--tau", "10000"), ("--spread", "100"), ("--draws", "0.9"), ("--near-ranks", "100000")):
        assert "trueskill" in desk.ok(*small, *words)
    assert "nan" not in desk.ok("gauntlet", "stats", "1000000000", "1", "1", "--alpha", "0.000001")


GAUNTLET = ("gauntlet", "run", "--game", GAME, "--against", "{good}", "--pairs", "1", "--local", "--jobs", "1")
BOTS = GAMES.find(GAME).bots_folder
HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b\nFORGED\r\t\u202e\u200f\u2028"
STEERING = ("Cc", "Cf", "Zl", "Zp")
"""Kinds of characters that steer: controls, formats, separators of lines."""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Files with hostile names: a bot that plays, one that does not compile, one not there; and two with hostile words.

    One of these crashes with such words, the other answers with them.
    """
    texts = {
        "bot": (BOTS / "drifter_v1.py").read_text("utf-8"),
        "broken": "print('\x1b[2J'\n",
        "crash": f"import sys\nsys.exit({HOSTILE!r})\n",
        "illegal": f"while True:\n    input()\n    print({HOSTILE!r}, flush=True)\n",
    }
    paths = {name: tmp_path / f"{name}{HOSTILE}.py" for name in (*texts, "missing")}
    for name, text in texts.items():
        paths[name].write_text(text, "utf-8")
    shutil.copy(BOTS / "drifter_v1.py", tmp_path / "good.py")
    odd = written(tmp_path / f"odd.{HOSTILE}", "x")
    return {**{name: str(path) for name, path in paths.items()}, "good": str(tmp_path / "good.py"), "odd": str(odd)}


def test_what_a_command_says_steers_no_terminal(desk: Desk, files: dict[str, str]) -> None:
    """`status`: None where it depends on whether services run."""
    for words, status in (
        (("play", GAME, "{bot}", "{good}"), 0),
        (("play", GAME, "{crash}", "{good}"), 0),
        (("play", GAME, "{crash}", "{good}", "--stderr", "a"), 0),
        (("play", GAME, "{illegal}", "{good}"), 0),
        (("play", GAME, "{crash}", "{good}", "--matches", "2", "--jobs", "1", "--worse-only"), 0),
        (("play", GAME, "{broken}", "{good}"), 3),
        (("play", GAME, "{missing}", "{good}"), 2),
        (("play", GAME, "{odd}", "{good}"), 2),
        (("play", "{bot}", "{good}", "{good}"), 2),
        ((*GAUNTLET, "{bot}"), None),
        ((*GAUNTLET, "{crash}"), None),
        ((*GAUNTLET, "{crash}", "--json"), None),
        ((*GAUNTLET, "{crash}", "--worse-only"), None),
        ((*GAUNTLET, "{illegal}"), None),
        ((*GAUNTLET, "{missing}"), 2),
        ((*GAUNTLET, "{broken}"), 3),
        (("submit", "{missing}", "--game", GAME), None),
        (("submit", "{bot}", "--game", "{bot}"), None),
        (("league", "apply", "{missing}"), None),
        (("league", "apply", "{broken}"), None),
        (("{bot}",), 2),
        (("board", "--{bot}"), 2),
        (("bot", "show", "{bot}"), None),
    ):
        done = desk.run(*(word.format(**files) for word in words))
        said = done.stdout + done.stderr
        assert status is None or done.returncode == status, said
        assert said, words
        assert "Traceback" not in said
        steering = [letter for letter in said if unicodedata.category(letter) in STEERING and letter != "\n"]
        assert (steering, "\nFORGED" in said) == ([], False), words
