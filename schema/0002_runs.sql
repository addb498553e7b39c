-- What jobs that learn or measure leave behind. Times are milliseconds since 1970 (UTC).

-- A run: one seed of a job.
CREATE TABLE run (
    id         INTEGER PRIMARY KEY,     -- for the tables below
    name       TEXT NOT NULL UNIQUE     -- what clients know it by: 128 random bits
               CHECK (length(CAST(name AS BLOB)) = 32),
    job        INTEGER NOT NULL         -- that does it
               REFERENCES job (id) ON DELETE CASCADE,
    seed       INTEGER NOT NULL,        -- of all its chance
    spec       TEXT NOT NULL            -- JSON: fully resolved
               CHECK (json_valid(spec)),
    versions   TEXT NOT NULL            -- JSON: of programs and libraries
               CHECK (json_valid(versions)),
    tags       TEXT NOT NULL DEFAULT '{}' -- JSON: texts that people attach
               CHECK (json_valid(tags)),
    created_ms INTEGER NOT NULL         -- when it was made
) STRICT;
CREATE INDEX run_of_job ON run (job);

-- A curve: one metric of a run, with its newest point.
CREATE TABLE curve (
    id         INTEGER PRIMARY KEY,     -- for `point`
    run        INTEGER NOT NULL         -- whose
               REFERENCES run (id) ON DELETE CASCADE,
    name       TEXT NOT NULL            -- 'loss', 'win_rate/ai-simple', …
               CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 119),
    last_step  INTEGER NOT NULL,        -- greatest step
    last_value REAL,                    -- value there; NULL: not a number
    UNIQUE (run, name)
) STRICT;

-- A point of a curve. As little as can be: there are millions.
CREATE TABLE point (
    curve INTEGER NOT NULL  -- whose
          REFERENCES curve (id) ON DELETE CASCADE,
    step  INTEGER NOT NULL, -- iteration, game, …
    at_ms INTEGER NOT NULL, -- when it arrived
    value REAL,             -- NULL: not a number; infinities are numbers here
    PRIMARY KEY (curve, step)
) STRICT, WITHOUT ROWID;

-- A file that a run can go on from, or that can play.
CREATE TABLE checkpoint (
    run    INTEGER NOT NULL     -- whose
           REFERENCES run (id) ON DELETE CASCADE,
    step   INTEGER NOT NULL,    -- iteration, game, …
    path   TEXT NOT NULL,       -- name in the folder of the job
    sha256 TEXT NOT NULL        -- of the file
           CHECK (length(CAST(sha256 AS BLOB)) = 64),
    bytes  INTEGER NOT NULL     -- of the file
           CHECK (bytes >= 0),
    at_ms  INTEGER NOT NULL,    -- when it arrived
    PRIMARY KEY (run, step)
) STRICT, WITHOUT ROWID;
