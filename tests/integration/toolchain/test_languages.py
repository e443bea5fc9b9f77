"""Bots in every language that is installed, and what a compiler must not do."""

import textwrap
from pathlib import Path

import pytest

from engine.errors import BuildRefused, MissingTool
from engine.sandbox.box import Sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.toolchains.build import build, choose_toolchain
from engine.toolchains.languages import find_language, languages
from engine.toolchains.program import main_class, missing_tools, pack, unpack
from engine.toolchains.source import Member, check_source, tree_of
from engine.workspace import open_workspace
from tests.integration.toolchain.conftest import built, converse, is_installed, output_of, programs, scratch
from tests.patience import patience_s

# Bots that answer each line, in the way that CodinGame's own starting code does: without flushing where it does not.
ANSWERING = {
    "python": """
        while True:
            print("got", input())
    """,
    "c": """
        #include <stdio.h>
        int main(void) { char word[99]; while (scanf("%98s", word) == 1) printf("got %s\\n", word); }
    """,
    "cpp": """
        #include <cstdio>
        #include <iostream>
        int main() { std::string word; while (std::cin >> word) std::printf("got %s\\n", word.c_str()); }
    """,
    "rust": """
        fn main() { for line in std::io::stdin().lines() { println!("got {}", line.unwrap()); } }
    """,
    "java": """
        import java.util.Scanner;
        class Alpha { public static void main(String[] args) { } }
        class Player {
            public static void main(String[] args) {
                Scanner in = new Scanner(System.in);
                while (in.hasNext()) System.out.println("got " + in.next());
            }
        }
    """,
    "javascript": """
        while (true) { console.log("got " + readline()); }
    """,
    "typescript": """
        function answer(word: string): string { return "got " + word; }
        while (true) { console.log(answer(readline())); }
    """,
    "go": """
        package main
        import "fmt"
        func main() { var word string; for { fmt.Scan(&word); fmt.Println("got", word) } }
    """,
    "csharp": """
        using System;
        class Player { static void Main() { while (true) Console.WriteLine("got " + Console.ReadLine()); } }
    """,
    "kotlin": """
        fun main(args: Array<String>) { while (true) println("got " + readLine()) }
    """,
    "haskell": """
        import System.IO
        main = do
          hSetBuffering stdout LineBuffering
          interact (unlines . map ("got " ++) . lines)
    """,
    "ocaml": """
        let () = try while true do print_endline ("got " ^ read_line ()) done with End_of_file -> ()
    """,
    "pascal": """
        program Answer;
        {$H+}
        uses sysutils, classes, math;
        var word: string;
        begin
          while not eof do begin readln(word); writeln('got ', word); flush(output); end;
        end.
    """,
    "d": """
        import std;
        void main() { string line; while ((line = readln()) !is null) writeln("got ", line.strip); }
    """,
    "objectivec": """
        #include <objc/Object.h>
        #include <stdio.h>
        @interface Fish : Object
        + (void) play;
        @end
        @implementation Fish
        + (void) play { char word[99]; while (scanf("%98s", word) == 1) printf("got %s\\n", word); }
        @end
        int main(void) { [Fish play]; return 0; }
    """,
    "scala": """
        import scala.io.StdIn._
        object Player extends App {
          Iterator.continually(readLine()).takeWhile(_ != null).foreach(line => println("got " + line))
        }
    """,
    "groovy": """
        input = new Scanner(System.in)
        while (input.hasNext()) { println "got " + input.next() }
    """,
    "clojure": """
        (ns Player (:gen-class))
        (defn -main [& args]
          (loop [] (when-let [line (read-line)] (println (str "got " line)) (recur))))
    """,
    "ruby": """
        STDOUT.sync = true
        loop { puts "got " + gets }
    """,
    "php": """
        <?php while (true) { echo "got " . stream_get_line(STDIN, 99, "\\n") . "\\n"; }
    """,
    "perl": """
        $| = 1;
        while (my $line = <STDIN>) { print "got $line"; }
    """,
    "lua": """
        while true do print("got " .. io.read()) end
    """,
    "bash": """
        while read -r line; do echo "got $line"; done
    """,
    "program": """
        #!/bin/sh
        while read -r line; do echo "got $line"; done
    """,
}


JAVA_MAIN = (
    'public static void main(String[] args) { System.out.println("got " + new java.util.Scanner(System.in).next()); }'
)
JAVA_SOURCES = {
    "com.größe.Player": "// package no.such;\n  package  com . größe ;\n"
    f"public interface Player {{ {JAVA_MAIN.replace('String[]', 'String...')} }}",
    "Kraken": f"class Kraken {{ {JAVA_MAIN} }} class Alpha {{ static void main(String[] args) {{ }} }}"
    " class Player extends Kraken { }",
}
"""By the class whose `main` is to be found: an interface's, in a package with dots for an array, public; of another
name and inherited. One of several is in `ANSWERING`."""
NESTED = f"package fish; class Outer {{ static class Player {{ {JAVA_MAIN} }} }}"


RECIPES = [language.name for language in languages().values() if not language.lacking]


class TestEveryLanguage:
    """What is installed builds, runs and converses; what is not is named."""

    @pytest.mark.parametrize("name", sorted(set(RECIPES) - {"script"}))
    def test_a_bot_answers_line_by_line_also_with_a_byte_order_mark_before_its_source(
        self, name: str, sandbox: Sandbox
    ) -> None:
        language = find_language(name)
        source = "\ufeff" + textwrap.dedent(ANSWERING[name]).strip()
        assert check_source(source.encode()) == source, "it is stored as it was handed in"
        if is_installed(language, sandbox):
            assert converse(sandbox, build(source, language, sandbox), ["one", "two"]) == ["got one", "got two"]
        else:
            with pytest.raises(MissingTool, match=f"no toolchain for .* is installed.*{language.toolchains[0].name}"):
                build(source, language, sandbox)

    @pytest.mark.parametrize("name", sorted(set(RECIPES) - {"script", "typescript"}))
    def test_a_source_that_is_no_program_is_refused_in_the_tools_own_words(self, name: str, sandbox: Sandbox) -> None:
        language = find_language(name)
        if not is_installed(language, sandbox):
            with pytest.raises(MissingTool):
                build("<?php )(\n", language, sandbox)
            return
        with pytest.raises(BuildRefused, match=r"source (does not compile|is not well formed)$") as caught:
            build("<?php )(\n", language, sandbox)
        assert language.source in caught.value.output
        assert str(open_workspace().root) not in caught.value.output
        assert programs() == scratch() == []

    @pytest.mark.parametrize("name", ["dart", "fsharp", "swift", "vbnet"])
    def test_of_one_without_a_recipe_the_message_says_why_and_what_to_do(self, name: str, sandbox: Sandbox) -> None:
        language = find_language(name)
        with pytest.raises(MissingTool) as caught:
            build("print(1)", language, sandbox)
        assert f"there is no recipe for {language.title}: Debian 12 has no package" in str(caught.value)
        assert "docs/writing-a-bot.md" in str(caught.value)

    def test_a_language_that_needs_a_package_says_where_it_stands(self, sandbox: Sandbox, public_folder: Path) -> None:
        (public_folder / "languages.toml").write_text('[pascal.toolchains.fpc]\nbuild_tools = ["no-such-compiler"]\n')
        with pytest.raises(MissingTool, match=r"fpc \(no-such-compiler missing\); `ladder doctor` says which package"):
            build("begin end.", find_language("pascal"), sandbox)

    def test_python_is_always_here(self, sandbox: Sandbox) -> None:
        assert is_installed(find_language("python"), sandbox)

    def test_a_python_source_is_refused_with_its_line_and_without_our_own(self, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused) as caught:
            build("a = 1\nb = = 2\n", find_language("python"), sandbox)
        assert caught.value.output.startswith('  File "bot.py", line 2\n')
        assert "SyntaxError: invalid syntax" in caught.value.output

    @pytest.mark.parametrize("name", ["java", "javascript"])
    def test_a_runtime_with_a_heap_of_its_own_stays_below_the_memory_limit(self, name: str, sandbox: Sandbox) -> None:
        source = {
            "java": "class Player { static byte[][] kept = new byte[8][]; public static void main(String[] args) {"
            'for (int i = 0; i < 100; i++) kept[i % 8] = new byte[8 << 20]; System.out.println("done"); } }',
            "javascript": "const kept = []; for (let i = 0; i < 100; i++) kept[i % 8] = new Float64Array(1 << 20);"
            'console.log("done");',
        }[name]
        program = built(name, source, sandbox)
        assert program is None or output_of(sandbox, program) == "done\n"

    def test_what_a_java_machine_has_to_say_is_not_among_the_answers_of_its_bot(self, sandbox: Sandbox) -> None:
        """It warns of every thread that it may not start, and the bot goes on."""
        source = """
            class Player {
                static void rest() { try { Thread.sleep(60_000); } catch (InterruptedException woken) { } }
                public static void main(String[] args) {
                    try {
                        for (int i = 0; i < 100_000; i++) new Thread(Player::rest).start();
                    } catch (OutOfMemoryError refused) {
                        System.out.println("refused");
                    }
                    System.exit(0);
                }
            }
        """
        program = built("java", source, sandbox)
        if program is None:
            return
        finished = run_to_end(sandbox, program.box(), wall_limit_s=patience_s(), output_kb=64)
        assert finished.stdout == b"refused\n"
        assert choose_toolchain(find_language("java"), sandbox).name == "jdk8" or b"Failed to start" in finished.stderr

    def test_an_old_java_machine_is_spared_an_unknown_option(self, sandbox: Sandbox, public_folder: Path) -> None:
        """Its probe fails, so the next way is taken. The class that it starts is nested."""
        (public_folder / "languages.toml").write_text('[java.toolchains.jdk]\nprobe = ["false"]\n')
        java = find_language("java")
        if not is_installed(java, sandbox):
            assert missing_tools(("java", "javac"), [])
            return
        assert not [word for word in choose_toolchain(java, sandbox).run if word.startswith("-Xlog")]
        program = build(NESTED, java, sandbox)
        assert program.command[-1] == "fish.Outer$Player"
        assert converse(sandbox, program, ["one"]) == ["got one"]


class TestJavaPackages:
    @pytest.mark.parametrize("name", JAVA_SOURCES)
    def test_a_single_source(self, name: str, sandbox: Sandbox) -> None:
        java = find_language("java")
        if not is_installed(java, sandbox):
            pytest.skip("no JDK is installed")
        program = build(JAVA_SOURCES[name], java, sandbox)
        assert program.command[-1] == name
        assert converse(sandbox, program, ["one"]) == ["got one"]

    @pytest.mark.parametrize(("folder", "package"), [("", ""), ("src/main/java/", "com.fish")])
    def test_a_folder_of_sources(self, folder: str, package: str, sandbox: Sandbox) -> None:
        """Classes of other files are found from the folder on in which the packages begin."""
        java = find_language("java")
        if not is_installed(java, sandbox):
            pytest.skip("no JDK is installed")
        place = folder + (package.replace(".", "/") + "/" if package else "")
        line = f"package {package};\n" if package else ""
        main = JAVA_MAIN.replace('"got "', "Words.GOT")
        files = {
            "ladder.toml": f'language = "java"\nsource = "{place}Bot.java"\n',
            f"{place}Bot.java": f"\ufeff{line}public class Bot {{ {main} }}",
            f"{place}Words.java": f'{line}class Words {{ static final String GOT = deep.Deep.GOT + " "; }}',
            f"{folder}deep/Deep.java": 'package deep; public class Deep { public static String GOT = "got"; }',
            f"{place}Other.java": f"{line}this is not compiled",
        }
        source = tree_of(Member(name, text.encode()) for name, text in files.items())
        program = build(source, java, sandbox)
        assert converse(sandbox, program, ["one"]) == ["got one"]
        assert unpack(pack(program), program.key).command[-1] == f"{package}.Bot".lstrip(".")

    def test_no_name_of_a_class_becomes_an_option(self, tmp_path: Path) -> None:
        """A build of its own may leave class files by any name, and such that are none."""
        (tmp_path / "-jar.class").write_bytes(b"\xca\xfe\xba\xbe")
        (tmp_path / "@words.class").write_bytes(b"\xca\xfe\xba\xbe" + bytes(200))
        (tmp_path / "Cut.class").write_bytes(b"\xca\xfe\xba\xbe\0\0\0\x41\xff\xff\x01\xff")
        (tmp_path / "Text.class").write_text("no class")
        assert main_class(tmp_path, "") == "Player"


def test_the_build_of_a_folder_in_csharp_takes_all_its_sources(sandbox: Sandbox) -> None:
    csharp = find_language("csharp")
    if not is_installed(csharp, sandbox):
        pytest.skip("no compiler of C# is installed")
    files = {
        "ladder.toml": 'language = "csharp"\nsource = "Program.cs"\n',
        "Program.cs": "class Player { static void Main() { for (;;) System.Console.WriteLine(Game.Words.Got()); } }",
        "the game/My Words.cs": "\ufeffnamespace Game { class Words { public static string Got() {"
        ' return "got " + System.Console.ReadLine(); } } }',
        "obj/Debug/Left.cs": "this does not compile",
        "bin/Left.cs": "this does not compile",
    }
    source = tree_of(Member(name, text.encode()) for name, text in files.items())
    assert converse(sandbox, build(source, csharp, sandbox), ["one"]) == ["got one"]
    broken = tree_of([*source.files, Member("more/Broken.cs", b"class {")])
    with pytest.raises(BuildRefused) as caught:
        build(broken, csharp, sandbox)
    assert "more/Broken.cs(1" in caught.value.output
    assert "/out/" not in caught.value.output


@pytest.mark.parametrize(
    ("call", "is_noted"),
    [
        ("gen_range(0, 6)", True),
        ("gen_range(0,\n  bots.len())", True),
        ("gen_range(f(1, 2), 6)", True),
        ("gen_range(0..6)", False),
        ("gen_range(0..f(1, 2))", False),
    ],
)
def test_a_rust_bot_for_an_older_crate_rand_reads_what_has_changed(call: str, is_noted: bool, sandbox: Sandbox) -> None:
    rust = find_language("rust")
    if not is_installed(rust, sandbox):
        pytest.skip("Rust is not installed")
    source = f"fn main() {{ let number: u32 = rand::thread_rng().{call}; broken }}"
    with pytest.raises(BuildRefused) as caught:
        build(source, rust, sandbox)
    note = "since version 0.8 of the crate rand, gen_range takes a range: write gen_range(a..b) for gen_range(a, b)"
    assert (note in caught.value.output) == is_noted


def test_a_program_larger_than_a_file_may_be_is_refused_by_our_limit(sandbox: Sandbox) -> None:
    source, cpp = "char table[3000000000UL] = {1};\nint main() { return table[5]; }\n", find_language("cpp")
    if not is_installed(cpp, sandbox):
        with pytest.raises(MissingTool):
            build(source, cpp, sandbox)
        return
    with pytest.raises(
        BuildRefused, match=r"^compiling the C\+\+ source made a file of more than the 256 MB"
    ) as caught:
        build(source, cpp, sandbox)
    assert "g++" in caught.value.output or "clang" in caught.value.output, "the compiler's own words follow"
