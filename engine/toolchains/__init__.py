"""From a source to a program that plays.

build       check a source, compile it in the sandbox, keep the result
source      reading a source file
bot_folder  a bot's own folder: what its `ladder.toml` says
languages   the table of languages: `languages.toml` and a user's own file
program     a built bot, ready to be started
archive     built bots as bytes, for other machines
installed   which languages this machine can build and play
tools       which of this machine's programs a box may see
"""
