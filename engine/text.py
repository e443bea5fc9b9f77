"""Text as the official referees read it, and as we quote it to people."""

import json
from collections.abc import Sequence
from datetime import datetime

BLANKS = "".join(map(chr, range(0x21)))  # all that Java's trim removes; it keeps every other kind of white space
_LONGEST_QUOTE = 80

_STEERING = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"},  # by the pictures of them
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
    **dict.fromkeys((0x2028, 0x2029), 0xFFFD),  # some terminals begin a line with them
    **dict.fromkeys(
        (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD
    ),  # turn writing around
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),  # halves of characters, which cannot be printed
}


def harmless(text: str) -> str:
    """Return what a stranger's program wrote so that a terminal shows it and obeys none of it. New lines and tabs stay,
    and a new line as Windows has it is one. Every other control character becomes one that can be seen, as ESC becomes
    `␛`: as many as before, so what is laid out in columns stays so.
    """
    return text.replace("\r\n", "\n").translate(_STEERING)


def toml_text(text: str) -> str:
    """Write a text as TOML does: as JSON, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def one_line(text: str) -> str:
    """As `harmless`, with new lines and tabs made visible too: for names in sentences."""
    if text.isprintable():  # as nearly all are; a page has hundreds
        return text
    return harmless(text).translate({0x0A: 0x240A, 0x09: 0x2409})


def shortened(text: str) -> str:
    """Fit for a message: one line, nothing unprintable, 80 characters at most."""
    quoted = repr(text[:_LONGEST_QUOTE])[1:-1]
    if len(text) <= _LONGEST_QUOTE and len(quoted) <= _LONGEST_QUOTE:
        return quoted
    return quoted[: _LONGEST_QUOTE - 3] + "..."


def time_words(time_us: int) -> str:
    """`1.3 s`, `68.6 ms`."""
    number, unit = (time_us / 1_000_000, "s") if time_us >= 1_000_000 else (time_us / 1000, "ms")
    words = f"{number:.1f}".removesuffix(".0") if number >= 0.05 else f"{number:.2g}"
    return f"{words} {unit}"


def time_left(seconds: float) -> str:
    """`2 d 3 h`, `3 h 12 min`, `12 min`, `40 s`: the two largest units, and nothing below zero."""
    whole_s = max(int(seconds), 0)
    minutes, hours, days = whole_s // 60, whole_s // 3600, whole_s // 86_400
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{whole_s} s"


def zoned_words(at: datetime) -> str:
    """`2026-12-18 18:00 CET`: by this machine's clock, with its zone, as others may have another one."""
    return f"{at.astimezone():%Y-%m-%d %H:%M %Z}"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def alternatives(names: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def counted(number: int, thing: str, things: str = "") -> str:
    """`things` where more than one are not called by one more letter."""
    return f"{number} {thing}" if number == 1 else f"{number} {things or thing + 's'}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th, 21st."""
    ending = "th" if 10 <= number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def duration(seconds: float) -> str:
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 99.5 * 60 else f"{seconds / 3600:.1f} h"
