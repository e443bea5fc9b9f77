"""Bots in every language that is installed, and what sources written for CodinGame find here."""

import shutil
import textwrap
from pathlib import Path

import pytest

from engine.conversation import Outcome, SeatVerdict, Verdict
from engine.errors import BuildRefused, MissingTool
from engine.live import with_warnings
from engine.sandbox.box import Sandbox
from engine.sandbox.run_to_end import run_to_end
from engine.toolchains.build import build, choose_toolchain
from engine.toolchains.languages import find_language, languages
from engine.toolchains.program import MOST_WARNING_CHARS, find_program, main_class, missing_tools, pack, unpack
from engine.toolchains.source import Member, check_source, tree_of
from engine.workspace import open_workspace
from tests.integration.toolchain.conftest import built, converse, is_installed, output_of, programs, scratch
from tests.patience import patience_s

# Bots that answer each line, in the way that CodinGame's own starting code does: without flushing where it does not.
ANSWERING = {
    "python": 'while True:\n    print("got", input())',
    "c": "#include <stdio.h>\n"
    'int main(void) { char word[99]; while (scanf("%98s", word) == 1) printf("got %s\\n", word); }',
    "cpp": """
        #include <cstdio>
        #include <iostream>
        int main() { std::string word; while (std::cin >> word) std::printf("got %s\\n", word.c_str()); }
    """,
    "rust": 'fn main() { for line in std::io::stdin().lines() { println!("got {}", line.unwrap()); } }',
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
    "javascript": 'while (true) { console.log("got " + readline()); }',
    "typescript": 'function answer(word: string): string { return "got " + word; }\n'
    "while (true) { console.log(answer(readline())); }",
    "go": """
        package main
        import "fmt"
        func main() { var word string; for { fmt.Scan(&word); fmt.Println("got", word) } }
    """,
    "csharp": "using System;\n"
    'class Player { static void Main() { while (true) Console.WriteLine("got " + Console.ReadLine()); } }',
    "kotlin": 'fun main(args: Array<String>) { while (true) println("got " + readLine()) }',
    "haskell": """
        import System.IO
        main = do
          hSetBuffering stdout LineBuffering
          interact (unlines . map ("got " ++) . lines)
    """,
    "ocaml": 'let () = try while true do print_endline ("got " ^ read_line ()) done with End_of_file -> ()',
    "pascal": """
        program Answer;
        {$H+}
        uses sysutils, classes, math;
        var word: string;
        begin
          while not eof do begin readln(word); writeln('got ', word); flush(output); end;
        end.
    """,
    "d": 'import std;\nvoid main() { string line; while ((line = readln()) !is null) writeln("got ", line.strip); }',
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
    "groovy": 'input = new Scanner(System.in)\nwhile (input.hasNext()) { println "got " + input.next() }',
    "clojure": """
        (ns Player (:gen-class))
        (defn -main [& args]
          (loop [] (when-let [line (read-line)] (println (str "got " line)) (recur))))
    """,
    "ruby": 'STDOUT.sync = true\nloop { puts "got " + gets }',
    "php": '<?php while (true) { echo "got " . stream_get_line(STDIN, 99, "\\n") . "\\n"; }',
    "perl": '$| = 1;\nwhile (my $line = <STDIN>) { print "got $line"; }',
    "lua": 'while true do print("got " .. io.read()) end',
    "bash": 'while read -r line; do echo "got $line"; done',
    "program": '#!/bin/sh\nwhile read -r line; do echo "got $line"; done',
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


RECIPES = [language.name for language in languages().values() if not language.lacking]


class TestEveryLanguage:
    """What is installed builds, runs and converses; what is not is named."""

    @pytest.mark.parametrize("name", sorted(set(RECIPES) - {"script"}))
    def test_a_bot_answers_line_by_line_also_after_a_byte_order_mark(self, name: str, sandbox: Sandbox) -> None:
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
        program = build(f"package fish; class Outer {{ static class Player {{ {JAVA_MAIN} }} }}", java, sandbox)
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
        program = build(tree_of(Member(name, text.encode()) for name, text in files.items()), java, sandbox)
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
    with pytest.raises(BuildRefused) as caught:
        build(f"fn main() {{ let number: u32 = rand::thread_rng().{call}; broken }}", rust, sandbox)
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


FALLS_OFF = """
    #include <cstdio>
    int note(int number) { if (number > 1000) return 0; std::fprintf(stderr, "%d", number); }
    int main() {
        int number;
        while (std::scanf("%d", &number) == 1) { note(number); std::printf("got %d\\n", number); }
    }
"""
"""Ends a function without its value, which harms nobody where nothing is optimised."""
GRUMBLING = "echo 'careful \033[2J: warning: this may crash' >&2; echo 'echo hello' > /out/bot"


def answers(name: str, source: str, sandbox: Sandbox, lines: list[str]) -> list[str] | None:
    program = built(name, source, sandbox)
    return None if program is None else converse(sandbox, program, lines)


class TestCAndCPlusPlus:
    """With -O2, where that does no harm."""

    def test_a_source_that_falls_off_the_end_of_a_function_is_not_optimised_and_told(self, sandbox: Sandbox) -> None:
        program = built("cpp", FALLS_OFF, sandbox)
        assert program is None or "[-Wreturn-type]" in program.warnings
        assert program is None or "this one was built without optimisation" in program.warnings
        assert program is None or converse(sandbox, program, ["1", "2"]) == ["got 1", "got 2"]

    @pytest.mark.parametrize("name", ["c", "cpp"])
    def test_any_other_source_is_optimised(self, name: str, sandbox: Sandbox) -> None:
        source = """
            #include <stdio.h>
            #ifdef __OPTIMIZE__
            int main(void) { int number; while (scanf("%d", &number) == 1) printf("optimised\\n"); return 0; }
            #else
            int main(void) { return 1; }
            #endif
        """
        assert answers(name, source, sandbox, ["1"]) in (None, ["optimised"])

    def test_a_source_that_does_not_compile_is_refused_in_the_compilers_words(self, sandbox: Sandbox) -> None:
        if not is_installed(find_language("cpp"), sandbox):
            return
        with pytest.raises(BuildRefused) as caught:
            build("int main() { return missing_name; }", find_language("cpp"), sandbox)
        assert "missing_name" in caught.value.output
        assert "optimisation" not in caught.value.output


class TestCSharp:
    def test_big_numbers_vectors_and_queries_are_there(self, sandbox: Sandbox) -> None:
        source = """
            using System; using System.Linq; using System.Numerics;
            class Player {
                static (int, string) Pair() => (1, "got");
                static void Main() {
                    Span<int> numbers = stackalloc int[3];
                    for (string line; (line = Console.ReadLine()) != null;) {
                        var (_, word) = Pair();
                        var sum = line.Select(digit => new BigInteger(digit - '0')).Aggregate(BigInteger.Add);
                        Console.WriteLine($"{word} {BigInteger.Pow(2, 70) + sum + numbers.Length}");
                    }
                }
            }
        """
        if answers_with_numerics(sandbox):
            assert answers("csharp", source, sandbox, ["12"]) == ["got 1180591620717411303430"]


def has_crate(crate: str, sandbox: Sandbox) -> bool:
    installed = list(Path("/usr/share/cargo/registry").glob(f"{crate}-[0-9]*")) and shutil.which(
        "cargo", path="/usr/bin"
    )
    return is_installed(find_language("rust"), sandbox) and bool(installed)


def answers_with_numerics(sandbox: Sandbox) -> bool:
    try:
        return built("csharp", "using System.Numerics; class Player { static void Main() { } }", sandbox) is not None
    except BuildRefused:
        return False


class TestTypeScript:
    """As little strict as it is on CodinGame, by any version of the compiler; the set-up of the tests installs one."""

    LOOSE = """
        const readline = require('readline');
        const lines = readline.createInterface({ input: process.stdin });
        function answer(word, other?) { let found; found = null; return "got " + word + (found ? other.some : ""); }
        class Node { name: string; next: Node = null; }
        const node = new Node();
        lines.on('line', (line: string) => console.log(answer(line)));
    """
    IMPORTED = """
        import { createInterface } from 'readline';
        enum Way { North, South }
        createInterface({ input: process.stdin }).on('line', (line) => console.log(Way[Way.South] + " " + line));
    """
    MISTAKEN = "const number: number = readline();"

    def test_it_takes_sources_without_types_and_with_names_of_ours(self, sandbox: Sandbox) -> None:
        assert answers("typescript", self.LOOSE, sandbox, ["one"]) == ["got one"]

    def test_what_is_more_than_types_is_compiled_and_imported_from_node(self, sandbox: Sandbox) -> None:
        assert answers("typescript", self.IMPORTED, sandbox, ["one"]) == ["South one"]

    def test_a_mistake_of_types_is_refused_in_the_compilers_words(self, sandbox: Sandbox) -> None:
        with pytest.raises(BuildRefused, match="source does not compile") as caught:
            build(self.MISTAKEN, find_language("typescript"), sandbox)
        assert "bot.ts(1,7): error TS2322" in caught.value.output

    def test_the_compiler_gets_the_flags_whatever_its_defaults_are(self) -> None:
        command = " ".join(find_language("typescript").toolchains[0].compile)
        assert "--strict false" in command
        assert "--moduleDetection force" in command


class TestRust:
    RAND = """
        use rand::Rng;
        fn main() {
            let mut random = rand::thread_rng();
            for line in std::io::stdin().lines() { println!("got {} {}", line.unwrap(), random.gen_range(7..8)); }
        }
    """

    def test_a_crate_that_is_here_is_used(self, sandbox: Sandbox) -> None:
        if has_crate("rand", sandbox):
            assert answers("rust", self.RAND, sandbox, ["one"]) == ["got one 7"]

    def test_of_one_that_is_not_the_package_is_named_that_brings_it(self, sandbox: Sandbox) -> None:
        for crate in ("chrono", "itertools", "libc", "rand", "regex", "time", "uuid"):
            if is_installed(find_language("rust"), sandbox) and not has_crate(crate, sandbox):
                with pytest.raises(BuildRefused) as caught:
                    build(f"use {crate}::x;\nfn main() {{ x() }}", find_language("rust"), sandbox)
                assert f"librust-{crate}-dev bring it" in caught.value.output

    def test_a_module_that_is_named_like_a_crate_is_the_sources_own(self, sandbox: Sandbox) -> None:
        source = """
            mod rand { pub fn seven() -> i32 { 7 } }
            use rand::seven;
            fn main() { for line in std::io::stdin().lines() { println!("got {} {}", line.unwrap(), seven()); } }
        """
        assert answers("rust", source, sandbox, ["one"]) in (None, ["got one 7"])


class TestObjectiveC:
    FOUNDATION = """
        #import <Foundation/Foundation.h>
        int main(void) {
            NSAutoreleasePool *pool = [NSAutoreleasePool new];
            char word[99];
            while (scanf("%98s", word) == 1)
                printf("%s\\n", [[@"got " stringByAppendingFormat: @"%s", word] UTF8String]);
            [pool release];
            return 0;
        }
    """

    def test_foundation_is_used_where_it_is_and_else_the_compiler_says_that_it_is_not(self, sandbox: Sandbox) -> None:
        if Path("/usr/include/GNUstep/Foundation").is_dir():
            assert answers("objectivec", self.FOUNDATION, sandbox, ["one"]) in (None, ["got one"])
        elif is_installed(find_language("objectivec"), sandbox):
            with pytest.raises(BuildRefused) as caught:
                build(self.FOUNDATION, find_language("objectivec"), sandbox)
            assert "Foundation/Foundation.h: No such file" in caught.value.output


def test_numpy_is_there_for_python_bots_where_the_systems_python_has_it(sandbox: Sandbox) -> None:
    asked = "import sys, importlib.util as u\nprint(sys.executable, u.find_spec('numpy') is not None)\n"
    interpreter, has_numpy = output_of(sandbox, build(asked, find_language("python"), sandbox)).split()
    assert interpreter.startswith("/usr/"), "neither an environment nor a home folder"
    used = output_of(sandbox, build("import numpy\nprint(numpy.arange(4).sum())\n", find_language("python"), sandbox))
    assert used == ("6\n" if has_numpy == "True" else "")


def test_haskells_runtime_sets_no_timer() -> None:
    assert any("-V0" in word for word in find_language("haskell").toolchains[0].compile)


@pytest.mark.parametrize("name", ["clojure", "groovy", "java", "kotlin", "scala"])
def test_the_runtime_of_a_language_that_compiles_beside_its_bot_has_an_allowance(name: str) -> None:
    recipe = languages()[name].toolchains[0]
    assert recipe.runtime_cpu_ms > recipe.runtime_late_cpu_ms > 0
    assert "C2 CompilerThre" in recipe.runtime_threads


class TestWarnings:
    def test_they_are_kept_with_the_program_and_harmless(self, sandbox: Sandbox) -> None:
        program = build(GRUMBLING, find_language("script"), sandbox)
        assert program.warnings == "careful \u241b[2J: warning: this may crash"
        assert find_program(program.key) == program

    def test_they_go_with_the_program_elsewhere(self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        program = build(GRUMBLING, find_language("script"), sandbox)
        archive = pack(program)
        monkeypatch.setenv("LADDER_CACHE", str(open_workspace().root / "elsewhere"))
        assert unpack(archive, program.key).warnings == program.warnings

    def test_there_are_none_where_the_compiler_had_nothing_to_say(self, sandbox: Sandbox) -> None:
        assert build("echo 'echo hello' > /out/bot", find_language("script"), sandbox).warnings == ""

    def test_of_many_the_first_are_kept(self, sandbox: Sandbox) -> None:
        source = "yes 'warning: again' | head -n 9999 >&2; echo 'echo hello' > /out/bot"
        assert 10_000 < len(build(source, find_language("script"), sandbox).warnings) <= MOST_WARNING_CHARS

    def test_the_message_about_a_crash_quotes_the_first_of_them(self, sandbox: Sandbox) -> None:
        quiet = build("echo 'echo hello' > /out/bot", find_language("script"), sandbox)
        warned = build(GRUMBLING, find_language("script"), sandbox)
        crash = SeatVerdict(Verdict.CRASHED, "the program was ended by SIGSEGV")
        illegal = SeatVerdict(Verdict.ILLEGAL, "moved onto an island")
        told = with_warnings(Outcome((0, 0), "disabled", (crash, crash)), (warned, quiet)).verdicts
        assert told[0].message == "the program was ended by SIGSEGV; its compiler had warned: this may crash"
        assert told[1] == crash
        untouched = Outcome((0, 0), "disabled", (illegal, illegal))
        assert with_warnings(untouched, (warned, warned)) == untouched
