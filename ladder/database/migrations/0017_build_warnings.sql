-- What the compiler said of a source that it took, for the version's owner. Empty: nothing, or built before this column.

ALTER TABLE versions ADD COLUMN warnings text NOT NULL DEFAULT '';
