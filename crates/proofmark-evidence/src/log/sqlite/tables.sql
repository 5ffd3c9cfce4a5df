-- Every record, in the order of arrival. Documented in docs/schema/store.md.
-- What a record is is a word that programs know, so that a new kind of record needs no new table.
-- Nothing in this table names a person or a place.
CREATE TABLE record (
    seq     INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE CHECK (length(id) = 64),
    -- The name of the first record of the chain: of an experiment or of a matrix.
    chain   TEXT NOT NULL CHECK (length(chain) = 64),
    kind    TEXT NOT NULL CHECK (length(kind) > 0),
    number  INTEGER CHECK ((number IS NULL) = (kind <> 'block')),
    private TEXT CHECK (length(private) = 64),
    -- Last, so that the other columns are read without the pages that a long body spills into.
    body    TEXT NOT NULL
) STRICT;

CREATE INDEX record_of_chain ON record (chain, seq, kind);
CREATE UNIQUE INDEX block_of_chain ON record (chain, number) WHERE number IS NOT NULL;
CREATE INDEX chain_of_private ON record (private) WHERE id = chain;
CREATE INDEX chain_of_kind ON record (kind, seq) WHERE id = chain;

-- What records say of persons and places: the names of these objects stand in the records.
CREATE TABLE private (
    id   TEXT PRIMARY KEY CHECK (length(id) = 64),
    -- What a chain is found by when the same is asked again: a digest of what is private, too.
    key  TEXT,
    body TEXT NOT NULL
) STRICT;

CREATE INDEX private_of_key ON private (key) WHERE key IS NOT NULL;

-- Nothing is ever changed: a correction is a new record.
CREATE TRIGGER record_no_update BEFORE UPDATE ON record
BEGIN SELECT RAISE(ABORT, 'evidence is append-only: a record cannot be changed'); END;

CREATE TRIGGER record_no_delete BEFORE DELETE ON record
BEGIN SELECT RAISE(ABORT, 'evidence is append-only: a record cannot be removed'); END;

CREATE TRIGGER private_no_update BEFORE UPDATE ON private
BEGIN SELECT RAISE(ABORT, 'evidence is append-only: a private part cannot be changed'); END;

CREATE TRIGGER private_no_delete BEFORE DELETE ON private
BEGIN SELECT RAISE(ABORT, 'evidence is append-only: a private part cannot be removed'); END;

-- INSERT OR REPLACE would remove the old row without asking the triggers above.
CREATE TRIGGER record_no_replace BEFORE INSERT ON record
WHEN EXISTS (SELECT 1 FROM record WHERE id = NEW.id OR seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'evidence is append-only: a record cannot be replaced'); END;

CREATE TRIGGER private_no_replace BEFORE INSERT ON private
WHEN EXISTS (SELECT 1 FROM private WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'evidence is append-only: a private part cannot be replaced'); END;
