"""How the story of a rating reads on a narrow terminal."""

from cli.texts.ratings import INDENT, label_lines, wrap_line


def test_a_line_that_is_too_long_goes_on_behind_the_place_of_the_labels() -> None:
    first, second = label_lines(
        "raised it most", ["match 80: beat boss-wood-2@v1 (was expected to win 20 %), mu +1.19"] * 2
    )
    begun, *rest = wrap_line(first, 60).split("\n")
    assert begun.startswith("raised it most")
    assert rest
    assert all(len(line) - len(line.lstrip()) == INDENT for line in rest)
    assert all(len(line) <= 60 for line in wrap_line(second, 60).split("\n"))
    assert " ".join(wrap_line(first, 60).split()) == " ".join(first.split())
