-- The next task of a job is found without a look at those that are done.
CREATE INDEX task_due ON task (job, run_at_ms) WHERE state = 'ready';
CREATE INDEX task_again ON task (job, number) WHERE state = 'ready' AND attempt > 0;
