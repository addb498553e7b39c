-- A webhook without kinds hears of all of them, also of those that a later version brings; messages
-- say whose job has ended.

ALTER TABLE webhook ADD COLUMN all_kinds INTEGER NOT NULL DEFAULT 0 -- 1: the daemon puts all kinds into `kinds` at its start
    CHECK (all_kinds IN (0, 1));
-- Those that had all kinds of their time.
UPDATE webhook SET all_kinds = 1
 WHERE kinds = '["train","match","tournament","exploitability","diagnose"]'
    OR kinds = '["train","match","tournament","exploitability","poker-match","diagnose"]';

DROP TRIGGER webhook_job_ended;
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
                   'owner', nullif(job.owner, ''),
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
