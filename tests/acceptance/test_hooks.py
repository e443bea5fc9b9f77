"""`ladder hooks` on a ladder that runs: what it prints, what it refuses, and that the scheduler sends notices."""

from tests.acceptance.conftest import Desk
from tests.receiver import receiving


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
        sentence = arena.refused(3, "hooks", "test", str(hook["id"]))
        assert "127.0.0.1 leads to no address of the internet" in sentence
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
