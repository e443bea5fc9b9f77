"""What is new, as Atom (RFC 4287): feed readers show it.

An entry's id follows from what it is about and when that was, so it stays the same as long as the ladder does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import NAMESPACE_URL, uuid5
from xml.etree.ElementTree import Element, SubElement, tostring

from engine.text import one_line

NAMESPACE = "http://www.w3.org/2005/Atom"
ATOM = "application/atom+xml"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry. `about`: what it is about, in a word or two, from which its id follows; `address`: a page."""

    about: str
    title: str
    at: datetime
    author: str
    address: str


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed. `made_at`: when what it is about came to be; `own`: its own address, `address`: that of the page."""

    about: str
    title: str
    made_at: datetime
    own: str
    address: str
    entries: Sequence[Entry]


def atom_of(feed: Feed) -> str:
    root = Element("feed", {"xmlns": NAMESPACE})
    add(root, "id", identity(feed.about, feed.made_at))
    add(root, "title", feed.title)
    add(root, "updated", moment(max([feed.made_at, *(entry.at for entry in feed.entries)])))
    SubElement(root, "link", {"rel": "self", "type": ATOM, "href": feed.own})
    SubElement(root, "link", {"rel": "alternate", "type": "text/html", "href": feed.address})
    for entry in feed.entries:
        root.append(entry_of(entry))
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, "unicode") + "\n"


def entry_of(entry: Entry) -> Element:
    element = Element("entry")
    add(element, "id", identity(entry.about, entry.at))
    add(element, "title", entry.title)
    add(element, "updated", moment(entry.at))
    add(SubElement(element, "author"), "name", entry.author)
    SubElement(element, "link", {"rel": "alternate", "type": "text/html", "href": entry.address})
    add(element, "content", entry.title)
    return element


def add(parent: Element, name: str, text: str) -> None:
    """Add an element with a text, in which nothing steers and nothing is that XML cannot hold."""
    SubElement(parent, name).text = one_line(text).translate({0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD})


def identity(about: str, at: datetime) -> str:
    return uuid5(NAMESPACE_URL, f"ladder:{about}:{moment(at)}").urn


def moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()
