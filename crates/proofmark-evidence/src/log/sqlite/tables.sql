-- Every record, in the order of arrival. Documented in docs/schema/store.md.
-- What a record is is a word that programs know, so that a new kind of record needs no new table.
CREATE TABLE record (
    seq    INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE CHECK (length(id) = 64),
    -- The name of the first record of the chain: of an experiment or of a matrix.
    chain  TEXT NOT NULL CHECK (length(chain) = 64),
    kind   TEXT NOT NULL CHECK (length(kind) > 0),
    number INTEGER CHECK ((number IS NULL) = (kind <> 'block')),
    key    TEXT CHECK ((key IS NULL) = (id <> chain)),
    -- Last, so that the other columns are read without the pages that a long body spills into.
    body   TEXT NOT NULL
) STRICT;

CREATE INDEX record_of_chain ON record (chain, seq, kind);
CREATE UNIQUE INDEX block_of_chain ON record (chain, number) WHERE number IS NOT NULL;
CREATE INDEX chain_of_key ON record (key, seq) WHERE key IS NOT NULL;
CREATE INDEX chain_of_kind ON record (kind, seq) WHERE key IS NOT NULL;

-- Nothing is ever changed: a correction is a new record.
CREATE TRIGGER record_no_update BEFORE UPDATE ON record
BEGIN SELECT RAISE(ABORT, 'evidence is append-only: a record cannot be changed'); END;

CREATE TRIGGER record_no_delete BEFORE DELETE ON record
BEGIN SELECT RAISE(ABORT, 'evidence is append-only: a record cannot be removed'); END;

-- INSERT OR REPLACE would remove the old row without asking the trigger above.
CREATE TRIGGER record_no_replace BEFORE INSERT ON record
WHEN EXISTS (SELECT 1 FROM record WHERE id = NEW.id OR seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'evidence is append-only: a record cannot be replaced'); END;

-- The samples, for readers with SQL: a row for each number read from a run.
CREATE VIEW sample AS
SELECT
    record.chain AS experiment,
    record.number AS block,
    item.key / json_array_length(record.body, '$.record.arms') AS round,
    item.key % json_array_length(record.body, '$.record.arms') AS arm,
    quantity.column1 AS quantity,
    item.value AS value
FROM
    record,
    (VALUES ('value'), ('cpu_ns'), ('wall_ns'), ('peak_bytes')) AS quantity,
    json_each(record.body, '$.record.runs.' || quantity.column1) AS item
WHERE record.kind = 'block';
