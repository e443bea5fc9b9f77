"""The test referees as games of Ladder, and a bot for them."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.game import Game
from engine.referees.edition import load_folder

IN_JAVA = "java -jar foragers.jar"
PICKER = r"""
#include <stdio.h>

int main(void) {
    char line[4096];
    int seat, seats, bushes, count;
    if (scanf("%d %d %d %d %*[^\n] ", &seat, &seats, &bushes, &count) != 4) return 1;
    for (int turn = 0;; turn++) {
        for (int number = 0; number < seats + 2; number++)
            if (!fgets(line, sizeof line, stdin)) return 0;
        for (int number = 0; number < count; number++) printf("PICK %d\n", (turn + seat + number) % bushes);
        fflush(stdout);
    }
}
"""
"""A bot in C that picks one bush after the other; it cannot read news."""


def as_game(
    folder: Path,
    referees: Path,
    parameters: Mapping[str, object],
    *,
    command: str = IN_JAVA,
    kind: str = "sdk",
    reuse: str = "none",
    players: Sequence[int] = (2,),
) -> Game:
    """Write a game into a new folder and return it. `referees`: where the file is that the command starts."""
    file = "foragers.jar" if command == IN_JAVA else command.rsplit(maxsplit=1)[-1]
    folder.mkdir(parents=True)
    shutil.copy(referees / file, folder)
    lines = ['name = "foragers"', 'title = "Foragers"', f"players = {list(players)}", 'fault_line = "OUT"', "[referee]"]
    lines += [f'kind = "{kind}"', f'command = "{command}"', f'files = ["{file}"]', f'reuse = "{reuse}"', "[parameters]"]
    lines += [f'{name} = "{value}"' for name, value in parameters.items()]
    (folder / "game.toml").write_text("\n".join(lines) + "\n")
    return load_folder(folder)
