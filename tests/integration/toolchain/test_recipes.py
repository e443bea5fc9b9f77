"""What sources written for CodinGame find here: its libraries, its names, its way to build; and compilers' warnings."""

import shutil
from pathlib import Path

import pytest

from engine.conversation import Outcome, SeatVerdict, Verdict
from engine.errors import BuildRefused
from engine.live import with_warnings
from engine.sandbox.box import Sandbox
from engine.toolchains.build import build, find_built
from engine.toolchains.languages import find_language, languages
from engine.toolchains.program import MOST_WARNING_CHARS, pack, unpack
from engine.workspace import open_workspace
from tests.integration.toolchain.conftest import built, converse, is_installed, output_of

FALLS_OFF = """
    #include <cstdio>
    int note(int number) { if (number > 1000) return 0; std::fprintf(stderr, "%d", number); }
    int main() {
        int number;
        while (std::scanf("%d", &number) == 1) { note(number); std::printf("got %d\\n", number); }
    }
"""
"""Ends a function without its value, which harms nobody where nothing is optimised."""
CODINGAMES_CRATES = ("chrono", "itertools", "libc", "rand", "regex", "time", "uuid")
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
        for crate in CODINGAMES_CRATES:
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
        assert find_built(program.key) == program

    def test_they_go_with_the_program_to_another_machine(
        self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        program = build(GRUMBLING, find_language("script"), sandbox)
        archive = pack(program)
        monkeypatch.setenv("LADDER_CACHE", str(open_workspace().root / "elsewhere"))
        assert unpack(archive, program.key).warnings == program.warnings

    def test_there_are_none_where_the_compiler_had_nothing_to_say(self, sandbox: Sandbox) -> None:
        assert build("echo 'echo hello' > /out/bot", find_language("script"), sandbox).warnings == ""

    def test_of_many_the_first_are_kept(self, sandbox: Sandbox) -> None:
        source = "yes 'warning: again' | head -n 9999 >&2; echo 'echo hello' > /out/bot"
        warnings = build(source, find_language("script"), sandbox).warnings
        assert 10_000 < len(warnings) <= MOST_WARNING_CHARS

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
