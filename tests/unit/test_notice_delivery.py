"""Where notices go: which addresses are anybody's to reach, what a name leads to, how long a slow server is heard."""

import socket
from threading import Thread

import pytest

from ladder.notices import delivery
from ladder.notices.delivery import NotArrived, is_public, post

PRIVATE = (
    *("0.0.0.0", "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),  # noqa: S104
    *("224.0.0.1", "239.255.255.250", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "ff0e::1", "::ffff:10.0.0.1"),
    *("::ffff:169.254.169.254", "64:ff9b::a00:1", "2002:7f00:1::", "2001::1", "2001:db8::1"),
)


PUBLIC = ("1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "::ffff:1.1.1.1")


def test_an_address_of_no_public_network_is_none_for_notices_and_one_of_the_internet_is() -> None:
    assert [address for address in (*PRIVATE, *PUBLIC) if is_public(address)] == list(PUBLIC)


def test_other_spellings_of_this_machine_and_names_that_nobody_has_are_refused() -> None:
    for place in ("localhost", "127.1", "2130706433", "[::1]"):
        with pytest.raises(NotArrived, match="no address of the internet"):
            post(f"http://{place}:9/", {}, b"{}")
    with pytest.raises(NotArrived, match=r"nobody\.invalid is not known"):
        post("http://nobody.invalid/", {}, b"{}")


def test_a_public_address_is_chosen_where_a_name_has_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens there: TEST-NET cannot be reached, and is judged public for this test alone."""
    monkeypatch.setattr(delivery, "DEADLINE_S", 0.1)
    monkeypatch.setattr(delivery, "is_public", lambda address: address == "192.0.2.1")
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(0.5)
        with pytest.raises(NotArrived, match=r"reached|answer"):
            url = f"http://arena.test:{door.getsockname()[1]}/"
            post(url, {}, b"{}", resolve=lambda *_: ["127.0.0.1", "192.0.2.1"])
        with pytest.raises(TimeoutError):
            door.accept()


def test_a_server_that_says_one_byte_after_the_other_is_not_heard_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "DEADLINE_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as door:

        def drip() -> None:
            with door.accept()[0] as caller:
                caller.settimeout(0.05)
                try:
                    while True:
                        caller.sendall(b"H")
                        try:
                            if not caller.recv(4096):
                                return
                        except TimeoutError:
                            continue
                except OSError:
                    return

        dripping = Thread(target=drip)
        dripping.start()
        with pytest.raises(NotArrived, match="did not answer"):
            post(f"http://127.0.0.1:{door.getsockname()[1]}/", {}, b"{}", private=True)
        dripping.join()
