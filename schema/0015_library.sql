-- The library: positions that people keep, with a title, tags and notes. A puzzle is one whose best
-- shot is to be found.
CREATE TABLE library (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
    title      TEXT NOT NULL,                 -- what people call it
    note       TEXT NOT NULL DEFAULT '',      -- more words; '': none
    tags       TEXT NOT NULL DEFAULT '[]'     -- JSON: texts
               CHECK (json_valid(tags)),
    is_puzzle  INTEGER NOT NULL DEFAULT 0     -- 1: the best shot is to be found
               CHECK (is_puzzle IN (0, 1)),
    profile    TEXT NOT NULL,                 -- rules and ice, as in a shot query
    state      TEXT NOT NULL                  -- JSON: as in a shot query
               CHECK (json_valid(state)),
    setting    TEXT NOT NULL                  -- JSON: as in a shot query
               CHECK (json_valid(setting)),
    best       TEXT                           -- JSON: the best shot that is known; NULL: none
               CHECK (best IS NULL OR json_valid(best)),
    cost       REAL,                          -- chance of winning that the shot of the game gave away; NULL: not from a review
    review     INTEGER REFERENCES job (id) ON DELETE SET NULL, -- that it was taken from; NULL: none
    number     INTEGER,                       -- of the shot in that review, from 0; NULL: none
    owner      TEXT NOT NULL DEFAULT '',      -- the caller that added it, by its token; '': there were no tokens
    created_ms INTEGER NOT NULL               -- when it was added, since 1970
) STRICT;

-- Filling it from a review twice adds nothing twice.
CREATE UNIQUE INDEX library_review ON library (review, number) WHERE review IS NOT NULL;
