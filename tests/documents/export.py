"""Writes the tables of `docs/export.md` from the list of an export: `python -m tests.documents.export`."""

from pathlib import Path

from ladder.transfer.manifest import SOURCES, TABLES, TABLES_LEFT_OUT, ExportTable

PAGE = Path(__file__).parents[2] / "docs" / "export.md"
BEGIN = "<!-- tables: written by `python -m tests.documents.export` -->\n"


def tables() -> str:
    """Return what the page says of the files, their lines and columns."""
    left_out = "\n".join(f"- `{name}`: {why}" for name, why in TABLES_LEFT_OUT.items())
    columns = "\n".join(
        f"- `{table.name}`: {', '.join(f'`{column}`' for column in table.left_out)}"
        for table in TABLES
        if table.left_out
    )
    files = "\n".join(row(table) for table in TABLES)
    return (
        f"| file | one for each |\n|---|---|\n{files}\n\n"
        "What is not a part of an export, for it holds only for the moment or can be made again:\n\n"
        f"{left_out}\n{columns}\n"
    )


def row(table: ExportTable) -> str:
    file = "`sources/HASH`, `sources/HASH.tar.gz`" if table is SOURCES else f"`{table.name}.jsonl`"
    return f"| {file} | {table.about} |"


def page() -> str:
    return PAGE.read_text("utf-8").partition(BEGIN)[0] + BEGIN + "\n" + tables()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
