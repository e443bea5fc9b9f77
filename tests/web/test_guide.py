"""The guide in the browser: every page of it, and no link that leads nowhere."""

import re
from html.parser import HTMLParser

import pytest

from ladder.web.pages import guide as documents
from tests.web.serving import Served


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


@pytest.mark.parametrize("name", documents.files())
def test_every_document_has_a_page(site: Served, name: str) -> None:
    answer = site.get(f"/guide/{name}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert documents.document(name).content in answer.text
    assert not re.search(r"<(script|img|iframe)|style=", documents.document(name).content)


@pytest.mark.parametrize(
    "path", ["nothing", "%2e%2e%2fREADME", "first-bot.md", "%00", "9" * 30, "-1", "decisions/README", "x" * 9999]
)
def test_what_the_guide_does_not_have_is_not_found(site: Served, path: str) -> None:
    assert site.get(f"/guide/{path}").status_code == 404
