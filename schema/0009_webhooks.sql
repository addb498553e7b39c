-- Messages to other services when a job ends. Times are milliseconds since 1970 (UTC).

-- An address that is told.
CREATE TABLE webhook (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice
    url         TEXT NOT NULL                       -- http or https
                CHECK (length(CAST(url AS BLOB)) BETWEEN 1 AND 2000),
    secret      TEXT NOT NULL,                      -- 'whsec_' and a key in base64, signs the messages
    states      TEXT NOT NULL                       -- JSON: a job is told that ends in one of these
                CHECK (json_valid(states)),
    kinds       TEXT NOT NULL                       -- JSON: and is of one of these
                CHECK (json_valid(kinds)),
    about       TEXT NOT NULL,                      -- for people
    waiting     INTEGER NOT NULL DEFAULT 0          -- deliveries that wait; kept by the triggers below
                CHECK (waiting >= 0),
    waiting_max INTEGER NOT NULL,                   -- with so many waiting, others are dropped
    dropped     INTEGER NOT NULL DEFAULT 0,         -- ends of jobs that were not told for that reason
    created_ms  INTEGER NOT NULL                    -- when it was added
) STRICT;

-- A message to one address. It waits until somebody there has taken it, or it was tried often enough.
CREATE TABLE delivery (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,   -- never given twice
    webhook    INTEGER NOT NULL                     -- to whom
               REFERENCES webhook (id) ON DELETE CASCADE,
    message    TEXT NOT NULL,                       -- the header webhook-id: the same at every try
    type       TEXT NOT NULL,                       -- 'job.done', 'job.buried', 'job.cancelled', 'test'
    job        INTEGER,                             -- that has ended, and may be deleted; NULL: a test
    body       TEXT NOT NULL                        -- JSON: what is sent
               CHECK (json_valid(body)),
    state      TEXT NOT NULL DEFAULT 'waiting'      -- what has become of it
               CHECK (state IN ('waiting', 'delivered', 'failed')),
    tries      INTEGER NOT NULL DEFAULT 0,          -- how often it was sent
    next_ms    INTEGER NOT NULL,                    -- not sent before
    created_ms INTEGER NOT NULL,                    -- when the job ended
    updated_ms INTEGER NOT NULL,                    -- when it was last tried
    status     INTEGER,                             -- of HTTP, of the last try; NULL: no answer
    reason     TEXT                                 -- why the last try failed, for people
) STRICT;
CREATE INDEX delivery_next ON delivery (webhook, next_ms) WHERE state = 'waiting';
CREATE INDEX delivery_oldest ON delivery (created_ms) WHERE state = 'waiting';
CREATE INDEX delivery_ended ON delivery (webhook, updated_ms) WHERE state <> 'waiting';
CREATE INDEX delivery_of_webhook ON delivery (webhook);

CREATE TRIGGER delivery_count_add AFTER INSERT ON delivery WHEN NEW.state = 'waiting' BEGIN
    UPDATE webhook SET waiting = waiting + 1 WHERE id = NEW.webhook;
END;
CREATE TRIGGER delivery_count_move AFTER UPDATE OF state ON delivery
WHEN OLD.state = 'waiting' AND NEW.state <> 'waiting' BEGIN
    UPDATE webhook SET waiting = waiting - 1 WHERE id = NEW.webhook;
END;

-- Whatever ends a job, what follows is part of the same transaction. Most ends have no followers:
-- SQLite prepares memory for the whole body of a trigger, so a small one looks first. It has no IN of
-- three values, for which SQLite makes a table.
CREATE VIEW job_end (job) AS SELECT id FROM job WHERE state IN ('done', 'buried', 'cancelled');
CREATE TRIGGER job_ended AFTER UPDATE OF state ON job
WHEN (NEW.state = 'done' OR NEW.state = 'buried' OR NEW.state = 'cancelled') AND OLD.state <> NEW.state
    AND EXISTS (SELECT 1 FROM webhook) BEGIN
    INSERT INTO job_end (job) VALUES (NEW.id);
END;

CREATE TRIGGER webhook_job_ended INSTEAD OF INSERT ON job_end BEGIN
    UPDATE webhook SET dropped = dropped + 1
     WHERE waiting >= waiting_max
       AND EXISTS (SELECT 1 FROM json_each(states), job WHERE job.id = NEW.job AND value = job.state)
       AND EXISTS (SELECT 1 FROM json_each(kinds), job WHERE job.id = NEW.job AND value = job.kind);
    INSERT INTO delivery (webhook, message, type, job, next_ms, created_ms, updated_ms, body)
    SELECT webhook.id, 'msg_' || lower(hex(randomblob(16))), 'job.' || job.state, job.id,
           job.updated_ms, job.updated_ms, job.updated_ms,
           json_object(
               'type', 'job.' || job.state,
               'timestamp', strftime('%Y-%m-%dT%H:%M:%fZ', job.updated_ms / 1000.0, 'unixepoch'),
               'data', json_object(
                   'id', job.id, 'kind', job.kind, 'state', job.state, 'attempt', job.attempt,
                   'created_at',
                   strftime('%Y-%m-%dT%H:%M:%fZ', job.created_ms / 1000.0, 'unixepoch'),
                   'started_at',
                   strftime('%Y-%m-%dT%H:%M:%fZ', job.started_ms / 1000.0, 'unixepoch'),
                   'finished_at',
                   strftime('%Y-%m-%dT%H:%M:%fZ', job.finished_ms / 1000.0, 'unixepoch'),
                   'error', CASE WHEN job.error_code IS NOT NULL THEN
                       json_object('code', job.error_code, 'detail', job.error_detail) END))
      FROM job, webhook
     WHERE job.id = NEW.job AND waiting < waiting_max
       AND EXISTS (SELECT 1 FROM json_each(states) WHERE value = job.state)
       AND EXISTS (SELECT 1 FROM json_each(kinds) WHERE value = job.kind);
END;
