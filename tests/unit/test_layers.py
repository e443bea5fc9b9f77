"""The direction of dependencies."""

from __future__ import annotations

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports


def test_no_layer_imports_from_above() -> None:
    """cli -> workers -> ladder -> engine, and the engine knows no database, queue or terminal."""
    assert lint_imports(no_cache=True) == EXIT_STATUS_SUCCESS
