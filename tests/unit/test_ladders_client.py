"""The client of a server: packed answers, connections that end, proxies; and which addresses notices may go to."""

import gzip
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from cli.ladders.client import Client, NoAnswer, NotReached
from engine.errors import UsageFault
from ladder.notices import delivery
from ladder.notices.delivery import NotArrived, is_public, post
from tests.patience import patience_s

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
HEAD, PACKED = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", b"Content-Encoding: gzip\r\n"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@contextmanager
def answering(*answers: bytes) -> Iterator[tuple[str, list[str]]]:
    """Give the place of a server that takes a connection for each of these answers, and what it was asked."""
    asked: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            for answer in answers:
                connection, _ = listening.accept()
                with connection:
                    asked.append(connection.recv(10_000).decode())
                    connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}", asked
        thread.join(patience_s())


def test_what_was_packed_is_unpacked() -> None:
    content = gzip.compress(b'{"rows":[]}')
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n%s" % (len(content), PACKED, content)
    with answering(answer) as (place, asked), Client(f"http://{place}", {"X-Own": "yes"}) as client:
        found = client.get("/board", {"words": "a b&c"})
    assert (found.status_code, found.json(), found.header("Content-Encoding")) == (200, {"rows": []}, "gzip")
    assert asked[0].startswith("GET /board?words=a+b%26c HTTP/1.1\r\n")
    assert f"\r\nHost: {place}\r\n" in asked[0]
    assert "\r\nX-Own: yes\r\n" in asked[0]


def test_a_connection_that_the_server_has_ended_is_opened_again() -> None:
    answer = HEAD + b"\r\nhi"
    with answering(answer, answer) as (place, _), Client(f"http://{place}", {}) as client:
        assert [client.get("/").content for _ in range(2)] == [b"hi", b"hi"]


def test_a_question_is_put_again_where_the_connection_ended_as_it_was_sent() -> None:
    with answering(b"", HEAD + b"\r\nhi") as (place, _), Client(f"http://{place}", {}) as client:
        assert client.get("/").content == b"hi"


@pytest.mark.parametrize("answer", [b"", b"rubbish\r\n\r\n", HEAD, HEAD + PACKED + b"\r\nhi"], ids=repr)
def test_an_answer_that_is_none_may_have_done_something(answer: bytes) -> None:
    with answering(answer) as (place, _), Client(f"http://{place}", {}) as client:
        with pytest.raises(NoAnswer) as raised:
            client.post_form("/", {"a": "1"})
        assert not isinstance(raised.value, NotReached)
        assert str(raised.value)


@pytest.mark.parametrize("place", ["127.0.0.1:1", "a..b", f"{'x' * 70}.example", "[::1]:1"])
def test_of_a_server_that_cannot_be_reached_it_is_known_that_nothing_was_sent(place: str) -> None:
    with Client(f"http://{place}", {}) as client, pytest.raises(NotReached):
        client.get("/")


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "ALL_PROXY"])
def test_https_goes_through_the_proxy_of_the_environment(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(b"HTTP/1.1 403 not you\r\nContent-Length: 0\r\n\r\n") as (place, asked):
        monkeypatch.setenv(variable, f"http://kim:se%20cret@{place}/")
        client = Client("https://arena.example", {"Authorization": "Bearer ldr_x"})
        with client, pytest.raises(NotReached, match="403"):
            client.get("/board")
    assert asked[0].startswith("CONNECT arena.example:443 HTTP/1.1\r\n")
    assert "\r\nProxy-Authorization: Basic a2ltOnNlIGNyZXQ=\r\n" in asked[0]
    assert "ldr_x" not in asked[0], "the token is for the server alone"


def test_plain_http_and_what_the_environment_leaves_out_go_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES[:3]:
        monkeypatch.setenv(name, "http://127.0.0.1:2")
    monkeypatch.setenv("NO_PROXY", "arena.invalid")
    with answering(HEAD + b"\r\nhi") as (place, _), Client(f"http://{place}", {}) as client:
        assert client.get("/").content == b"hi"
    with Client("https://arena.invalid", {}) as client, pytest.raises(NotReached, match="ame"):
        client.get("/")


def test_a_proxy_that_does_not_speak_http_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://127.0.0.1:1")
    with pytest.raises(UsageFault, match=r"the environment names socks5://… as the proxy for https"):
        Client("https://arena.example", {})


PRIVATE = (
    *("0.0.0.0", "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),  # noqa: S104
    *("224.0.0.1", "239.255.255.250", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "ff02::1", "ff0e::1", "::ffff:10.0.0.1"),
    *("::ffff:169.254.169.254", "64:ff9b::a00:1", "2002:7f00:1::", "2001::1", "2001:db8::1"),
)


PUBLIC = ("1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "::ffff:1.1.1.1")


def test_an_address_of_no_public_network_is_none_for_notices_and_one_of_the_internet_is() -> None:
    assert [address for address in (*PRIVATE, *PUBLIC) if is_public(address)] == list(PUBLIC)


def test_other_spellings_of_this_machine_are_refused() -> None:
    for place in ("localhost", "127.1", "2130706433", "[::1]"):
        with pytest.raises(NotArrived, match="no address of the internet"):
            post(f"http://{place}:9/", {}, b"{}")


def test_a_name_that_nobody_has_is_said_to_be_unknown() -> None:
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
