CREATE VIEW sample AS
-- The samples, for readers with SQL: a row for each number read from a run. Runs stand in the order
-- in which they started, round after round; `order` says of which arm each is.
WITH round AS (
    SELECT
        record.seq AS seq,
        counted.key AS round,
        counted.value AS runs,
        sum(counted.value) OVER (PARTITION BY record.seq ORDER BY counted.key) AS until
    FROM record, json_each(record.body, '$.record.runs.runs') AS counted
    WHERE record.kind = 'block'
)
SELECT
    record.chain AS experiment,
    record.number AS block,
    round.round AS round,
    started.value AS arm,
    record.body ->> ('$.record.runs.slice_us[' || round.round || ']') AS slice_us,
    quantity.column1 AS quantity,
    record.body ->> ('$.record.runs.' || quantity.column1 || '[' || started.key || ']') AS value
FROM
    record
    JOIN round ON round.seq = record.seq
    JOIN json_each(record.body, '$.record.runs.order') AS started
        ON started.key >= round.until - round.runs AND started.key < round.until
    JOIN (VALUES ('value'), ('cpu_ns'), ('wall_ns'), ('peak_bytes')) AS quantity
