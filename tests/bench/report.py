"""How a figure looks."""


def line(what: str, figure: str | float, unit: str, words: str = "") -> str:
    number = figure if isinstance(figure, str) else f"{figure:,.1f}" if figure < 1000 else f"{figure:,.0f}"
    return f"{what:28} {number:>9} {unit:11} {words}".rstrip()
