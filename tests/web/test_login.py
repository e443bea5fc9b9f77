"""Logging in to a ladder from another machine, and which ladder commands mean then."""

import io
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.context import Context
from cli.ladders import credentials
from cli.ladders.credentials import Credentials, Login
from cli.ladders.server import Server, server_meant
from cli.program.command_list import is_local
from cli.run import run
from engine.errors import Refused, UsageFault
from ladder.access import Actor, Role, Scope
from ladder.accounts import tokens
from ladder.actions.accounts import invite
from ladder.actions.logins import answer
from ladder.actions.tokens import WantedToken, create
from ladder.bots.players import player_id
from ladder.database.connection import Pool
from ladder.settings import settings_from
from ladder.version import compared
from tests.ladder.arena import within
from tests.ladder.rated import change
from tests.web.serving import KEY, Served, serving, serving_players

OLGA = Actor("olga", Role.OPERATOR)
KIM = Actor("kim")
ARENA = "https://arena.example"


@dataclass(frozen=True)
class Terminal:
    """Where commands are typed, with settings of its own."""

    config: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def file(self) -> Path:
        return self.config / "ladder" / "credentials.toml"

    def typed(self, *words: str) -> tuple[int, str, str]:
        self.capsys.readouterr()
        status = run(words, Context(settings_from()))
        found = self.capsys.readouterr()
        return status, found.out, found.err


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("LADDER_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "400")
    return Terminal(tmp_path / "config", capsys)


@pytest.fixture
def served(pool: Pool) -> Iterator[Served]:
    within(pool, player_id, "kim")
    with serving_players(pool) as site:
        yield site


def agreeing(pool: Pool, *, agrees: bool = True) -> Callable[[str], bool]:
    def opened(page: str) -> bool:
        answer(KIM, pool, page.partition("user_code=")[2], agrees=agrees)
        return True

    return opened


def test_a_login_in_the_browser_is_kept_and_ends_with_a_logout(
    served: Served, pool: Pool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", agreeing(pool))
    monkeypatch.setattr("cli.ladders.client.interval_in", lambda _: 0.01)
    status, out, err = terminal.typed("login", served.address + "/")
    assert (status, out) == (0, ""), err
    assert f"open {served.address}/device in a browser, and type the code " in err
    assert f"logged in to {served.address} as kim; commands mean it from now on" in err
    assert stat.S_IMODE(terminal.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(terminal.file.parent.stat().st_mode) == 0o700
    assert [one.name for one in terminal.file.parent.iterdir()] == ["credentials.toml"]
    assert "ldr_" not in err
    assert terminal.typed("whoami")[1].startswith(f"kim on {served.address}; the token ladder-on-")
    assert terminal.typed("board", "--game", "ocean-of-code")[0] == 0
    assert "this machine's ladder" in terminal.typed("--server", "local", "whoami")[1]
    token = credentials.read(terminal.file).logins[served.address].token
    assert terminal.typed("logout") == (0, "", f"logged out of {served.address}; the token is revoked\n")
    shown = within(pool, tokens.presented, token)
    assert shown is not None
    assert shown.is_revoked
    assert "this machine's ladder" in terminal.typed("whoami")[1]
    assert terminal.typed("logout")[::2] == (3, "ladder: this machine is not logged in\n")


def test_who_refuses_in_the_browser_or_is_disabled_before_the_program_asks_lets_nobody_in(
    served: Served, pool: Pool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrowser.open", agreeing(pool, agrees=False))
    monkeypatch.setattr("cli.ladders.client.interval_in", lambda _: 0.01)
    status, _, err = terminal.typed("login", served.address)
    assert (status, "the answer in the browser was no" in err) == (3, True)

    def opened(page: str) -> bool:
        agreeing(pool)(page)
        change(pool, "UPDATE players SET disabled_at = now(), disabled_why = 'a copy' WHERE name = 'kim'")
        return True

    monkeypatch.setattr("webbrowser.open", opened)
    status, _, err = terminal.typed("login", served.address)
    assert (status, err.splitlines()[-1]) == (3, "ladder: the account kim is disabled (a copy)")
    assert not terminal.file.exists()


def test_a_class_that_logs_in_has_to_wait(pool: Pool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", agreeing(pool))
    with serving_players(pool, LADDER_LOGINS_PER_MINUTE="10") as served:
        for _ in range(10):
            assert served.client.post("/oauth/device", data={"client_id": "another's"}).status_code == 200
        status, out, err = terminal.typed("login", served.address)
    assert (status, out) == (3, "")
    assert err == "ladder: too many logins from this address: 10 a minute at most; wait a little\n"


def test_a_token_is_read_from_the_standard_input(
    served: Served, pool: Pool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = create(KIM, pool, WantedToken("ci", frozenset({Scope.READ, Scope.PLAY}))).secret
    monkeypatch.setattr("sys.stdin", io.StringIO(secret + "\n"))
    assert terminal.typed("login", served.address, "--with-token")[0] == 0
    assert terminal.typed("whoami", "--json")[1].count('"token": "ci"') == 1
    for given, status, words in (("ldr_wrong", 3, "this token is unknown"), ("", 2, "this is not a token")):
        monkeypatch.setattr("sys.stdin", io.StringIO(given + "\n"))
        refused = terminal.typed("login", served.address, "--with-token")
        assert (refused[0], words in refused[2], refused[2].count("\n")) == (status, True, 1), refused[2]
    assert terminal.typed("whoami")[0] == 0, "a login that is refused leaves the one before"


def test_a_member_of_a_team_is_told_which_team_it_plays_for(
    served: Served, pool: Pool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    invite(OLGA, pool, "anna", team="kraken")
    token = create(Actor("kraken", member="anna"), pool, WantedToken("ci", frozenset({Scope.READ}))).secret
    monkeypatch.setattr("sys.stdin", io.StringIO(token + "\n"))
    assert terminal.typed("login", served.address, "--with-token")[0] == 0
    assert terminal.typed("whoami")[1].startswith(f"kraken (anna) on {served.address}; the token ci may read")
    assert '"member": "anna"' in terminal.typed("whoami", "--json")[1]


def test_a_persons_ladder_is_named_by_its_key(pool: Pool, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(pool) as site:
        status, _, err = terminal.typed("login", site.address)
        assert (status, "has no logins" in err) == (3, True)
        monkeypatch.setenv("LADDER_SERVER", site.address)
        monkeypatch.setenv("LADDER_TOKEN", KEY.text)
        assert f"on {site.address}, named by LADDER_SERVER" in terminal.typed("whoami")[1]


def test_a_file_that_others_can_read_is_refused(terminal: Terminal) -> None:
    with credentials.changing(terminal.file):
        credentials.write(terminal.file, Credentials().with_login(ARENA, Login("kim", "ldr_x")))
    terminal.file.chmod(0o640)
    for words in (["board"], ["whoami"], ["logout"], ["login", ARENA]):
        status, out, err = terminal.typed(*words)
        assert (status, out, err.count("\n")) == (3, "", 1)
        assert f"other accounts can read {terminal.file}" in err
    assert "this machine's ladder" in terminal.typed("--server", "local", "whoami")[1]


def test_a_file_that_holds_no_logins_is_one_sentence(terminal: Terminal) -> None:
    terminal.file.parent.mkdir(parents=True)
    terminal.file.touch(0o600)
    for text in ("[", "\xff", "server = 1", f'server = "{ARENA}"', '[servers."x"]\nplayer = "kim"', "servers = 3"):
        terminal.file.write_text(text, "latin-1")
        status, _, err = terminal.typed("board")
        assert (status, "holds no logins" in err, err.count("\n")) == (3, True, 1), text


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    wanted = Credentials().with_login("https://b.example:8443", Login('a "b" \\ \n \u00e9', "ldr_1"))
    wanted = wanted.with_login(ARENA, Login("kim", "ldr_2"))
    for one in (wanted, wanted.without(ARENA), wanted.without("https://b.example:8443")):
        with credentials.changing(tmp_path / "credentials.toml"):
            credentials.write(tmp_path / "credentials.toml", one)
        assert credentials.read(tmp_path / "credentials.toml") == one
    assert wanted.without(ARENA).server is None
    assert "ldr_1" not in repr(wanted)


def test_which_ladder_is_meant() -> None:
    """What was typed, then LADDER_SERVER, then the database that is named, then the login, then this machine."""
    kept = Credentials().with_login("https://b.example", Login("kim", "kept-b")).with_login(ARENA, Login("kim", "kept"))

    def meant(typed: str | None = None, **environment: str) -> Server | None:
        return server_meant(typed, {f"LADDER_{name}": value for name, value in environment.items()}, lambda: kept)

    assert meant() == Server(ARENA, "kept", "login")
    assert meant("local") is meant(SERVER="local") is meant(DATABASE_URL="postgresql:///x") is None
    assert meant("HTTPS://B.example:443/") == Server("https://b.example", "kept-b", "--server")
    assert meant(SERVER=ARENA, TOKEN="ci") == Server(ARENA, "ci", "LADDER_SERVER")  # noqa: S106 - of nobody
    assert meant("https://c.example", TOKEN="ci") == Server("https://c.example", "ci", "--server")  # noqa: S106
    other = meant("https://b.example", SERVER=ARENA, TOKEN="ci")  # noqa: S106
    assert other == Server("https://b.example", "kept-b", "--server"), "a token goes to the server that it is for alone"
    with pytest.raises(UsageFault, match="leave one out"):
        meant(SERVER=ARENA, DATABASE_URL="postgresql:///x")
    with pytest.raises(UsageFault, match="this is not a token"):
        meant(SERVER=ARENA, TOKEN="a b")  # noqa: S106
    assert server_meant(None, {}, Credentials) is None


def test_a_command_about_this_machine_says_so(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "about this machine" not in terminal.typed("down")[2]
    status, _, err = terminal.typed("--server", ARENA, "down")
    assert (status, "leave --server out" in err) == (2, True)
    monkeypatch.setenv("LADDER_SERVER", ARENA)
    status, _, err = terminal.typed("down")
    assert (status, f"`ladder down` is about this machine, not about {ARENA}" in err) == (0, True)


def test_which_commands_are_about_this_machine() -> None:
    own = ("up", "down", "worker", "scheduler", "db migrate", "demo", "doctor", "play", "simulate", "game show", "web")
    others = "submit board bot match gauntlet season league contest rating status token player audit deeds"
    assert [word for word in own if not is_local(word)] == []
    assert [word for word in (*others.split(), "game lock", "game unlock") if is_local(word)] == []


def test_versions_understand_each_other_by_their_first_two_numbers() -> None:
    found = [compared(other, "1.4.2") for other in ("1.4.0", "1.5.0", "2.0.0", "1.3.9", "0.9", "", "new", "1.4")]
    assert found == [0, 1, 1, -1, -1, 0, 0, 0]


def test_a_file_of_another_account_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "credentials.toml"
    path.touch(0o600)
    values = list(path.stat())
    values[4] = os.geteuid() + 1
    with pytest.raises(Refused, match="belongs to another account"):
        credentials.require_own(path, os.stat_result(values))
