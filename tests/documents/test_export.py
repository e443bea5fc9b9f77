"""The page on exports names every file and column of one."""

from tests.documents.export import PAGE, page


def test_the_page_on_exports_has_all_tables_and_columns() -> None:
    assert PAGE.read_text("utf-8") == page(), "renew it by `.venv/bin/python -m tests.documents.export`"
