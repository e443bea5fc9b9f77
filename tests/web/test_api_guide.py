"""The page that explains the API: what it says can be typed works."""

from __future__ import annotations

import html
import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.web.entrance import key_in
from tests.web.serving import Served, serving

if TYPE_CHECKING:
    from ladder.database.connection import Pool

SHELL_LINES = re.compile(r'<code class="shell">(.*?)</code>', re.DOTALL)


def test_every_line_on_the_page_works_in_a_shell(small_ladder_pool: Pool, tmp_path: Path) -> None:
    with serving(small_ladder_pool, key_in(tmp_path)) as site:
        lines = [html.unescape(found) for found in SHELL_LINES.findall(site.get("/api").text)]
        assert len(lines) >= 8
        script = "\n".join(["set -eu", *lines])
        done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert len(json.loads((tmp_path / "board.json").read_text())["items"]) >= 1
    assert all(json.loads(line)["id"] for line in (tmp_path / "matches.ndjson").read_text().splitlines())
    assert (tmp_path / "later.ndjson").read_text() == ""


def test_the_page_has_all_routes_and_all_kinds_of_problems(site: Served) -> None:
    """So the `type` of every problem leads to its explanation."""
    text = site.get("/api").text
    for path in site.get("/api/v1/openapi.json").json()["paths"]:
        assert f"<code>{path}</code>" in text
    for problem in (site.get("/api/v1/nothing"), site.get("/api/v1/matches/0"), site.client.put("/api/v1/status")):
        assert f'id="{problem.json()["type"].removeprefix("/api#")}"' in text
    statuses = re.findall(r'<tr id="[^"]+"><th scope="row">[^<]+</th><td class="number">([0-9]+)</td>', text)
    assert set(map(int, statuses)) == {401, 404, 405, 409, 421, 422, 500, 503}
