"""Folders and archives as bots: what is refused, at once and before anything is written; one hash for one content."""

import gzip
import io
import os
import re
import socket
import stat
import struct
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import UnusableSource, UsageFault
from engine.toolchains import source
from engine.toolchains.bot_folder import COMMANDS, TEXTS, files_of, find_bot_folder, read_bot_folder, source_hash
from engine.toolchains.given_bot import read_bot
from engine.toolchains.source import Member, Tree, Unfit, checked_name, read_archive, read_folder, tree_of, unpacked

SETTINGS = b'language = "python"\nsource = "main.py"\n'
FILES = {"ladder.toml": SETTINGS, "main.py": b"import sub.words\n", "sub/words.py": b"WORDS = 3\n"}
USUAL = 'language = "python" and, in the next line, source = "main.py"'
AT_ONCE_S = 10
"""CPU time: no measure, only a bound far below what it takes to unpack 8 GB."""
MB = 2**20


def make_folder(folder: Path, files: dict[str, bytes] = FILES) -> Path:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


def zip_of(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def tar_of(path: Path, *members: tuple[tarfile.TarInfo, bytes], mode: str = "w:gz") -> Path:
    """Write a tar, gzipped unless `mode` says otherwise."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for header, content in members:
            header.size = header.size or len(content)
            archive.addfile(header, io.BytesIO(content))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.type, header.linkname = kind, link
    return header


def tar_with(header: tarfile.TarInfo, content: bytes = b"") -> Callable[[Path], Path]:
    usual = [(member(name), content) for name, content in FILES.items()]
    return lambda folder: tar_of(folder / "bot.tar.gz", *usual, (header, content))


def zip_with(name: str, *, mode: int = 0, content: bytes = b"x") -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = zip_of(folder / "bot.zip", FILES)
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.NameToInfo.pop(name, None)  # or it would warn of a second one
            archive.writestr(entry, content)
        return path

    return make


def bomb_in_a_zip(folder: Path) -> Path:
    """A small zip that unpacks to 60 MB."""
    return zip_of(folder / "bot.zip", {"main.py": bytes(60 * MB)})


def zip_that_lies(folder: Path) -> Path:
    """The same, but it says that its file has 100 bytes."""
    path = bomb_in_a_zip(folder)
    size = struct.pack("<L", 60 * MB)
    path.write_bytes(path.read_bytes().replace(size, struct.pack("<L", 100)))
    return path


def many_in_a_zip(folder: Path) -> Path:
    """20,000 files, which are all the same one under different names."""
    path = zip_of(folder / "bot.zip", {"000000": b""})
    data = path.read_bytes()
    directory, end = data.index(b"PK\x01\x02"), data.index(b"PK\x05\x06")
    entry = data[directory:end]
    entries = b"".join(entry.replace(b"000000", b"%06d" % number) for number in range(20_000))
    sizes = struct.pack("<L", len(entries))
    path.write_bytes(data[:directory] + entries + data[end : end + 12] + sizes + data[end + 16 :])
    return path


def many_in_a_tar(folder: Path) -> Path:
    path = folder / "bot.tgz"
    path.write_bytes(gzip.compress(member(".x").tobuf() * 20_100 + bytes(10240), 1))
    return path


def bomb_in_a_tar(folder: Path) -> Path:
    """A small tar that unpacks to 60 MB."""
    path = folder / "bot.tar.gz"
    header = member("main.py")
    header.size = 60 * MB
    path.write_bytes(gzip.compress(header.tobuf() + bytes(60 * MB), 1))
    return path


def bomb_of_holes(folder: Path) -> Path:
    """A tar of a file of 8 GB that is all holes."""
    block = bytearray(member("main.py", tarfile.GNUTYPE_SPARSE).tobuf(tarfile.GNU_FORMAT))
    block[386:398], block[398:410] = b"00000000000\0", b"00000000000\0"
    block[483:495] = b"77777777777\0"
    block[148:156] = b"        "
    block[148:156] = b"%06o\0 " % sum(block)
    path = folder / "bot.tar"
    path.write_bytes(bytes(block) + bytes(10240))
    return path


def headers_of_headers(folder: Path) -> Path:
    """A long name's long name's long name, and so on."""
    header = member("x", tarfile.GNUTYPE_LONGNAME).tobuf(tarfile.GNU_FORMAT)
    path = folder / "bot.tgz"
    path.write_bytes(gzip.compress(header * 2000 + bytes(1024)))
    return path


def long_header(folder: Path) -> Path:
    """A tar with a header of 40 MB that says more of the next file."""
    return tar_of(folder / "bot.tgz", (member("x", tarfile.XHDTYPE), b"9" * (40 * MB)), (member("main.py"), b""))


def cut(folder: Path) -> Path:
    path = zip_of(folder / "bot.zip", FILES)
    path.write_bytes(path.read_bytes()[:100])
    return path


def cut_tar(folder: Path) -> Path:
    path = tar_of(folder / "bot.tgz", (member("main.py"), os.urandom(5000)))
    path.write_bytes(path.read_bytes()[:-2000])
    return path


def linked_folder(target: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        path = make_folder(folder / "bot")
        (path / "data").symlink_to(target)
        return path

    return make


def piped_folder(folder: Path) -> Path:
    path = make_folder(folder / "bot")
    os.mkfifo(path / "talk")
    return path


def socket_folder(folder: Path) -> Path:
    path = make_folder(folder / "bot")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path / "talk"))
    return path


def heavy_folder(folder: Path) -> Path:
    """A folder with a file of 51 MB, which packs well."""
    path = make_folder(folder / "bot")
    with (path / "weights").open("wb") as file:
        file.truncate(51 * MB)
    return path


def folder_of(files: dict[str, bytes]) -> Callable[[Path], Path]:
    return lambda folder: make_folder(folder / "bot", files)


def folder_with(name: str, content: bytes) -> Callable[[Path], Path]:
    return folder_of(FILES | {name: content})


UNFIT: list[tuple[Callable[[Path], Path], str]] = [
    (tar_with(member("/etc/cron.d/x"), b"x"), "the name /etc/cron.d/x leads out of it"),
    (tar_with(member("../../x"), b"x"), "the name ../../x leads out of it"),
    (tar_with(member("sub/../../x", tarfile.DIRTYPE)), "the name sub/../../x leads out of it"),
    (tar_with(member(".git/../../x"), b"x"), "leads out of it"),
    (tar_with(member("data", tarfile.SYMTYPE, "/etc/shadow")), "data is a link"),
    (tar_with(member("data", tarfile.SYMTYPE, "main.py")), "data is a link"),
    (tar_with(member("data", tarfile.LNKTYPE, "main.py")), "data is a link"),
    (tar_with(member("null", tarfile.CHRTYPE)), "null is neither a file nor a folder"),
    (tar_with(member("disk", tarfile.BLKTYPE)), "disk is neither a file nor a folder"),
    (tar_with(member("talk", tarfile.FIFOTYPE)), "talk is neither a file nor a folder"),
    (tar_with(member("./main.py"), b"x"), "it has two files called main.py"),
    (tar_with(member("main.py/x"), b"x"), "main.py is a file and a folder"),
    (tar_with(member("a\nb"), b"x"), r"the name a\nb has a character that names here cannot have"),
    (tar_with(member("a\x1b[2Jb"), b"x"), r"the name a\x1b[2Jb has a character that names here cannot have"),
    (tar_with(member("a\udcffb"), b"x"), r"the name a\udcffb has a character that names here cannot have"),
    (tar_with(member("sub\\x"), b"x"), r"the name sub\\x has a character that names here cannot have"),
    (tar_with(member("a\u200bb"), b"x"), r"the name a\u200bb has a character that names here cannot have"),
    (tar_with(member("\ufeffmain.py"), b"x"), r"the name \ufeffmain.py has a character that names here cannot have"),
    (zip_with("sub/a\u202eyp.cpp"), r"the name sub/a\u202eyp.cpp has a character that names here cannot have"),
    (zip_with("a\u2028b"), r"the name a\u2028b has a character that names here cannot have"),
    (folder_with("a\u2029b", b""), r"the name a\u2029b has a character that names here cannot have"),
    (folder_with("a\u00adb/c", b""), r"the name a\xadb/c has a character that names here cannot have"),
    (tar_with(member("Main.py"), b"x"), "Main.py and main.py are too alike as names"),
    (zip_with("SUB/words.py"), "SUB/words.py and sub/words.py are too alike as names"),
    (zip_with("Sub/more.py"), "Sub and sub are too alike as names"),
    (zip_with("MAIN.PY/x"), "MAIN.PY and main.py are too alike as names"),
    (folder_of(FILES | {"stra\u00dfe": b"", "STRASSE": b""}), "STRASSE and stra\u00dfe are too alike as names"),
    (folder_of(FILES | {"\u00e4": b"", "a\u0308": b""}), "a\u0308 and \u00e4 are too alike as names"),
    (tar_with(member("x" * 256), b"x"), "is too long"),
    (tar_with(member("/".join("x" * 600)), b"x"), "is too long"),
    (zip_with("../x"), "the name ../x leads out of it"),
    (zip_with("/x"), "the name /x leads out of it"),
    (zip_with("../", content=b""), "the name ../ leads out of it"),
    (zip_with("main.py"), "it has two files called main.py"),
    (zip_with("data", mode=stat.S_IFLNK | 0o777, content=b"/etc/shadow"), "data is a link"),
    (zip_with("null", mode=stat.S_IFCHR), "null is neither a file nor a folder"),
    (zip_that_lies, "it cannot be unpacked: Bad CRC"),
    (bomb_in_a_zip, "it has more than 50 MB unpacked; that is the limit"),
    (many_in_a_zip, "it has more than 2,000 files; that is the limit"),
    (many_in_a_tar, "it has more than 20,000 files and folders; the limit is 2,000 files"),
    (folder_of(FILES | dict.fromkeys(map(str, range(2001)), b"")), "it has more than 2,000 files; that is the limit"),
    (bomb_in_a_tar, "it has more than 50 MB unpacked; that is the limit"),
    (bomb_of_holes, "main.py is neither a file nor a folder"),
    (long_header, "it cannot be unpacked: one of its headers makes no sense"),
    (headers_of_headers, "it cannot be unpacked: maximum recursion depth exceeded"),
    (tar_with(member("/".join("x" * 65)), b"x"), "is too deep: 64 folders in each other are the limit"),
    (zip_with("/".join("x" * 65)), "is too deep: 64 folders in each other are the limit"),
    (folder_with("/".join("x" * 65), b""), "is too deep: 64 folders in each other are the limit"),
    (cut, "it cannot be unpacked"),
    (cut_tar, "it cannot be unpacked"),
    (linked_folder("/etc/shadow"), "data is a link"),
    (linked_folder("main.py"), "data is a link"),
    (linked_folder("nowhere"), "data is a link"),
    (piped_folder, "talk is neither a file nor a folder"),
    (socket_folder, "talk is neither a file nor a folder"),
    (heavy_folder, "it has more than 50 MB unpacked; that is the limit"),
    (lambda folder: make_folder(folder, FILES | {"weights": os.urandom(11 * MB)}), "MB packed; the limit is 10 MB"),
    (folder_with("sub\\x", b""), r"the name sub\\x has a character that names here cannot have"),
    (folder_with("ladder.toml", b"language = 'python'\ncolour = 'red'\n"), "colour is not a known key"),
    (folder_with("ladder.toml", b"language = \n"), "ladder.toml is not TOML"),
    (folder_with("ladder.toml", b"language = 'klingon'\n"), "unknown language 'klingon'"),
    (folder_with("ladder.toml", b"source = 'gone.py'\n"), "source is gone.py, and there is no such file"),
    (folder_with("ladder.toml", b"source = '../x.py'\n"), "it must name a file inside the folder"),
    (folder_with("ladder.toml", b"language = 'python'\n"), "source is missing; it names the bot's main file"),
    (folder_with("ladder.toml", b"bot = 'kraken'\n"), 'write into it: language = "python" and, in the next line'),
    (folder_of({"main.py": b"x", "words.py": b"y"}), f"no ladder.toml in it; write into it: {USUAL}"),
    (folder_of({"a.py": b"x", "b.py": b"y"}), "there is no ladder.toml in it; it says what the bot is made of"),
    (folder_of({".git/config": b"x"}), "there are no files in it"),
]
"""What makes a folder or an archive, and the sentence that it is refused with."""


@pytest.mark.parametrize(("make", "sentence"), UNFIT, ids=map(str, range(len(UNFIT))))
def test_what_cannot_be_a_bot_is_refused_at_once(tmp_path: Path, make: Callable[[Path], Path], sentence: str) -> None:
    """Nothing is written, and reading ends with the first thing wrong, however much would come after it."""
    path = make(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    began = time.process_time()
    with pytest.raises(UsageFault) as caught:
        read_bot(path, 100)
    assert time.process_time() - began < AT_ONCE_S
    said = str(caught.value)
    assert str(path) in said or "unknown language" in said
    assert sentence in said
    assert "\n" not in said
    assert said.isprintable()
    assert sorted(tmp_path.rglob("*")) == before


def test_the_same_content_has_the_same_hash_however_it_comes_and_other_content_another(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "kraken")
    hashes = {
        read_folder(folder).hash,
        read_folder(make_folder(tmp_path / "other", dict(reversed(FILES.items())))).hash,
        read_archive(zip_of(tmp_path / "a.zip", FILES)).hash,
        read_archive(zip_of(tmp_path / "b.zip", {f"kraken/{name}": text for name, text in FILES.items()})).hash,
        read_archive(tar_of(tmp_path / "a.tar", *((member(n), c) for n, c in FILES.items()), mode="w")).hash,
        read_archive(tar_of(tmp_path / "b.tgz", *((member(f"./{n}"), c) for n, c in FILES.items()))).hash,
        unpacked(read_folder(folder).packed).hash,
    }
    assert len(hashes) == 1
    (folder / "main.py").chmod(0o755)
    assert read_folder(folder).hash not in hashes
    assert read_folder(make_folder(tmp_path / "third", FILES | {"other.py": b""})).hash not in hashes


def test_a_text_and_a_tree_are_named_by_what_is_in_them(tmp_path: Path) -> None:
    tree = read_folder(make_folder(tmp_path / "kraken"))
    assert source_hash(tree) == tree.hash
    assert source_hash("x") == source_hash("x") != source_hash("y")


def test_hidden_files_and_caches_are_no_part_of_a_bot(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "kraken")
    plain = read_folder(folder)
    make_folder(folder, {".git/config": b"x", "sub/.secret": b"x", "sub/__pycache__/words.pyc": b"x"})
    (folder / ".venv").symlink_to("/usr")
    assert read_folder(folder) == plain


def test_a_byte_order_mark_is_left_out_of_texts_when_they_are_built_and_stays_in_what_is_stored(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    binary = {"picture": mark + b"\0\1", "weights": mark + b"\xff\xfe"}
    bot = read_bot(make_folder(tmp_path / "kraken", {name: mark + text for name, text in FILES.items()} | binary), 100)
    assert bot.language.name == "python"
    assert isinstance(bot.source, Tree)
    assert bot.source.contents["main.py"] == mark + FILES["main.py"]
    assert {one.name: one.content for one in files_of(bot.source, bot.language)} == FILES | binary


def test_that_of_a_single_file_is_left_out_too(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    (tmp_path / "marked.py").write_bytes(mark + b"#!/usr/bin/python3\n")
    single = read_bot(tmp_path / "marked.py", 100)
    assert single.source == "\ufeff#!/usr/bin/python3\n"
    (file,) = files_of(single.source, single.language)
    assert (file.content, file.executable) == (b"#!/usr/bin/python3\n", True)


def test_a_byte_order_mark_alone_is_an_empty_source(tmp_path: Path) -> None:
    (tmp_path / "marked.py").write_bytes(b"\xef\xbb\xbf")
    with pytest.raises(UnusableSource, match="the source is empty"):
        read_bot(tmp_path / "marked.py", 100)


def test_a_tree_that_was_stored_when_names_could_be_others_is_still_read() -> None:
    """It has all files in one folder, as a packed tree may."""
    stored = tree_of([Member("sub/a\u200bb", b"x"), Member("sub/main.py", b"x"), Member("sub/Main.py", b"x")])
    assert source.unpacked_as_stored(stored.packed) == stored
    with pytest.raises(Unfit):
        unpacked(stored.packed)


def test_names_in_one_form(tmp_path: Path) -> None:
    assert checked_name("./a//b/./c") == "a/b/c"
    assert checked_name("./") == ""
    assert checked_name("ö ü/..x") == "ö ü/..x"
    big = make_folder(tmp_path / "big", FILES | {f"{number}.txt": b"" for number in range(1997)})
    assert len(read_folder(big).files) == 2000


@pytest.mark.parametrize("beside", ["Thumbs.db", "desktop.ini", "Desktop.ini", "bot/sub/Thumbs.db", "__MACOSX/bot/._x"])
@pytest.mark.parametrize("separator", ["/", "\\"])
def test_what_systems_put_beside_files_changes_no_tree(tmp_path: Path, beside: str, separator: str) -> None:
    names = {f"bot/{name}".replace("/", separator): content for name, content in FILES.items()}
    path = zip_of(tmp_path / "bot.zip", {f"bot{separator}": b"", **names, beside.replace("/", separator): b"x"})
    assert read_archive(path).hash == read_folder(make_folder(tmp_path / "bot")).hash


@pytest.mark.parametrize("name", ["..\\out.py", "\\out.py", "sub\\..\\..\\out.py"])
def test_names_with_backslashes_do_not_lead_out_of_a_zip_either(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageFault, match="leads out of it"):
        read_archive(zip_with(name)(tmp_path))


GUIDE = Path(__file__).parents[2] / "docs" / "writing-a-bot.md"


def folder_of_files(folder: Path, text: str) -> Path:
    return make_folder(folder, {"ladder.toml": text.encode()})


def test_all_keys_are_read_as_the_file_has_them(tmp_path: Path) -> None:
    words = 'game = "ocean-of-code"\nbot = "kraken"\nlanguage = "cpp"\nsource = "src/kraken.cpp"\n'
    words += 'build = ["make", "-s"]\nrun = ["{folder}/kraken", "--deep"]\n'
    found = read_bot_folder(folder_of_files(tmp_path, words))
    assert (found.game, found.bot, found.language, found.source) == ("ocean-of-code", "kraken", "cpp", "src/kraken.cpp")
    assert (found.build, found.run) == (("make", "-s"), ("{folder}/kraken", "--deep"))
    assert found.source_file() == tmp_path / "src" / "kraken.cpp"


def test_every_key_may_be_left_out_but_a_source_that_is_asked_for(tmp_path: Path) -> None:
    found = read_bot_folder(folder_of_files(tmp_path, "# nothing yet\n"))
    assert (found.game, found.bot, found.language, found.source, found.build, found.run) == (None,) * 4 + ((), ())
    with pytest.raises(UsageFault, match=re.escape(f"{tmp_path}/ladder.toml: source is missing")):
        found.source_file()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('gmae = "x"', "ladder.toml: gmae is not a known key; known: game, bot, language, source, build, run"),
        ("game = 7", "ladder.toml: game is 7; it must be a text"),
        ('bot = " "', "ladder.toml: bot is  ; it must be a text"),
        ('bot = ""', "ladder.toml: bot is empty; it must be a text"),
        ('language = ["cpp"]', "ladder.toml: language is ['cpp']; it must be a text"),
        ('build = "make"', 'ladder.toml: build is make; it must be a list of words, as in ["make", "-s"]'),
        ("run = []", "ladder.toml: run is []; it must be a list of words"),
        ('run = ["./kraken", 8]', "ladder.toml: run is ['./kraken', 8]; it must be a list of words"),
        ('source = "/etc/passwd"', "ladder.toml: source is /etc/passwd; it must name a file inside the folder"),
        ('source = "../other.py"', "ladder.toml: source is ../other.py; it must name a file inside the folder"),
        ('source = "src/../../other.py"', "it must name a file inside the folder"),
        ('source = "."', "ladder.toml: source is .; it must name a file inside the folder"),
        ('source = "a\\u0000b"', "it must name a file inside the folder"),
        ("game = ocean", "ladder.toml is not TOML: "),
        ('game = "a"\ngame = "b"', "ladder.toml is not TOML: "),
        ("game = " + "[" * 5000, "ladder.toml is not TOML: "),
        ("#" * 70_000, "ladder.toml has more than 65,536 bytes; that is the limit"),
    ],
)
def test_what_is_wrong_is_one_short_sentence_that_names_file_and_key(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(UsageFault) as refused:
        read_bot_folder(folder_of_files(tmp_path, text))
    words = str(refused.value)
    assert sentence in words
    assert str(tmp_path) in words
    assert "\n" not in words
    assert len(words) < len(str(tmp_path)) + 250
    assert refused.value.exit_status == 2


def test_a_file_that_is_none_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match=r"cannot read .*/ladder.toml: No such file or directory"):
        read_bot_folder(tmp_path)
    (tmp_path / "ladder.toml").write_bytes(b"game = \xff\xfe")
    with pytest.raises(UsageFault, match=r"ladder.toml is not TOML: "):
        read_bot_folder(tmp_path)


def test_a_pipe_in_place_of_the_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ladder.toml")
    with pytest.raises(UsageFault, match=r"cannot read .*/ladder.toml: it is a pipe"):
        read_bot_folder(tmp_path)


def test_the_nearest_folder_upwards_counts(tmp_path: Path) -> None:
    outer = folder_of_files(tmp_path / "bots", 'game = "ice-and-fire"')
    inner = folder_of_files(outer / "kraken", 'game = "ocean-of-code"')
    deep = inner / "src" / "deep"
    deep.mkdir(parents=True)
    (outer / "ladder.toml.d").mkdir()
    (deep / "ladder.toml").mkdir()  # a folder of that name is none
    assert find_bot_folder(deep) == inner
    assert find_bot_folder(inner) == inner
    assert find_bot_folder(outer / "ladder.toml.d") == outer
    assert find_bot_folder(tmp_path) is None
    assert find_bot_folder(inner / "..") == outer
    assert find_bot_folder(outer / "..") is None


def test_the_guide_explains_every_key_and_its_example_can_be_read(tmp_path: Path) -> None:
    page = GUIDE.read_text("utf-8").split("## A folder for a bot")[1].split("\n## ")[0]
    found = read_bot_folder(folder_of_files(tmp_path, page.split("```toml\n")[1].split("```")[0]))
    assert (found.game, found.bot, found.run) == ("ocean-of-code", "kraken", ("{folder}/kraken",))
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == {*TEXTS, *COMMANDS}
