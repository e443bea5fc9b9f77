"""Links that go by mail, and notices that go to hooks: to whom, what they say, and that none is lost."""

import csv
from pathlib import Path

import pytest

from ladder.database.connection import Pool
from tests.acceptance.conftest import SERVED, Desk
from tests.certificates import certified
from tests.ladder.arena import on_the_board
from tests.ladder.rated import change
from tests.mail_server import MailBox, mail_box
from tests.receiver import receiving
from tests.throwaway import written

LADDER = "https://arena.example"
PASSWORD = "p@ss/word"  # noqa: S105 - of nobody


@pytest.fixture
def desk(desk: Desk, database_url: str) -> Desk:
    return Desk(desk.home, {**desk.environment, **SERVED, "LADDER_MAIL_FROM": "arena@example.org"})


@pytest.fixture
def opens(tmp_path: Path) -> tuple[str | Path, ...]:
    """The words that open a contest for three players, of whom one has no address."""
    players = written(tmp_path / "class.csv", "name,email\nann,ann@example.org\nben,ben@example.org\ncid,\n")
    words = ("contest", "open", "ocean-of-code", "--until", "2126-12-18 18:00")
    return (*words, "--players", players, "--mail", "--links")


def by(box: MailBox) -> dict[str, str]:
    return {"LADDER_SMTP_URL": f"smtp://arena:p%40ss%2Fword@{box.place}"}


def link_in(box: MailBox, address: str) -> str:
    text = str(box.mail_to(address).get_content())
    (link,) = [line for line in text.splitlines() if line.startswith(f"{LADDER}/join/")]
    return link


def test_a_link_goes_to_a_new_player_by_mail(desk: Desk) -> None:
    with mail_box() as box:
        done = desk.run("player", "invite", "kim", "--email", "kim@example.org", **by(box))
    assert (done.returncode, box.logins) == (0, [("arena", PASSWORD)])
    assert "kim got the link by mail" in done.stderr
    mail = box.mail_to("kim@example.org")
    assert (mail["From"], mail["Subject"]) == ("arena@example.org", "Your account on arena.example")
    assert f"This link makes you, kim, an account on {LADDER}, once, until" in mail.get_content()
    assert link_in(box, "kim@example.org") == done.stdout.strip()


def test_each_player_is_sent_the_link_of_the_file(desk: Desk, opens: tuple[str | Path, ...], tmp_path: Path) -> None:
    links = tmp_path / "links.csv"
    with mail_box() as box:
        box.refused.add("ben@example.org")
        done = desk.run(*opens, links, **by(box))
    assert done.returncode == 4
    assert "ann got the link by mail" in done.stderr
    assert "no mail went to ben: 550 nobody here has that name" in done.stderr
    assert "no mail went to cid: no address is known" in done.stderr
    in_file = {row["player"]: row["link"] for row in csv.DictReader(links.read_text().splitlines())}
    assert in_file.keys() == {"ann", "ben", "cid"}
    assert [mail["To"] for mail in box.mails] == ["ann@example.org"]
    assert link_in(box, "ann@example.org") == in_file["ann"]
    assert not [link for link in in_file.values() if link in done.stdout + done.stderr]


def test_without_a_mail_server_links_are_in_the_file(desk: Desk, opens: tuple[str | Path, ...], tmp_path: Path) -> None:
    links = tmp_path / "links.csv"
    done = desk.run(*opens, links, LADDER_SMTP_URL=f"smtp+starttls://arena:{PASSWORD.replace('/', '%2F')}@127.0.0.1:1")
    assert done.returncode == 4
    assert "no mail went to ann: 127.0.0.1 does not take mails (" in done.stderr
    assert "no mail went to ben: 127.0.0.1 does not take mails (" in done.stderr
    assert len(links.read_text().splitlines()) == 4
    assert "word" not in done.stderr


def test_a_new_password_goes_to_the_address_in_the_class_list(desk: Desk, pool: Pool) -> None:
    on_the_board(pool, "kraken", "a")
    change(pool, "UPDATE players SET password_hash = '$argon2id$'")
    with mail_box() as box:
        without = desk.run("player", "reset", "kim", "--mail", **by(box))
        assert (without.returncode, box.mails) == (4, [])
        assert "no mail went to kim: no address is known" in without.stderr
        assert without.stdout.startswith(f"{LADDER}/join/")
        change(
            pool,
            "INSERT INTO contest_players (game, season, player_id, email) "
            "SELECT 'ocean-of-code', 1, id, 'kim@example.org' FROM players WHERE name = 'kim'",
        )
        made = desk.json("player", "reset", "kim", "--mail", **by(box))
    assert "email" not in made
    assert link_in(box, "kim@example.org") == made["link"]
    assert "lets you, kim, choose a new password" in box.mail_to("kim@example.org").get_content()


def test_a_server_whose_certificate_nobody_vouches_for_gets_no_password(desk: Desk, tmp_path: Path) -> None:
    trusted = certified(tmp_path, "127.0.0.1")
    words = ("player", "invite", "kim", "--email", "kim@example.org")
    with mail_box(trusted) as box:
        address = {"LADDER_SMTP_URL": f"smtps://arena:secret@{box.place}"}
        assert "CERTIFICATE_VERIFY_FAILED" in desk.run(*words, **address).stderr
        assert box.logins == []
        done = desk.run(*words, **address, SSL_CERT_FILE=str(trusted.authority))
    assert (done.returncode, box.logins) == (0, [("arena", "secret")]), done.stderr


def test_settings_that_cannot_be_are_refused_first(desk: Desk, opens: tuple[str | Path, ...], tmp_path: Path) -> None:
    for url, why in (
        ("", "mails need LADDER_SMTP_URL"),
        ("mail.example.org", "must be like smtps://"),
        ("smtps://kim:secret@", "must be like smtps://"),
        ("smtp://kim:secret@mail.example.org", "sends its password in clear text"),
        ("smtps://kim:secret@mail.example.org:x", "must be like smtps://"),
    ):
        sentence = desk.refused(2, "player", "invite", "kim", "--email", "kim@example.org", LADDER_SMTP_URL=url)
        assert (why in sentence, "secret" in sentence) == (True, False), sentence
        assert why in desk.refused(2, *opens, tmp_path / "links.csv", LADDER_SMTP_URL=url)
        assert not (tmp_path / "links.csv").exists()
        assert "there are no players yet" in desk.run("player", "list").stderr
    assert "is not an e-mail address" in desk.refused(2, "player", "invite", "kim", "--email", "kim")
    assert "say --players too" in desk.refused(2, *opens[:5], "--mail"), "else there is nobody to write to"


def test_the_password_can_stand_in_a_file(desk: Desk, tmp_path: Path) -> None:
    with mail_box() as box:
        (tmp_path / "smtp").write_text(by(box)["LADDER_SMTP_URL"])
        desk.ok("player", "invite", "kim", "--email", "kim@example.org", LADDER_SMTP_URL_FILE=str(tmp_path / "smtp"))
    assert box.logins == [("arena", PASSWORD)]


def test_the_scheduler_sends_a_test_and_none_to_an_address_of_this_machine(arena: Desk) -> None:
    with receiving() as receiver:
        words = ("hooks", "add", receiver.url, "--on", "promoted,deadline", "--ladder")
        assert "leads into a private network: notices go there only if" in arena.refused(3, *words)
        assert "the ladder has no hooks" in arena.run("hooks", "list", "--ladder").stderr
        added = arena.run(*words, LADDER_HOOKS_PRIVATE="1")
        assert (added.returncode, added.stdout.count("\n")) == (0, 1), "the secret alone"
        assert "gets deadline and promoted, signed with this secret, which is shown only now:" in added.stderr
        (hook,) = arena.json("hooks", "list", "--ladder")
        assert hook["address"].endswith("/…abcd")
        assert "secret" not in hook
        assert "127.0.0.1 leads to no address of the internet" in arena.refused(3, "hooks", "test", str(hook["id"]))
        assert "leads to no address" in arena.ok("hooks", "list", "--ladder")
        assert "is removed" in arena.ok("hooks", "remove", str(hook["id"]))
        assert not receiver.received
    assert "the ladder has no hooks: `ladder hooks add` makes one" in arena.run("hooks", "list", "--ladder").stderr


def test_bad_words_are_refused_in_one_sentence(arena: Desk) -> None:
    url = "https://example.org/hook"
    assert "--on names 'won'; it can be accepted, rejected" in arena.refused(2, "hooks", "add", url, "--on", "won")
    assert "not an address for notices" in arena.refused(
        2, "hooks", "add", "example.org", "--on", "promoted", "--ladder"
    )
    assert "is not a hook number" in arena.refused(2, "hooks", "test", "x")
    assert "there is no hook 99999" in arena.refused(2, "hooks", "remove", "99999")
    discord = arena.run("hooks", "add", url, "--on", "promoted", "--ladder", "--form", "discord")
    assert "gets promoted\n" in discord.stdout
    assert "secret" not in discord.stderr
