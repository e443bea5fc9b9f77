"""The guide in the browser: every page of it, no link that leads nowhere, and that the lines about the API work."""

import html
import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ladder.database.connection import Pool
from ladder.web.entrance import key_in
from ladder.web.pages import guide as documents
from tests.web.serving import Served, serving, serving_players, token_of_kim


class Links(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "a":
            self.links.add(found["href"] or "")
        if name := found.get("id"):
            self.anchors.add(name)


def test_the_guide_lists_its_pages_in_the_order_of_reading(site: Served) -> None:
    page = site.get("/guide").text
    places = [page.index(f'href="/guide/{name}"') for name in documents.GUIDE]
    assert places == sorted(places)
    assert "Your first bot" in page


def test_no_link_of_any_page_leads_nowhere(site: Served) -> None:
    pages = {f"/guide/{name}": Links(documents.document(name).content) for name in documents.files()}
    listed = Links(site.get("/guide").text).links
    assert set(pages) <= listed
    for address, page in pages.items():
        for link in page.links:
            path, _, anchor = link.partition("#")
            assert link.startswith("http") or path in {"", *pages}, (address, link)
            assert link.startswith("http") or not anchor or anchor in pages[path or address].anchors, (address, link)


def test_links_between_documents_lead_to_pages_and_others_stay_as_text() -> None:
    daily, a_class = documents.document("daily-loop").content, documents.document("class").content
    assert 'href="/guide/gauntlets"' in daily
    assert 'href="/guide/fleet"' in a_class
    assert "SECURITY.md" not in a_class
    assert "security" in a_class


def test_every_document_has_a_page(site: Served) -> None:
    assert documents.files()
    for name in documents.files():
        answer = site.get(f"/guide/{name}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8"), name
        assert documents.document(name).content in answer.text
        assert not re.search(r"<(script|img|iframe)|style=", documents.document(name).content)


def test_what_the_guide_does_not_have_is_not_found(site: Served) -> None:
    for path in ("nothing", "%2e%2e%2fREADME", "first-bot.md", "%00", "9" * 30, "-1", "decisions/README", "x" * 9999):
        assert site.get(f"/guide/{path}").status_code == 404


SHELL_LINES = re.compile(r'<code class="shell">(.*?)</code>', re.DOTALL)


@pytest.mark.parametrize("is_served", [False, True])
def test_every_line_on_the_page_works_in_a_shell(small_ladder_pool: Pool, tmp_path: Path, is_served: bool) -> None:
    token = token_of_kim(small_ladder_pool) if is_served else ""
    with serving_players(small_ladder_pool) if is_served else serving(small_ladder_pool, key_in(tmp_path)) as site:
        page = site.get("/api", **({"Authorization": f"Bearer {token}"} if is_served else {})).text
        lines = [html.unescape(found) for found in SHELL_LINES.findall(page) if "Idempotency-Key" not in found]
        assert len(lines) >= 8
        script = "\n".join(["set -eu", f"LADDER_TOKEN={token}", *lines])
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
