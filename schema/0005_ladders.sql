-- Ladders of games of one length, and matches that know what they were played with.

-- The same games, played again, are no new evidence. NULL: from before, not on a ladder.
ALTER TABLE match ADD COLUMN noise TEXT;
ALTER TABLE match ADD COLUMN seed INTEGER;

-- They are computed from matches: nothing is carried over.
DROP TABLE rating;
DROP TABLE ladder;

-- The ladder of a profile and a number of ends.
CREATE TABLE ladder (
    profile            TEXT NOT NULL,       -- rules and ice
    ends               INTEGER NOT NULL,    -- of a game
    anchor             TEXT NOT NULL,       -- the player whose rating is 0
    seat_advantage_elo REAL,                -- what the first hammer is worth; NULL: not known
    job                INTEGER              -- that made it
                       REFERENCES job (id) ON DELETE SET NULL,
    at_ms              INTEGER NOT NULL,    -- when
    PRIMARY KEY (profile, ends)
) STRICT, WITHOUT ROWID;
CREATE INDEX ladder_of_job ON ladder (job);

-- A place on a ladder; low and high are the ends of the 95 % interval.
CREATE TABLE rating (
    profile TEXT NOT NULL,      -- which ladder
    ends    INTEGER NOT NULL,   -- which ladder
    player  TEXT NOT NULL,      -- who, with the limits of its moves
    elo     REAL NOT NULL,      -- 400 points are odds of ten to one
    low     REAL NOT NULL,      -- Elo
    high    REAL NOT NULL,      -- Elo
    pairs   INTEGER NOT NULL,   -- of games that it rests on
    PRIMARY KEY (profile, ends, player),
    FOREIGN KEY (profile, ends) REFERENCES ladder (profile, ends) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

UPDATE job SET spec = json_set(spec, '$.ends', 2) WHERE kind = 'rate';
