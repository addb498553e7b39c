-- A clock that was set back made durations negative, and leads could not read those of their tasks.
UPDATE task SET seconds = 0 WHERE seconds < 0;
UPDATE node SET busy_s = 0 WHERE busy_s < 0;
DROP TRIGGER node_try_ended;
CREATE TRIGGER node_try_ended AFTER UPDATE OF state ON task_try
WHEN OLD.state = 'leased' AND NEW.state <> 'leased' AND NEW.node <> '' BEGIN
    UPDATE node
       SET done = done + (NEW.state IN ('done', 'late')),
           failed = failed + (NEW.state = 'failed'),
           lost = lost + (NEW.state = 'lost'),
           busy_s = busy_s + (NEW.state IN ('done', 'late')) * NEW.cores
                             * max(coalesce(NEW.ended_ms, NEW.started_ms) - NEW.started_ms, 0) / 1000.0,
           last_error = CASE NEW.state
               WHEN 'failed' THEN printf('job %d, task %d: %s', NEW.job, NEW.number, NEW.error)
               WHEN 'lost' THEN printf('job %d, task %d: %s', NEW.job, NEW.number, NEW.error)
               ELSE last_error END
     WHERE name = NEW.node;
END;
