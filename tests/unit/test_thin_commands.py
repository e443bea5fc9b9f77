"""Commands parse, call one action or view, and show it: how things are written and read stands below them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DIRECT = ROOT / "cli" / "ladders" / "direct.py"
COMMANDS = sorted((ROOT / "cli").rglob("*.py"))
SQL = ("INSERT ", "UPDATE ", "DELETE ", "SELECT ")
LEAGUES = "ladder.leagues.leagues"
WRITERS = {
    "ladder.audit": {"write", "write_deed"},
    "ladder.accounts.accounts": {"set_role", "set_password_hash", "disable", "enable"},
    "ladder.accounts.tokens": {"insert_token", "revoke", "revoke_all"},
    "ladder.accounts.sessions": {"begin", "end", "end_all"},
    "ladder.accounts.invitations": {"insert_invitation", "use"},
    "ladder.accounts.device_grants": {"insert_grant", "answer", "use_up"},
    "ladder.flows.submission": {"insert", "accept", "reject"},
    "ladder.flows.leaving": {"retire", "disqualify", "reinstate"},
    "ladder.transfer.importing": {"import_all"},
    "ladder.imports.importing": {"import_league"},
    "ladder.imports.rows": {"insert_version", "insert_matches"},
    "ladder.bots.former_names": {"rename"},
    "ladder.flows.installation": {"prepare", "apply_league_file"},
    "ladder.gauntlets.running": {"begin", "stop", "resume", "purge"},
    "ladder.gauntlets.automatic": {"ask"},
    "ladder.gauntlets.automatic_gauntlets": {"put", "remove"},
    LEAGUES: {"set_battles", "change_settings", "register"},
    "ladder.matchmaking.requesting": {"ask", "cancel"},
    "ladder.promotions.lifecycle": {"activate", "rewind"},
    "ladder.ratings.rewrite": {"recompute", "void_match"},
    "ladder.seasons.ending": {"close", "begin_series"},
}
"""What writes, by module: for actions alone. Local gauntlets read leagues from that module."""


def calls(tree: ast.AST) -> set[str]:
    """Return the names of all functions and methods that are called."""
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {one.attr for one in functions if isinstance(one, ast.Attribute)} | {
        one.id for one in functions if isinstance(one, ast.Name)
    }


def imported(tree: ast.AST) -> set[str]:
    """Return all names that are imported, with their modules: `dataclasses.asdict`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def texts(tree: ast.AST) -> list[str]:
    """Return all constant texts."""
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


@pytest.mark.parametrize("file", COMMANDS, ids=lambda file: str(file.relative_to(ROOT)))
class TestEachModule:
    """Of the terminal layer."""

    def test_it_makes_no_json_by_itself(self, file: Path) -> None:
        tree = ast.parse(file.read_text("utf-8"))
        assert not {name for name in imported(tree) if name in {"json", "csv", "dataclasses.asdict"}}
        assert not calls(tree) & {"asdict", "dumps"}
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Attribute) and call.func.attr == "show_json":
                assert not [
                    part for one in call.args for part in ast.walk(one) if isinstance(part, (ast.Dict, ast.DictComp))
                ]

    def test_it_opens_no_pool_and_no_transaction(self, file: Path) -> None:
        if file != DIRECT:
            tree = ast.parse(file.read_text("utf-8"))
            assert not calls(tree) & {"pool", "open_pool", "transaction", "execute"}

    def test_it_calls_nothing_that_writes_but_actions(self, file: Path) -> None:
        tree = ast.parse(file.read_text("utf-8"))
        names = imported(tree)
        writers = {f"{module}.{name}" for module, own in WRITERS.items() for name in own}
        assert not names & writers
        assert not names & (set(WRITERS) - {LEAGUES})
        assert not calls(tree) & WRITERS[LEAGUES]
        assert not [text for text in texts(tree) if text.lstrip().startswith(SQL)]
