"""Draws `docs/pictures/demo.svg`, the picture in the README, from what `make demo` prints.

    make demo >run.txt && .venv/bin/python -m tests.documents.picture run.txt

How this works. The lines are the run's own; the picture leaves out all boards but the highest, and what to type next.
Every word is put at its place in a grid of characters, and rules of tables are drawn as lines: so it looks the same
with any font. It has a background of its own, for light and dark pages.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

CHECKOUT = Path(__file__).parents[2]
PICTURE = CHECKOUT / "docs" / "pictures" / "demo.svg"
LEFT_OUT = "..."

WIDTH, HEIGHT, FONT, MARGIN = 8.4, 18, 14, 20
"""A character's width, a line's height, the font's size and the margin around all lines, in pixels."""

LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
ARMS = {
    **dict.fromkeys("━─", LEFT + RIGHT),
    **dict.fromkeys("┃│", UP + DOWN),
    "┏": RIGHT + DOWN,
    "┓": LEFT + DOWN,
    "└": RIGHT + UP,
    "┘": LEFT + UP,
    "┳": LEFT + RIGHT + DOWN,
    "┴": LEFT + RIGHT + UP,
    "╇": LEFT + RIGHT + UP + DOWN,
    "┡": RIGHT + UP + DOWN,
    "┩": LEFT + UP + DOWN,
}
"""Where the lines of each character of a table's rules go, from the middle of its cell."""

STYLE = """\
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d0d7de }
.title { font-weight: bold; fill: #ffffff }
.typed { fill: #7ee787 }
path { fill: none; stroke: #57606a }"""


def shown(run: str) -> list[str]:
    """Return the lines of the picture: of the boards the highest alone, and not what to type next.

    Raises ValueError where the run is not whole.
    """
    before, after = parts(run)
    lines = run.strip("\n").split("\n")
    top = lines[len(before) : next(at for at, line in enumerate(lines) if line.startswith("└")) + 1]
    rest = lines[lines.index("what happened") : -len(after) - 1]
    return ["$ make demo", *before, *top, LEFT_OUT, "", *rest]


def parts(run: str) -> tuple[list[str], list[str]]:
    """Return a run's lines up to the boards, and what next. Raises ValueError where one is missing."""
    rounds, _, rest = run.strip("\n").partition("\n\n")
    happened = re.search(r"^what happened\n(?:  .*\n)+", rest, re.MULTILINE)
    following = re.search(r"^what next\n(?:  .*\n?)+\Z", rest, re.MULTILINE)
    if happened is None or following is None:
        raise ValueError("this is not a whole run of the demo: it does not end with what to type next")
    return rounds.split("\n"), following[0].rstrip().split("\n")


def svg(lines: Sequence[str]) -> str:
    width = round(max(map(len, lines)) * WIDTH + 2 * MARGIN)
    height = len(lines) * HEIGHT + 2 * MARGIN
    words = [text for number, line in enumerate(lines) for text in texts(line, number)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            "<title>What make demo prints</title>",
            f"<style>\n{STYLE}\n</style>",
            f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="#0d1117" stroke="#57606a"/>',
            f'<path d="{" ".join(rules(lines))}"/>',
            *words,
            "</svg>\n",
        ]
    )


def texts(line: str, number: int) -> Iterator[str]:
    """Yield a line's words, each run of them at its place and as wide as its characters."""
    style = style_of(line)
    y = MARGIN + number * HEIGHT + FONT
    for found in re.finditer(rf"[^\s{''.join(ARMS)}]+( [^\s{''.join(ARMS)}]+)*", line):
        x, length = MARGIN + found.start() * WIDTH, len(found[0]) * WIDTH
        yield f'<text{style} x="{x:.1f}" y="{y}" textLength="{length:.1f}">{escape(found[0])}</text>'


def style_of(line: str) -> str:
    if line.startswith("$"):
        return ' class="typed"'
    is_title = re.search(r"^┃|\(ocean-of-code\)$|^what |^match \d|^round \d|^  time ", line)
    return ' class="title"' if is_title else ""


def rules(lines: Sequence[str]) -> Iterator[str]:
    """Yield the rules of tables: lines to the right in one piece, those up and down character by character."""
    for number, line in enumerate(lines):
        middle = MARGIN + (number + 0.5) * HEIGHT
        for found in re.finditer(f"[{''.join(char for char in ARMS if char not in '┃│')}]+", line):
            start = MARGIN + (found.start() + 0.5) * WIDTH
            yield f"M{start:.1f} {middle:.0f}h{(len(found[0]) - 1) * WIDTH:.1f}"
        for column, char in enumerate(line):
            up, down = bool(ARMS.get(char, 0) & UP), bool(ARMS.get(char, 0) & DOWN)
            if up or down:
                top = middle - HEIGHT / 2 * up
                yield f"M{MARGIN + (column + 0.5) * WIDTH:.1f} {top:.0f}v{HEIGHT / 2 * (up + down):.0f}"


if __name__ == "__main__":
    PICTURE.write_text(svg(shown(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8")
