-- Whose games, checkpoints and policies a job needs: they stay while it has not ended.
CREATE TABLE job_need (
    job   INTEGER NOT NULL      -- that needs them
          REFERENCES job (id) ON DELETE CASCADE,
    needs INTEGER NOT NULL,     -- whose they are; it may be deleted once `job` has ended
    PRIMARY KEY (job, needs)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_need_of ON job_need (needs);
INSERT INTO job_need (job, needs)
SELECT job.id, match.job FROM job JOIN match ON match.id = CAST(json_extract(job.spec, '$.game') AS INTEGER)
 WHERE job.kind = 'review'
UNION
SELECT job.id, run.job FROM job JOIN run ON run.name = json_extract(job.spec, '$.from.run')
 WHERE job.kind = 'train';
