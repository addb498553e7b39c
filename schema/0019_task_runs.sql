-- The spec of a task names the run that it reports of (api/jobs/wire.h): those that leads of earlier
-- versions have offered get it, too. Units of such a task are runs; those with a round and without
-- `spent` make items for all runs and report of none.
UPDATE task
   SET spec = json_set(spec, '$.run',
                       (SELECT name FROM run WHERE run.job = task.job
                           AND json_extract(task.spec, '$.from') =
                               (SELECT count(*) FROM run AS earlier
                                 WHERE earlier.job = run.job AND earlier.id < run.id)))
 WHERE state IN ('ready', 'leased')
   AND EXISTS (SELECT 1 FROM job WHERE job.id = task.job AND job.kind = 'train')
   AND json_extract(spec, '$.run') IS NULL AND json_extract(spec, '$.count') = 1
   AND (json_extract(spec, '$.round') IS NULL OR json_extract(spec, '$.spent') IS NOT NULL);
