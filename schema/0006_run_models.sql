-- Policies of runs as models, and what is needed by somebody and so must not be deleted.

ALTER TABLE model ADD COLUMN run TEXT;      -- the run that it is a policy of; NULL: a caller gave it
ALTER TABLE model ADD COLUMN policy TEXT;   -- which one: 'average', 'response', …
ALTER TABLE model ADD COLUMN step INTEGER;  -- how far the run was
CREATE INDEX model_of_run ON model (run, policy, step) WHERE run IS NOT NULL;

-- Weights that a job plays with.
CREATE TABLE job_weights (
    job    INTEGER NOT NULL     -- whose spec names them
           REFERENCES job (id) ON DELETE CASCADE,
    sha256 TEXT NOT NULL        -- of the file
           CHECK (length(CAST(sha256 AS BLOB)) = 64),
    PRIMARY KEY (job, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_by_weights ON job_weights (sha256);

-- Branches of a run.
CREATE INDEX job_from ON job (json_extract(spec, '$.from.run')) WHERE kind = 'train';
