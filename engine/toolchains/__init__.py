"""From a source to a program that plays.

build        check a source, compile it in the sandbox, keep the result
source       reading a source file
bot_folder   a bot's own folder: what its `ladder.toml` says
given_bot    what people name as a bot: a file, a folder, an archive, a program
own_program  a program of one's own, played where it is
bot_source   what a bot is made of: the text of one file, or a tree of files
tree         a tree of files: names, limits, hash
read_tree    from a folder, a zip or a tar to a tree
tars         files into tars that are the same for the same content, out of strangers' tars, and into folders
languages    the table of languages: `languages.toml` and a user's own file
program      a built bot, ready to be started
params       a bot's parameters: variables of the environment in its box
archive      built bots as bytes, for other machines
tools        which of this machine's programs a box may see
"""
