"""From a source to a program that plays.

build       check a source, compile it in the sandbox, keep the result
source      what a bot is made of, the text of one file or a tree of files: from files, folders, zips and tars
bot_folder  what the `ladder.toml` of a bot's own folder says, and what it changes in its language's recipe
given_bot   what people name as a bot: a file, a folder, an archive, a program
languages   the table of languages: `languages.toml` and a user's own file
program     a built bot, ready to be started, with the programs of this machine that it uses; packed for others
params      a bot's parameters: variables of the environment in its box
"""

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from engine.toolchains import build as build
    from engine.toolchains import given_bot as given_bot
    from engine.toolchains import languages as languages
else:
    __getattr__ = lazily(__name__)
