"""Commands parse, call one action or view, and show it: how things are written and read stands below them."""

import ast
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from cli.program.command_list import COMMANDS, CommandGroup
from tests.processes import finished

ROOT = Path(__file__).parents[2]
DIRECT = ROOT / "cli" / "ladders" / "direct.py"
HEAVY = {"asyncio", "celery", "fastapi", "markdown_it", "psycopg", "pydantic", "redis", "scipy", "textual"}
"""Libraries that take longer to import than most commands run."""
SQL = ("INSERT ", "UPDATE ", "DELETE ", "SELECT ")
BOTS, LEAGUES = "ladder.bots.bots", "ladder.leagues.leagues"
WRITERS = {
    "ladder.audit": {"write", "write_deed"},
    "ladder.accounts.accounts": {"set_role", "set_password_hash", "disable", "enable"},
    "ladder.accounts.tokens": {"insert_token", "revoke", "revoke_all", "insert_grant", "answer_grant", "use_up_grant"},
    "ladder.accounts.sessions": {"begin", "end", "end_all"},
    "ladder.accounts.links": {"insert_invitation", "use_invitation", "insert_share", "revoke_share"},
    "ladder.flows.submission": {"insert", "accept", "reject"},
    "ladder.flows.departure": {"retire", "disqualify", "reinstate"},
    "ladder.transfer.importing": {"import_all"},
    "ladder.imports.league_import": {"import_league", "insert_version", "insert_matches"},
    BOTS: {"rename"},
    "ladder.flows.games": {"prepare", "apply_league_file"},
    "ladder.gauntlets.execution": {"begin", "stop", "resume", "purge", "put_automatic"},
    "ladder.gauntlets.automatic_gauntlets": {"put", "remove"},
    LEAGUES: {"set_battles", "change_settings", "register"},
    "ladder.matchmaking.requests": {"ask", "cancel"},
    "ladder.promotions.lifecycle": {"activate", "rewind"},
    "ladder.ratings.replay": {"recompute", "void_match"},
    "ladder.seasons.ending": {"close", "begin_series"},
}
"""What writes, by module: for actions alone. Local gauntlets read bots and leagues from those modules."""


@cache
def trees() -> dict[Path, ast.Module]:
    """Return the modules of the terminal layer."""
    found = {file: ast.parse(file.read_text("utf-8")) for file in sorted((ROOT / "cli").rglob("*.py"))}
    assert found
    return found


def calls(tree: ast.AST) -> set[str]:
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    methods = {one.attr for one in functions if isinstance(one, ast.Attribute)}
    return methods | {one.id for one in functions if isinstance(one, ast.Name)}


def imported(tree: ast.AST) -> set[str]:
    """Return all names that are imported, with their modules: `dataclasses.asdict`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_no_command_makes_json_by_itself() -> None:
    for file, tree in trees().items():
        assert not {name for name in imported(tree) if name in {"json", "csv", "dataclasses.asdict"}}, file
        assert not calls(tree) & {"asdict", "dumps"}, file
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Attribute) and call.func.attr == "show_json":
                parts = [part for one in call.args for part in ast.walk(one)]
                assert not [part for part in parts if isinstance(part, (ast.Dict, ast.DictComp))], file


def test_no_command_opens_a_pool_or_a_transaction() -> None:
    for file, tree in trees().items():
        assert file == DIRECT or not calls(tree) & {"pool", "open_pool", "transaction", "execute"}, file


def test_commands_call_nothing_that_writes_but_actions() -> None:
    writers = {f"{module}.{name}" for module, own in WRITERS.items() for name in own}
    for file, tree in trees().items():
        names = imported(tree)
        assert not names & writers, file
        assert not names & (set(WRITERS) - {BOTS, LEAGUES}), file
        assert not calls(tree) & WRITERS[LEAGUES], file
        values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
        assert not [text for text in values if isinstance(text, str) and text.lstrip().startswith(SQL)], file


def test_help_of_no_command_loads_the_database_or_a_server() -> None:
    """Help reads the command's module, and what that imports is most of what help takes."""
    found = {place for entry in COMMANDS.values() for place in places_of(entry)}
    modules = sorted({place.partition(":")[0] for place in found})
    assert len(modules) > 30
    script = f"import sys\nfrom importlib import import_module\nfor name in {modules}:\n    import_module(name)"
    script += f"\n    assert not (loaded := {HEAVY} & sys.modules.keys()), (name, loaded)"
    done = finished([sys.executable, "-c", script], cwd=ROOT)
    assert done.returncode == 0, done.stderr


def places_of(entry: str | CommandGroup) -> Iterable[str]:
    return entry.commands.values() if isinstance(entry, CommandGroup) else [entry]
