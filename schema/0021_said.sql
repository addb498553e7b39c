-- What a try has said of its run, as a hash over all of it: what a second node says is compared with it, too.
ALTER TABLE task ADD COLUMN said TEXT;       -- up to the checkpoint; NULL: there is none, or a process of the daemon made it
ALTER TABLE task_try ADD COLUMN said TEXT;   -- so far, with what came before the checkpoint that it began with; '': nothing; NULL: not known
ALTER TABLE task_check ADD COLUMN said TEXT NOT NULL DEFAULT ''; -- of the other node, as above
ALTER TABLE task_check ADD COLUMN has_said INTEGER NOT NULL DEFAULT 0 -- 1: `answer` covers what was said
    CHECK (has_said IN (0, 1));
-- Answers of before are other hashes than those of now.
UPDATE task_check SET state = 'dropped', ended_ms = created_ms
 WHERE state IN ('waiting', 'leased', 'disputed');
