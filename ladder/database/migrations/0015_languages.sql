-- Which languages' bots a worker can build and play where it is, by the names of the table of languages.
-- Null: it has not told, as workers of before this column do; then it is taken to be able to do everything.

ALTER TABLE workers
    ADD COLUMN builds  text[],
    ADD COLUMN plays   text[];
