"""The guide and the documents beside it, from Markdown to what pages show; and the same data as JSON, explained.

How this works. `ladder/web/docs` leads to the documents of the project, so that they are in the installed
package too. A link from one of them to another leads to its page. What a link names that has no page, such as a source
file, stays as plain text; so does the description of a picture. HTML in a document would be shown as it is written.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from fastapi import APIRouter, Request
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from starlette.responses import Response

from engine.errors import UnknownName
from engine.immutable import immutable
from engine.text import shortened
from ladder.web.addresses import API
from ladder.web.api.answers import described
from ladder.web.api.routes import LINES
from ladder.web.problems import KINDS, RETRY_AFTER_S
from ladder.web.rendering import page
from ladder.web.site import SiteHere

FOLDER = Path(__file__).parents[1] / "docs"
GUIDE = ("first-bot", "daily-loop", "team", "class")
"""The pages of the guide, in the order in which people read them."""
OTHER_HOST = re.compile(r"https?://")
NO_ANCHOR = re.compile(r"[^\w\- ]")
router = APIRouter()
STATUSES: Mapping[str, tuple[int, int | None]] = {
    **{name: (status, error.exit_status) for error, status, name in KINDS},
    "no key": (401, None),
    "method": (405, None),
    "misdirected": (421, None),
}
"""Of each kind of problem: its status, and the exit status of the commands that say the same."""


@immutable
class Document:
    """A document. `name`: in its address; `title`: its first heading; `content`: the whole as HTML."""

    name: str
    title: str
    content: Markup


@cache
def files() -> Mapping[str, Path]:
    others = sorted(path.stem for path in FOLDER.glob("*.md"))
    return {name: FOLDER / "guide" / f"{name}.md" for name in GUIDE} | {name: FOLDER / f"{name}.md" for name in others}


@cache
def guide() -> Sequence[Document]:
    return [document(name) for name in GUIDE]


@cache
def reference() -> Sequence[Document]:
    return sorted((document(name) for name in files() if name not in GUIDE), key=lambda page: page.title.lower())


@cache
def document(name: str) -> Document:
    if name not in files():
        raise UnknownName(f"the guide has no page {shortened(name)!r}; /guide lists them")
    path = files()[name]
    markdown = writer()
    tokens = markdown.parse(path.read_text("utf-8"))
    heading = next(token for token in tokens if token.type == "inline")
    adapt(tokens, path)
    return Document(name, heading.content, Markup(markdown.renderer.render(tokens, markdown.options, {})))  # noqa: S704


def html_of(text: str, path: Path) -> Markup:
    """Return what pages show of Markdown, headings one level lower, without HTML and pictures. `path`: its file."""
    markdown = writer()
    tokens = markdown.parse(text)
    adapt(tokens, path)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1:]) + 1)}"
    return Markup(markdown.renderer.render(tokens, markdown.options, {}))  # noqa: S704


def writer() -> MarkdownIt:
    """Return what makes HTML of Markdown: wide parts scroll by themselves, also by keyboard."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("table_open", table)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    markdown.add_render_rule("fence", code)
    markdown.add_render_rule("code_block", code)
    return markdown


def table(_: object, tokens: Sequence[Token], place: int, *__: Any) -> str:
    number = sum(token.type == "table_open" for token in tokens[: place + 1])
    return f'<div class="wide" tabindex="0" role="region" aria-label="Table {number}"><table>'


def code(_: object, tokens: Sequence[Token], place: int, *__: Any) -> str:
    return f'<pre tabindex="0"><code>{escape(tokens[place].content)}</code></pre>\n'


def adapt(tokens: Sequence[Token], path: Path) -> None:
    """Give headings their anchors and numbers their class, let links lead to pages. `path`: of the document."""
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following is not None:
            token.attrSet("id", NO_ANCHOR.sub("", following.content).strip().lower().replace(" ", "-"))
        if token.attrs.pop("style", "") == "text-align:right":  # our headers forbid styles within pages
            token.attrSet("class", "number")
        if token.children:
            token.children = list(adapted(token.children, path))


def adapted(tokens: Iterable[Token], path: Path) -> Iterator[Token]:
    """Give the tokens of a paragraph with links that lead to pages, and without all others."""
    is_open = False
    for token in tokens:
        if token.type == "link_open":
            address = address_of(str(token.attrGet("href")), path)
            is_open = address is not None
            if address is not None:
                token.attrSet("href", address)
                yield token
        elif token.type == "image":
            yield Token("text", "", 0, content=token.content)
        elif token.type != "link_close" or is_open:
            yield token


def address_of(link: str, path: Path) -> str | None:
    if OTHER_HOST.match(link) or link.startswith("#"):
        return link
    target, _, heading = link.partition("#")
    name = PurePosixPath(target).stem
    file = files().get(name)
    if file is None or (path.parent / target).resolve() != file.resolve():
        return None
    return f"/guide/{name}" + (f"#{heading}" if heading else "")


@router.get("/guide")
def guide_page() -> Response:
    return page("guide.html", guide=guide(), reference=reference())


@router.get("/guide/{name}")
def show_document(name: str) -> Response:
    return page("document.html", document=document(name))


@router.get("/api")
def api_guide(site: SiteHere, request: Request) -> Response:
    file, game = None if site.key is None else str(site.key.file), site.games.all[0]
    boss, league = next(iter(game.bosses.items()))
    return page(
        "api.html",
        here=f"{str(request.base_url).rstrip('/')}{API}",
        key_file=file,
        key_line="" if file is None else f"KEY=$(cat {shlex.quote(file)})",
        game=game.name,
        league=league.name,
        boss=boss,
        lines=LINES,
        routes=[
            {
                "method": "" if method == "get" else method.upper(),
                "path": path,
                "about": operation.get("description", "").partition("\n\n")[0].replace("\n", " "),
                "query": [field["name"] for field in operation.get("parameters", []) if field["in"] == "query"],
            }
            for path, operations in described(request.app)["paths"].items()
            for method, operation in operations.items()
        ],
        statuses=STATUSES,
        retry_after_s=RETRY_AFTER_S,
    )
