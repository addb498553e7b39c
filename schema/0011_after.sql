-- Jobs that start after other jobs, and jobs that repeat one.

ALTER TABLE job ADD COLUMN waits INTEGER NOT NULL DEFAULT 0 -- 1: jobs that it is after have not ended
    CHECK (waits IN (0, 1) AND (waits = 0 OR due = 0));
ALTER TABLE job ADD COLUMN after_failure TEXT               -- if one of them fails; NULL: it is after none
    CHECK (after_failure = 'cancel' OR after_failure = 'run' OR after_failure = 'pause');
ALTER TABLE job ADD COLUMN repeat_of INTEGER;               -- the job that it repeats, deleted or not

-- A job and one that it is after. Rows of ended jobs stay: they tell what a job was after.
CREATE TABLE job_after (
    job     INTEGER NOT NULL            -- that waits
            REFERENCES job (id) ON DELETE CASCADE,
    after   INTEGER NOT NULL,           -- that has to end first; it may be deleted later
    ended   TEXT                        -- how it ended; NULL: it has not
            CHECK (ended IN ('done', 'buried', 'cancelled')),
    is_news INTEGER NOT NULL DEFAULT 0  -- 1: it has ended, and the job that waits does not know yet
            CHECK (is_news IN (0, 1) AND (is_news = 0 OR ended IS NOT NULL)),
    PRIMARY KEY (job, after)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_after_of ON job_after (after);
CREATE INDEX job_after_news ON job_after (is_news) WHERE is_news = 1;

-- In the transaction that ends a job, whoever ends it: the jobs after it get news.
CREATE TRIGGER job_after_ended INSTEAD OF INSERT ON job_end BEGIN
    UPDATE job_after
       SET is_news = is_news OR ended IS NULL, ended = (SELECT state FROM job WHERE id = NEW.job)
     WHERE after = NEW.job;
END;
DROP TRIGGER job_ended;
CREATE TRIGGER job_ended AFTER UPDATE OF state ON job
WHEN (NEW.state = 'done' OR NEW.state = 'buried' OR NEW.state = 'cancelled') AND OLD.state <> NEW.state
    AND (EXISTS (SELECT 1 FROM webhook) OR EXISTS (SELECT 1 FROM job_after WHERE after = NEW.id)) BEGIN
    INSERT INTO job_end (job) VALUES (NEW.id);
END;
-- A buried job gets another chance: jobs that have not started wait for it again.
CREATE TRIGGER job_after_again AFTER UPDATE OF state ON job
WHEN OLD.state = 'buried' AND NEW.state = 'ready' BEGIN
    UPDATE job_after SET ended = NULL, is_news = 0 WHERE after = NEW.id;
    UPDATE job SET waits = 1, due = 0
     WHERE id IN (SELECT job FROM job_after WHERE after = NEW.id) AND state IN ('ready', 'paused');
END;

-- Jobs that wait for others are not looked at when a time comes.
DROP INDEX job_later;
CREATE INDEX job_later ON job (kind, run_at_ms) WHERE state = 'ready' AND due = 0 AND waits = 0;
