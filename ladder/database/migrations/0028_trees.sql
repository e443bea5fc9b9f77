-- Bots of many files, and programs: a source is a text or a tree of files, and a league says whether it takes programs.

ALTER TABLE sources
    ALTER COLUMN content DROP NOT NULL,         -- the text of a bot of one file
    ADD COLUMN tree bytea,                      -- or the files of one of many, as a gzipped tar; then `hash` is that of
                                                -- a list of them, see engine.toolchains.tree
    ADD CONSTRAINT sources_are_text_or_tree CHECK (num_nulls(content, tree) = 1);
ALTER TABLE sources ALTER COLUMN tree SET STORAGE EXTERNAL;     -- it is packed already

ALTER TABLE leagues
    ADD COLUMN programs boolean NOT NULL DEFAULT true;          -- whether versions may come as programs
