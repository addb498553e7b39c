-- Who submitted a job and who changed it, what each caller has in the queue, and whose turn it is.

ALTER TABLE job ADD COLUMN owner TEXT NOT NULL DEFAULT ''; -- the caller's token by name; '': without tokens, or internal
ALTER TABLE job ADD COLUMN cores INTEGER NOT NULL DEFAULT 1 CHECK (cores > 0); -- that it occupies while it runs
UPDATE job SET cores = max(1, CAST(json_extract(spec, '$.threads') AS INTEGER))
 WHERE json_type(spec, '$.threads') = 'integer';
ALTER TABLE job_event ADD COLUMN caller TEXT; -- who did it; NULL: the daemon, or without tokens

-- Callers take turns: the next job of each, and the place in the line.
DROP INDEX job_next;
DROP INDEX job_line;
CREATE INDEX job_next ON job (kind, owner, priority, run_at_ms) WHERE due = 1;
CREATE INDEX job_line ON job (priority, owner, run_at_ms, due) WHERE due = 1;
-- Lists, newest first.
CREATE INDEX job_by_owner ON job (owner);

-- The jobs of a caller in each state, so that nobody has to count; the triggers below keep it. It
-- takes the place of job_count: a job that moves changes one row.
CREATE TABLE caller (
    name      TEXT PRIMARY KEY,             -- as `owner` in `job`
    ready     INTEGER NOT NULL DEFAULT 0    -- jobs in that state
              CHECK (ready >= 0),
    leased    INTEGER NOT NULL DEFAULT 0    -- as `ready`
              CHECK (leased >= 0),
    paused    INTEGER NOT NULL DEFAULT 0    -- as `ready`
              CHECK (paused >= 0),
    done      INTEGER NOT NULL DEFAULT 0    -- as `ready`
              CHECK (done >= 0),
    buried    INTEGER NOT NULL DEFAULT 0    -- as `ready`
              CHECK (buried >= 0),
    cancelled INTEGER NOT NULL DEFAULT 0    -- as `ready`
              CHECK (cancelled >= 0),
    bytes     INTEGER NOT NULL DEFAULT 0    -- of the specs of its ready and paused jobs
              CHECK (bytes >= 0),
    cores     INTEGER NOT NULL DEFAULT 0    -- that its leased jobs occupy
              CHECK (cores >= 0),
    turn      INTEGER NOT NULL DEFAULT 0    -- number of the last turn; the smallest has the next one
) STRICT, WITHOUT ROWID;
INSERT INTO caller (name, ready, leased, paused, done, buried, cancelled, bytes, cores)
SELECT '', coalesce(sum(state = 'ready'), 0),
       coalesce(sum(state = 'leased'), 0),
       coalesce(sum(state = 'paused'), 0),
       coalesce(sum(state = 'done'), 0),
       coalesce(sum(state = 'buried'), 0),
       coalesce(sum(state = 'cancelled'), 0),
       coalesce(sum((state IN ('ready', 'paused')) * length(CAST(spec AS BLOB))), 0),
       coalesce(sum((state = 'leased') * cores), 0)
  FROM job;

DROP TRIGGER job_count_add;
DROP TRIGGER job_count_move;
DROP TRIGGER job_count_delete;
DROP TABLE job_count;
CREATE VIEW job_count (state, jobs) AS
SELECT 'ready', sum(ready) FROM caller
UNION ALL SELECT 'leased', sum(leased) FROM caller
UNION ALL SELECT 'paused', sum(paused) FROM caller
UNION ALL SELECT 'done', sum(done) FROM caller
UNION ALL SELECT 'buried', sum(buried) FROM caller
UNION ALL SELECT 'cancelled', sum(cancelled) FROM caller;

CREATE TRIGGER caller_add AFTER INSERT ON job BEGIN
    INSERT INTO caller (name, ready, leased, paused, done, buried, cancelled,
                        bytes, cores)
    VALUES (NEW.owner, NEW.state = 'ready', NEW.state = 'leased', NEW.state = 'paused',
            NEW.state = 'done', NEW.state = 'buried', NEW.state = 'cancelled',
            (NEW.state IN ('ready', 'paused')) * length(CAST(NEW.spec AS BLOB)),
            (NEW.state = 'leased') * NEW.cores)
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
           cores = cores + (NEW.state = 'leased') * NEW.cores - (OLD.state = 'leased') * OLD.cores,
           turn = iif(NEW.state = 'leased', (SELECT max(turn) FROM caller) + 1, turn)
     WHERE name = NEW.owner;
END;
CREATE TRIGGER caller_spec AFTER UPDATE OF spec ON job WHEN OLD.state IN ('ready', 'paused') BEGIN
    UPDATE caller
       SET bytes = bytes + length(CAST(NEW.spec AS BLOB)) - length(CAST(OLD.spec AS BLOB))
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
           cores = cores - (OLD.state = 'leased') * OLD.cores
     WHERE name = OLD.owner;
END;
