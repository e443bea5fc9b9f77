"""The rooms of `make mutants`: that what they name is there."""

import pytest

from tests.mutants import CHECKOUT, Change, change, main, means_the_same, rooms


def test_each_room_has_a_module_and_tests_that_are_there_and_lines_of_that_module() -> None:
    found = rooms([])
    assert len(found) >= 6
    for room in found:
        assert room.tests
        assert all((CHECKOUT / path).is_file() for path in (room.module, *room.tests)), room.name
        written = {line.strip() for line in (CHECKOUT / room.module).read_text("utf-8").splitlines()}
        assert {one.line for one in room.equivalent} <= written, room.name


def test_a_mutant_is_known_by_its_function_and_its_line_before_and_after() -> None:
    difference = "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n def limit(self) -> int:\n-    return 1\n+    return 2"
    assert change("engine.a.x\u01c1Clock\u01c1limit__mutmut_1", difference) == Change(
        "Clock.limit", "return 1", "return 2"
    )
    assert change("engine.a.x_limit__mutmut_12", difference).function == "limit"


def test_a_room_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attic"]) == 2
    assert capsys.readouterr().err.startswith("mutants: no room attic; there are clock, ")


@pytest.mark.parametrize(
    ("line", "mutant", "is_same"),
    [
        ("zip(one, two, strict=True)", "zip(one, two, strict=None)", True),
        ("zip(one, two, strict=True)", "zip(one, two, )", True),
        ("zip(one, two, strict=True)", "zip(one, one, strict=True)", False),
        ('"DELETE FROM ledger WHERE id = %s"', '"delete from ledger where id = %s"', True),
        ('"DELETE FROM ledger WHERE id = %s"', '"DELETE FROM ledger WHERE id <> %s"', False),
        ('{"match": 1}', '{"MATCH": 1}', False),
    ],
)
def test_mutants_of_two_kinds_mean_the_same(line: str, mutant: str, *, is_same: bool) -> None:
    assert means_the_same(Change("f", line, mutant)) is is_same
