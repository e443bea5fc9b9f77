"""What a real terminal shows: colours where it has them, whole names, and text that is wrapped at blanks."""

import re
from pathlib import Path

from tests.acceptance.conftest import Desk, Shell, on_terminal
from tests.patience import wait_until

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def test_a_win_is_green_a_loss_red_and_no_color_is_honoured(shell: Shell, desk: Desk, nonsense: Path) -> None:
    lost = on_terminal(shell, 80, "play", "ocean-of-code", nonsense, "boss-wood-2", "--seed", "3")
    assert "\x1b[31mboss-wood-2 beats nonsense.py" in lost
    won = desk.screen(120, "play", "ocean-of-code", "boss-wood-2", nonsense, "--seed", "3")
    assert "\x1b[32mboss-wood-2 beats nonsense.py" in won
    without = desk.screen(80, "play", "ocean-of-code", nonsense, "boss-wood-2", "--seed", "3", NO_COLOR="1")
    assert "boss-wood-2 beats nonsense.py" in without
    assert COLOUR.search(without) is None


def test_sentences_wrap_at_blanks_and_only_on_a_terminal(desk: Desk) -> None:
    narrow = on_terminal(desk, 40, "game", "list")
    lines = narrow.splitlines()
    assert max(map(len, lines)) <= 40
    whole = desk.ok("game", "list")
    assert " ".join(" ".join(lines).split()) == " ".join(whole.split())
    assert len(whole.splitlines()) == 2


def test_errors_wrap_at_blanks_and_only_on_a_terminal(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / ("a-long-name" * 10 + ".py")
    words = ("play", "ocean-of-code", "boss-wood-2", path)
    (whole,) = desk.run(*words).stderr.splitlines()
    lines = on_terminal(desk, 60, *words, status=2).splitlines()
    assert " ".join(lines) == whole
    assert all(len(line) <= 60 or line == f"{path}:" for line in lines)
    assert f"{path}:" in lines, "no path is broken"
    assert len(lines) > 2


def test_a_command_at_the_end_of_a_line_is_copied_from_a_terminal_as_one(desk: Desk, bot: Path) -> None:
    shown = desk.screen(60, "play", "ocean-of-code", bot, "boss-gold", "--seeds", "7", "--jobs", "1", "--worse-only")
    (line,) = (line for line in CODES.sub("", shown).splitlines() if line.startswith("seed 7"))
    assert line.endswith(f": ladder play ocean-of-code {bot} boss-gold --seed 7 --matches 2 --league bronze")


def test_boards_dim_bosses_and_no_name_is_broken(arena: Desk) -> None:
    words = ("board", "--game", "ocean-of-code", "--league", "wood-2")
    boss = "boss-wood-2@v1"
    wait_until(lambda: arena.ok(*words), "the boss, which is being built", 0.2, fits=lambda told: boss in told)
    for width, shown in ((80, on_terminal(arena, 80, *words)), (120, arena.screen(120, *words))):
        assert re.search(r"\x1b\[2mboss-wood-2@v1", shown)
        plain = CODES.sub("", shown)
        assert "boss-wood-2@v1" in plain
        assert max(map(len, plain.splitlines())) <= width
