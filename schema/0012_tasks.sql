-- Parts of jobs that any process may do, and who did them.

ALTER TABLE job ADD COLUMN has_tasks INTEGER NOT NULL DEFAULT 0    -- 1: its worker leads its tasks, and occupies no core
    CHECK (has_tasks IN (0, 1));
ALTER TABLE job ADD COLUMN cores_max INTEGER NOT NULL DEFAULT 0    -- that its tasks may occupy together; 0: no limit
    CHECK (cores_max >= 0);
ALTER TABLE job ADD COLUMN tasks_merged INTEGER NOT NULL DEFAULT 0 -- tasks 1 … are in the files of its lead
    CHECK (tasks_merged >= 0);
CREATE INDEX job_leads ON job (priority, id) WHERE state = 'leased' AND has_tasks = 1;

-- A part of a job. Rows of ended jobs stay until the job is deleted: they tell who did what.
CREATE TABLE task (
    job          INTEGER NOT NULL            -- whose
                 REFERENCES job (id) ON DELETE CASCADE,
    number       INTEGER NOT NULL            -- 1, 2, … in the order of merging
                 CHECK (number > 0),
    state        TEXT NOT NULL               -- the life of a task is a table in tasks.c
                 CHECK (state IN ('ready', 'leased', 'done', 'failed', 'dropped')),
    spec         TEXT NOT NULL               -- JSON: the lead's, for the worker
                 CHECK (json_valid(spec)),
    cores        INTEGER NOT NULL            -- that it occupies while it runs
                 CHECK (cores > 0),
    run_at_ms    INTEGER NOT NULL,           -- not before
    attempt      INTEGER NOT NULL DEFAULT 0  -- how often it was handed out and did not come back unharmed
                 CHECK (attempt >= 0),
    crashes      INTEGER NOT NULL DEFAULT 0  -- deaths of its workers by a signal
                 CHECK (crashes >= 0),
    checkpoint   TEXT                        -- JSON: where the next try goes on; NULL once it is merged
                 CHECK (checkpoint IS NULL OR json_valid(checkpoint)),
    result       TEXT                        -- JSON, of a task that is done; NULL once it is merged
                 CHECK (result IS NULL OR json_valid(result)),
    path         TEXT,                       -- its file in the folder of the job; NULL: none, or it is merged
    seconds      REAL,                       -- that the try took which did it
    error_code   TEXT,                       -- of the last failure
    error_detail TEXT,                       -- of the last failure, for people
    retryable    INTEGER NOT NULL DEFAULT 0  -- of the last failure
                 CHECK (retryable IN (0, 1)),
    PRIMARY KEY (job, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX task_ready ON task (job, number) WHERE state = 'ready';

-- A task in the hands of somebody.
CREATE TABLE task_try (
    job            INTEGER NOT NULL,           -- of the task
    number         INTEGER NOT NULL,           -- of the task
    try            INTEGER NOT NULL,           -- 1, 2, … of the task
    node           TEXT NOT NULL,              -- who; '': a process of the daemon
    token          TEXT NOT NULL               -- what its worker has to show
                   CHECK (length(token) = 32),
    state          TEXT NOT NULL               -- 'late': another try had done it
                   CHECK (state IN ('leased', 'done', 'late', 'cancelled', 'released', 'failed', 'lost')),
    cores          INTEGER NOT NULL            -- as in `task`
                   CHECK (cores > 0),
    lease_until_ms INTEGER NOT NULL,           -- its worker has to beat before
    lines          INTEGER NOT NULL DEFAULT 0  -- of a node that are in the store
                   CHECK (lines >= 0),
    path           TEXT,                       -- the file that it made, in the folder of the job
    sha256         TEXT                        -- of that file
                   CHECK (length(sha256) = 64),
    bytes          INTEGER,                    -- of that file
    started_ms     INTEGER NOT NULL,           -- when it was handed out
    ended_ms       INTEGER,                    -- NULL: it goes on
    error          TEXT,                       -- why it failed
    PRIMARY KEY (job, number, try),
    FOREIGN KEY (job, number) REFERENCES task (job, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX task_try_leased ON task_try (job, number, cores) WHERE state = 'leased';
CREATE INDEX task_try_until ON task_try (lease_until_ms) WHERE state = 'leased';

-- A lead occupies nothing, its tasks do; a task is a turn of the caller, too.
DROP TRIGGER caller_add;
DROP TRIGGER caller_move;
DROP TRIGGER caller_delete;
CREATE TRIGGER caller_add AFTER INSERT ON job BEGIN
    INSERT INTO caller (name, ready, leased, paused, done, buried, cancelled,
                        bytes, cores)
    VALUES (NEW.owner, NEW.state = 'ready', NEW.state = 'leased', NEW.state = 'paused',
            NEW.state = 'done', NEW.state = 'buried', NEW.state = 'cancelled',
            (NEW.state IN ('ready', 'paused')) * length(CAST(NEW.spec AS BLOB)),
            (NEW.state = 'leased') * (1 - NEW.has_tasks) * NEW.cores)
    ON CONFLICT (name) DO UPDATE
       SET ready = ready + excluded.ready,
           leased = leased + excluded.leased,
           paused = paused + excluded.paused,
           done = done + excluded.done,
           buried = buried + excluded.buried,
           cancelled = cancelled + excluded.cancelled,
           bytes = bytes + excluded.bytes,
           cores = cores + excluded.cores;
END;
CREATE TRIGGER caller_move AFTER UPDATE OF state ON job WHEN OLD.state <> NEW.state BEGIN
    UPDATE caller
       SET ready = ready + (NEW.state = 'ready') - (OLD.state = 'ready'),
           leased = leased + (NEW.state = 'leased') - (OLD.state = 'leased'),
           paused = paused + (NEW.state = 'paused') - (OLD.state = 'paused'),
           done = done + (NEW.state = 'done') - (OLD.state = 'done'),
           buried = buried + (NEW.state = 'buried') - (OLD.state = 'buried'),
           cancelled = cancelled + (NEW.state = 'cancelled') - (OLD.state = 'cancelled'),
           bytes = bytes + ((NEW.state IN ('ready', 'paused')) - (OLD.state IN ('ready', 'paused')))
                         * length(CAST(NEW.spec AS BLOB)),
           cores = cores + (NEW.state = 'leased') * (1 - NEW.has_tasks) * NEW.cores
                         - (OLD.state = 'leased') * (1 - OLD.has_tasks) * OLD.cores,
           turn = iif(NEW.state = 'leased', (SELECT max(turn) FROM caller) + 1, turn)
     WHERE name = NEW.owner;
END;
CREATE TRIGGER caller_delete AFTER DELETE ON job BEGIN
    UPDATE caller
       SET ready = ready - (OLD.state = 'ready'),
           leased = leased - (OLD.state = 'leased'),
           paused = paused - (OLD.state = 'paused'),
           done = done - (OLD.state = 'done'),
           buried = buried - (OLD.state = 'buried'),
           cancelled = cancelled - (OLD.state = 'cancelled'),
           bytes = bytes - (OLD.state IN ('ready', 'paused')) * length(CAST(OLD.spec AS BLOB)),
           cores = cores - (OLD.state = 'leased') * (1 - OLD.has_tasks) * OLD.cores
     WHERE name = OLD.owner;
END;
CREATE TRIGGER caller_try AFTER INSERT ON task_try WHEN NEW.state = 'leased' BEGIN
    UPDATE caller SET cores = cores + NEW.cores, turn = (SELECT max(turn) FROM caller) + 1
     WHERE name = (SELECT owner FROM job WHERE id = NEW.job);
END;
CREATE TRIGGER caller_try_ended AFTER UPDATE OF state ON task_try
WHEN OLD.state = 'leased' AND NEW.state <> 'leased' BEGIN
    UPDATE caller SET cores = cores - OLD.cores
     WHERE name = (SELECT owner FROM job WHERE id = OLD.job);
END;

-- When a job has ended, nobody needs the rest of its tasks. A job that is kicked tries all of them anew.
CREATE TRIGGER task_job_ended AFTER UPDATE OF state ON job
WHEN NEW.has_tasks = 1 AND NEW.state IN ('done', 'cancelled') AND OLD.state <> NEW.state BEGIN
    UPDATE task_try SET state = 'cancelled', ended_ms = NEW.updated_ms
     WHERE job = NEW.id AND state = 'leased';
    UPDATE task SET state = 'dropped' WHERE job = NEW.id AND state <> 'done';
END;
CREATE TRIGGER task_job_kicked AFTER UPDATE OF state ON job
WHEN NEW.has_tasks = 1 AND OLD.state = 'buried' AND NEW.state = 'ready' BEGIN
    UPDATE task SET state = 'ready', attempt = 0, crashes = 0, run_at_ms = NEW.updated_ms
     WHERE job = NEW.id AND state = 'failed';
END;
