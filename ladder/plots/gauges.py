"""What a gauntlet has found, drawn: the gauge of its test, its estimates, its pairs by outcome; and plain columns.

Colours are the classes `good`, `bad` and `open`, which set the colour of their text.
"""

from collections.abc import Iterable, Sequence
from math import isfinite

from engine.immutable import immutable
from ladder.plots import svg
from ladder.plots.svg import LINE_HEIGHT, Scale, Svg

ROW = 40
"""Pixels of a name with its bar below."""
BAR = 18
COLUMNS_HEIGHT = 110
FEW_COLUMNS = 8
"""If there are more columns, they are too narrow for the words below the first and the last."""
PATH_HEIGHT = 150
MARGIN = 6
"""Percent at both sides of a gauge."""
MOST_ELO = 1200.0
"""Larger differences are drawn as this one."""
OUTCOMES = ("0", "½", "1", "1½", "2")
KINDS = ("none", "less", "half", "more", "all")
"""Kinds of outcomes where there are many, by the share of the points."""
CLASSES = ("bad", "bad", "open", "good", "good")


def class_of(value: float) -> str:
    return "good" if value > 0 else "bad" if value < 0 else "open"


def bar(x1: float, x2: float, y: float, height: float, class_: str | None = None, opacity: float | None = None) -> Svg:
    """Return a bar between two places, in percent, in the colour of its class. `y`: its top."""
    left, right = sorted((x1, x2))
    return svg.element(
        "rect", x=f"{svg.as_text(left)}%", y=y, width=f"{svg.as_text(right - left)}%", height=height,
        fill="currentColor", fill_opacity=opacity, class_=class_,
    )  # fmt: skip


def upright(x: str, top: float, bottom: float) -> Svg:
    return svg.element("line", x1=x, x2=x, y1=top, y2=bottom, stroke="currentColor")


def gauge(llr: float, lower: float, upper: float) -> Svg:
    scale = Scale(lower, upper, MARGIN, 100 - MARGIN)
    now, zero, colour = scale.at(llr), scale.at(0.0), class_of(llr)
    return svg.picture(
        64,
        f"log-likelihood ratio {llr:.2f} between {lower:.2f} and {upper:.2f}",
        "at the left bound the gauntlet has failed, at the right one it has passed",
        bar(MARGIN, 100 - MARGIN, 27, 10, opacity=0.2),
        bar(zero, now, 27, 10, colour),
        upright(f"{svg.as_text(zero)}%", 21, 43),
        svg.element("circle", cx=f"{svg.as_text(now)}%", cy=32, r=8, fill="currentColor", class_=colour),
        svg.words(f"{svg.as_text(now)}%", 14, f"LLR {llr:+z.2f}", svg.anchor_at(now)),
        svg.words("0%", 60, f"failed {lower:.2f}"),
        svg.words("100%", 60, f"passed {upper:.2f}", "end"),
        class_="gauge",
    )


def shares(rows: Sequence[tuple[str, float]]) -> Svg:
    """Draw the share of the points against each opponent, 0 to 1, by its name; the middle is one half."""
    height, texts = ROW * len(rows), [(name, f"{100 * share:.1f} %", share) for name, share in rows]
    bars = [filled(ROW * place, *row, class_of(row[2] - 0.5)) for place, row in enumerate(texts)]
    return svg.picture(
        height,
        "share of the points against each opponent",
        ", ".join(f"{name} {text}" for name, text, _ in texts),
        *bars,
        upright("50%", 0, height),
        class_="gauge",
    )


def filled(top: float, name: str, text: str, share: float, class_: str, height: float = BAR) -> Svg:
    """Return a name and a text, and below them a bar that is filled to that share, 0 to 1."""
    ground = bar(0, 100, top + 19, height, opacity=0.15)
    return svg.joined([labels(top, name, text), ground, bar(0, 100 * share, top + 19, height, class_)])


def labels(top: float, name: str, text: str) -> Svg:
    return svg.joined([svg.words("0%", top + 14, name), svg.words("100%", top + 14, text, "end")])


def reaching(top: float, span: Iterable[float], class_: str) -> Svg:
    """Return a bar with a point on it. `span`: where it begins, the point and where it ends, in percent."""
    low, at, high = span
    point = svg.element("circle", cx=f"{svg.as_text(at)}%", cy=top + 28, r=5, fill="currentColor", class_=class_)
    return svg.joined([bar(0, 100, top + 27, 2, opacity=0.15), bar(low, high, top + 24, 8, class_, opacity=0.5), point])


@immutable
class Interval:
    """A difference of strength in Elo, with its 95 % interval. `text`: how it is written."""

    name: str
    elo: float
    low: float
    high: float
    text: str


def intervals(rows: Sequence[Interval]) -> Svg:
    reach = max(5.0, *(min(abs(end), MOST_ELO) for row in rows for end in (row.low, row.high) if isfinite(end)))
    scale = Scale(-reach, reach, 1, 99)
    drawn: list[Svg] = []
    for place, row in enumerate(rows):
        colour = "open" if row.low <= 0 <= row.high else class_of(row.elo)
        span = map(scale.at, (row.low, row.elo, row.high))
        drawn += [labels(ROW * place, row.name, row.text), reaching(ROW * place, span, colour)]
    height = ROW * len(rows)
    return svg.picture(
        height + LINE_HEIGHT,
        "difference of strength in Elo, with the 95 % interval",
        ", ".join(f"{row.name} {row.text}" for row in rows),
        *drawn,
        upright("50%", 18, height),
        svg.words("0%", height + 13, f"\N{MINUS SIGN}{reach:.0f}"),
        svg.words("50%", height + 13, "0 Elo", "middle"),
        svg.words("100%", height + 13, f"+{reach:.0f}", "end"),
        class_="gauge",
    )


SIGMAS = 2


@immutable
class RatingGauge:
    """A rating, and the score by which boards rank."""

    name: str
    mu: float
    sigma: float
    score: float
    class_: str


@immutable
class ShareGauge:
    """How far something is, from 0 to 1. `text`: in words; `needed`: how far it has to be, None for to the end."""

    name: str
    share: float
    text: str
    needed: float | None = None


def contender_plot(ratings: Sequence[RatingGauge], shares: Sequence[ShareGauge]) -> Svg:
    """Draw how far a version is past its boss: both ratings on one scale, of which there is at least one; shares."""
    spans = [(one.mu - SIGMAS * one.sigma, one.score, one.mu + SIGMAS * one.sigma) for one in ratings]
    scale = Scale(min(map(min, spans)), max(map(max, spans)), 2, 98)
    drawn: list[Svg] = []
    for rating, span in zip(ratings, spans, strict=True):
        top = ROW * len(drawn)
        name = labels(top, rating.name, f"score {rating.score:.2f}")
        middle = upright(scale.percent(rating.mu), top + 22, top + 34)
        drawn.append(svg.joined([name, middle, reaching(top, map(scale.at, span), rating.class_)]))
    for share in shares:
        top, needed = ROW * len(drawn), share.needed
        mark = [] if needed is None else [upright(f"{svg.as_text(100 * needed)}%", top + 17, top + 21 + BAR / 2)]
        drawn.append(svg.joined([filled(top, share.name, share.text, min(share.share, 1), "mark", BAR / 2), *mark]))
    descriptions = [f"{one.name} score {one.score:.2f}, mu {one.mu:.2f} ± {one.sigma:.2f}" for one in ratings]
    descriptions += [f"{share.name} {share.text}" for share in shares]
    return svg.picture(ROW * len(drawn), "how far it is", "; ".join(descriptions), *drawn, class_="gauge")


@immutable
class PlotColumn:
    """A column. `words`: below it, "" for none; `above`: what stands above it."""

    value: float
    words: str
    above: str = ""
    class_: str = "mark"


def columns(plot_columns: Sequence[PlotColumn], title: str, description: str) -> Svg:
    """Draw columns with the same elements whatever they hold, as a page that follows them changes words and places."""
    most = max((column.value for column in plot_columns), default=0) or 1
    ground = COLUMNS_HEIGHT - LINE_HEIGHT
    step = 100 / max(len(plot_columns), 1)
    drawn: list[Svg] = []
    for place, column in enumerate(plot_columns):
        left, middle = place * step, f"{svg.as_text((place + 0.5) * step)}%"
        height = (ground - LINE_HEIGHT) * column.value / most
        at, anchor = middle, "middle"
        if len(plot_columns) > FEW_COLUMNS and place in {0, len(plot_columns) - 1}:
            at, anchor = ("0%", "start") if place == 0 else ("100%", "end")
        drawn.append(bar(left + 0.1 * step, left + 0.9 * step, ground - height, height, column.class_))
        drawn.append(svg.words(middle, ground - height - 3, column.above, "middle"))
        drawn.append(svg.words(at, COLUMNS_HEIGHT - 3, column.words, anchor))
    drawn.append(bar(0, 100, ground, 1, opacity=0.4))
    return svg.picture(COLUMNS_HEIGHT, title, description, *drawn, class_="gauge")


def outcomes(counts: Sequence[int]) -> Svg:
    """Draw how many pairs ended with 0, half, 1, one and a half and 2 points; of more outcomes five kinds."""
    names = OUTCOMES
    if len(counts) > len(OUTCOMES):
        names, middle = KINDS, len(counts) // 2
        counts = (counts[0], sum(counts[1:middle]), counts[middle], sum(counts[middle + 1 : -1]), counts[-1])
    plot_columns = [PlotColumn(count, names[place], str(count), CLASSES[place]) for place, count in enumerate(counts)]
    description = ", ".join(f"{count} with {names[place]}" for place, count in enumerate(counts))
    return columns(plot_columns, "pairs by their points", description)


def path(points: Sequence[tuple[int, float]], lower: float, upper: float) -> Svg:
    """Draw how a log-likelihood ratio went: pairs that were played, and its value then."""
    last, values = points[-1][0], [value for _, value in points]
    across = Scale(0, last, 0, 100)
    up = Scale(min(lower, *values), max(upper, *values), PATH_HEIGHT - 20, 18)
    line = [(across.on_sheet(pairs), up.at(value)) for pairs, value in points]
    ground = [(across.on_sheet(last), up.at(0)), (across.on_sheet(0), up.at(0))]
    levels = [
        svg.joined([bar(0, 100, up.at(value), 1, opacity=0.4), svg.words("0%", up.at(value) - 4, name)])
        for value, name in ((lower, f"failed {lower:.2f}"), (0.0, ""), (upper, f"passed {upper:.2f}"))
    ]
    return svg.picture(
        PATH_HEIGHT,
        f"the log-likelihood ratio after each of {last} pairs",
        f"it ends at {values[-1]:.2f}; its lowest value was {min(values):.2f}, its highest {max(values):.2f}",
        svg.sheet(PATH_HEIGHT, svg.area([*line, *ground], "mark"), svg.curve(line, "mark")),
        *levels,
        svg.words("100%", PATH_HEIGHT - 4, f"{last} pairs", "end"),
        class_="gauge",
    )
