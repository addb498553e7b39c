-- The queue. Times are milliseconds since 1970 (UTC).

-- A job and where it stands. Rows are small but for `spec`, which is read when the job is claimed.
CREATE TABLE job (
    id             INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
    kind           TEXT NOT NULL                      -- which worker does it: 'match', 'train', …
                   CHECK (length(CAST(kind AS BLOB)) BETWEEN 1 AND 31),
    state          TEXT NOT NULL                      -- the life of a job is a table in jobs.c
                   CHECK (state IN ('ready', 'leased', 'paused', 'done', 'buried', 'cancelled')),
    due            INTEGER NOT NULL                   -- 1: ready, and run_at_ms was seen to be over
                   CHECK (due IN (0, 1) AND (due = 0 OR state = 'ready')),
    wanted         TEXT                               -- asked for while leased; the worker is told
                   CHECK (wanted IS NULL OR (wanted IN ('cancelled', 'paused') AND state = 'leased')),
    priority       INTEGER NOT NULL                   -- smaller is earlier
                   CHECK (priority BETWEEN -1000 AND 1000),
    run_at_ms      INTEGER NOT NULL,                  -- not before
    attempt        INTEGER NOT NULL DEFAULT 0         -- how often it was claimed since it was added or kicked
                   CHECK (attempt >= 0),
    max_attempts   INTEGER NOT NULL                   -- buried when that many have failed
                   CHECK (max_attempts > 0),
    crashes        INTEGER NOT NULL DEFAULT 0         -- deaths of its workers by a signal
                   CHECK (crashes >= 0),
    lease_token    TEXT                               -- what its worker has to show
                   CHECK (length(lease_token) = 32 AND (lease_token IS NULL) = (state <> 'leased')),
    lease_until_ms INTEGER                            -- its worker has to beat before
                   CHECK ((lease_until_ms IS NULL) = (state <> 'leased')),
    progress       REAL,                              -- 0 … 1; NULL: not known
    eta_s          REAL,                              -- seconds to the end; NULL: not known
    error_code     TEXT,                              -- of the last failure
    error_detail   TEXT,                              -- of the last failure, for people
    created_ms     INTEGER NOT NULL,                  -- when it was accepted
    updated_ms     INTEGER NOT NULL,                  -- when anything of it changed
    started_ms     INTEGER,                           -- when it was first claimed
    finished_ms    INTEGER,                           -- when it was done, buried or cancelled
    spec           TEXT NOT NULL                      -- JSON: what to do, all defaults filled in
                   CHECK (json_valid(spec))
) STRICT;

-- The next job of a kind, and the place in the line (`due`: to count without looking at rows). Every
-- index ends with the id.
CREATE INDEX job_next ON job (kind, priority, run_at_ms) WHERE due = 1;
CREATE INDEX job_line ON job (priority, run_at_ms, due) WHERE due = 1;
-- Those whose time has to come first.
CREATE INDEX job_later ON job (kind, run_at_ms) WHERE state = 'ready' AND due = 0;
-- Lists, newest first.
CREATE INDEX job_by_kind ON job (kind);
CREATE INDEX job_by_state ON job (state);
CREATE INDEX job_by_state_kind ON job (state, kind);

-- What a job brought forth.
CREATE TABLE job_output (
    job        INTEGER PRIMARY KEY  -- whose
               REFERENCES job (id) ON DELETE CASCADE,
    checkpoint TEXT                 -- JSON: where a next attempt goes on
               CHECK (checkpoint IS NULL OR json_valid(checkpoint)),
    result     TEXT                 -- JSON: final, or partial while it lasts
               CHECK (result IS NULL OR json_valid(result)),
    log        TEXT                 -- last lines of its worker's standard error
) STRICT;

-- The history of a job.
CREATE TABLE job_event (
    job    INTEGER NOT NULL     -- whose
           REFERENCES job (id) ON DELETE CASCADE,
    seq    INTEGER NOT NULL,    -- 1, 2, … within the job
    at_ms  INTEGER NOT NULL,    -- when
    kind   TEXT NOT NULL,       -- 'added', 'leased', 'done', 'retried', …
    detail TEXT,                -- for people
    PRIMARY KEY (job, seq)
) STRICT, WITHOUT ROWID;

-- How many jobs are in each state, so that nobody has to count a million rows.
CREATE TABLE job_count (
    state TEXT PRIMARY KEY,             -- as in `job`
    jobs  INTEGER NOT NULL DEFAULT 0    -- kept by the triggers below
          CHECK (jobs >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO job_count (state)
VALUES ('ready'), ('leased'), ('paused'), ('done'), ('buried'), ('cancelled');
CREATE TRIGGER job_count_add AFTER INSERT ON job BEGIN
    UPDATE job_count SET jobs = jobs + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER job_count_move AFTER UPDATE OF state ON job WHEN OLD.state <> NEW.state BEGIN
    UPDATE job_count SET jobs = jobs - 1 WHERE state = OLD.state;
    UPDATE job_count SET jobs = jobs + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER job_count_delete AFTER DELETE ON job BEGIN
    UPDATE job_count SET jobs = jobs - 1 WHERE state = OLD.state;
END;

-- Answers to requests that came with an Idempotency-Key; kept for a day.
CREATE TABLE answer (
    scope       TEXT NOT NULL,      -- who asked for what
    key         TEXT NOT NULL,      -- the Idempotency-Key
    at_ms       INTEGER NOT NULL,   -- when it was given
    body_sha256 TEXT NOT NULL       -- of the request
                CHECK (length(CAST(body_sha256 AS BLOB)) = 64),
    status      INTEGER NOT NULL,   -- of HTTP
    location    TEXT,               -- header of the answer
    body        TEXT NOT NULL,      -- of the answer
    PRIMARY KEY (scope, key)
) STRICT;
CREATE INDEX answer_age ON answer (at_ms);
