"""The page of a match in a browser: how large its script is, and how fast it opens, plays and goes to a turn."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.viewer import page_of, script_of
from tests.bench.report import line
from tests.browser.pages import running_chromium
from tests.catalogue import GAMES
from tests.watching import watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LONG = {"ocean-of-code": 600, "ice-and-fire": 200}
"""Turns of the match that is shown, of each game about as many as there can be."""
NOTE_OPENING = """
const look = () => globalThis.viewer ? (globalThis.openedMs = performance.now()) : requestAnimationFrame(look);
requestAnimationFrame(look);
"""
FRAMES_A_SECOND = """async () => {
    viewer.player.go(0);
    viewer.player.setSpeed(4);
    viewer.player.play();
    const began = await new Promise(requestAnimationFrame);
    let [frames, now] = [0, began];
    while (now - began < 4000) {
        now = await new Promise(requestAnimationFrame);
        frames += 1;
    }
    viewer.player.pause();
    return frames / ((now - began) / 1000);
}"""
SEEK_MS = """async () => {
    const took = [];
    for (let step = 1; step <= 41; step++) {
        await new Promise(requestAnimationFrame);
        const began = performance.now();
        viewer.player.go((step * 97) % viewer.player.last);
        document.body.getBoundingClientRect();
        took.push(performance.now() - began);
    }
    return took.sort((one, other) => one - other)[20];
}"""


def lines() -> Iterator[str]:
    with running_chromium() as browser:
        for name, turns in LONG.items():
            yield from lines_of(browser, name, turns)


def lines_of(browser: Browser, name: str, turns: int) -> Iterator[str]:
    """Measure the page of a match of that game with at least that many turns."""
    game = GAMES.find(name)
    match = watched(name, turns)
    yield line(f"page script, {name}", len(script_of(game).encode()) / 1000, "kB", "aim: below 60")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.html"
        path.write_text(page_of([match], game), "utf-8")
        yield line(
            f"page file, {name}", path.stat().st_size / 1000, "kB", f"a match of {len(match.replay.turns)} turns"
        )
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        page.add_init_script(NOTE_OPENING)
        page.goto(path.as_uri())
        page.wait_for_selector("table.all tbody tr", state="attached")
        yield line(
            f"page opened, {name}", page.evaluate("openedMs"), "ms", "until the first turn is drawn; aim: below 500"
        )
        yield line(f"page at 4x, {name}", page.evaluate(FRAMES_A_SECOND), "frames/s", "aim: 50")
        yield line(f"page, a seek, {name}", page.evaluate(SEEK_MS), "ms", "the median; aim: below 50")
        page.close()
