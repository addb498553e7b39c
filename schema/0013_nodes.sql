-- Other machines that do tasks, and the tasks that are done twice to find those that lie.

-- A machine, or a part of one, by its name. The tries of its tasks keep the name when the row goes.
CREATE TABLE node (
    name         TEXT PRIMARY KEY,            -- as task_try.node has it
    owner        TEXT NOT NULL,               -- the caller that registered it, by its token; '': there were no tokens
    session      TEXT NOT NULL                -- of the process that is this node now
                 CHECK (length(session) = 32),
    state        TEXT NOT NULL                -- 'left': it has said goodbye
                 CHECK (state IN ('active', 'paused', 'draining', 'suspended', 'left')),
    reason       TEXT,                        -- why it is suspended, for people
    cores        INTEGER NOT NULL             -- that it gives
                 CHECK (cores > 0),
    memory_bytes INTEGER,                     -- of the machine; NULL: not told
    gpu          TEXT,                        -- NULL: none
    kinds        TEXT NOT NULL                -- JSON: names of the kinds of jobs that it gets
                 CHECK (json_valid(kinds)),
    refused      TEXT NOT NULL                -- JSON: [{"kind","reason"}]
                 CHECK (json_valid(refused)),
    versions     TEXT NOT NULL                -- JSON, of its programs
                 CHECK (json_valid(versions)),
    shots_per_s  REAL,                        -- that one core throws; NULL: not told
    place        TEXT,                        -- who started it, such as a batch job; NULL: not told
    since_ms     INTEGER NOT NULL,            -- when this process registered
    last_seen_ms INTEGER NOT NULL,            -- to about half a minute
    last_error   TEXT,                        -- of a task that failed there, or was lost
    done         INTEGER NOT NULL DEFAULT 0,  -- tries since the first registration, by their end
    failed       INTEGER NOT NULL DEFAULT 0,  -- as above
    lost         INTEGER NOT NULL DEFAULT 0,  -- as above: they went to others
    busy_s       REAL NOT NULL DEFAULT 0      -- core seconds of tries that were done
) STRICT, WITHOUT ROWID;

CREATE INDEX task_try_node ON task_try (node) WHERE state = 'leased';
CREATE TRIGGER node_try_ended AFTER UPDATE OF state ON task_try
WHEN OLD.state = 'leased' AND NEW.state <> 'leased' AND NEW.node <> '' BEGIN
    UPDATE node
       SET done = done + (NEW.state IN ('done', 'late')),
           failed = failed + (NEW.state = 'failed'),
           lost = lost + (NEW.state = 'lost'),
           busy_s = busy_s + (NEW.state IN ('done', 'late')) * NEW.cores
                             * (coalesce(NEW.ended_ms, NEW.started_ms) - NEW.started_ms) / 1000.0,
           last_error = CASE NEW.state
               WHEN 'failed' THEN printf('job %d, task %d: %s', NEW.job, NEW.number, NEW.error)
               WHEN 'lost' THEN printf('job %d, task %d: %s', NEW.job, NEW.number, NEW.error)
               ELSE last_error END
     WHERE name = NEW.node;
END;

-- A task that a second node does, too. The answers are hashes of what does not tell time.
CREATE TABLE task_check (
    job            INTEGER NOT NULL,            -- of the task
    number         INTEGER NOT NULL,            -- of the task
    state          TEXT NOT NULL               -- 'leased': in the hands of `checker`; 'disputed': the daemon does it itself
                   CHECK (state IN ('waiting', 'leased', 'disputed', 'agreed', 'settled', 'dropped')),
    node           TEXT NOT NULL,               -- whose answer is checked
    answer         TEXT NOT NULL                -- hash of that answer
                   CHECK (length(answer) = 64),
    checker        TEXT,                        -- the other node; NULL: none yet
    token          TEXT                         -- that it has to show
                   CHECK (length(token) = 32),
    lease_until_ms INTEGER,                     -- it has to beat before
    lines          INTEGER NOT NULL DEFAULT 0   -- of it that were taken
                   CHECK (lines >= 0),
    sha256         TEXT                         -- of the file that it made
                   CHECK (length(sha256) = 64),
    checker_answer TEXT                         -- hash of its answer
                   CHECK (length(checker_answer) = 64),
    attempts       INTEGER NOT NULL DEFAULT 0,  -- of checkers
    liar           TEXT,                        -- of a settled one: whose answer was wrong
    created_ms     INTEGER NOT NULL,            -- when the first answer came
    ended_ms       INTEGER,                     -- NULL: it goes on
    PRIMARY KEY (job, number),
    FOREIGN KEY (job, number) REFERENCES task (job, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX task_check_open ON task_check (state, job, number)
    WHERE state IN ('waiting', 'leased', 'disputed');
