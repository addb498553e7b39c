-- Games that go on after a tie: matches and ladders know how many extra ends there may be.

ALTER TABLE match ADD COLUMN extra_ends INTEGER NOT NULL DEFAULT 0; -- most after a tie; 0: a draw

-- The key of ladders gets a member, so both tables are made anew.
CREATE TABLE old_ladder AS SELECT * FROM ladder;
-- What they hold is taken along.
CREATE TABLE old_rating AS SELECT * FROM rating;
DROP TABLE rating;
DROP TABLE ladder;

-- The ladder of a profile and a length of games.
CREATE TABLE ladder (
    profile            TEXT NOT NULL,       -- rules and ice
    ends               INTEGER NOT NULL,    -- of a game
    extra_ends         INTEGER NOT NULL,    -- of a game, at most; 0: a tie is a draw
    anchor             TEXT NOT NULL,       -- the player whose rating is 0
    seat_advantage_elo REAL,                -- what the first hammer is worth; NULL: not known
    job                INTEGER              -- that made it
                       REFERENCES job (id) ON DELETE SET NULL,
    at_ms              INTEGER NOT NULL,    -- when
    PRIMARY KEY (profile, ends, extra_ends)
) STRICT, WITHOUT ROWID;
CREATE INDEX ladder_of_job ON ladder (job);

-- A place on a ladder; low and high are the ends of the 95 % interval.
CREATE TABLE rating (
    profile    TEXT NOT NULL,       -- which ladder
    ends       INTEGER NOT NULL,    -- which ladder
    extra_ends INTEGER NOT NULL,    -- which ladder
    player     TEXT NOT NULL,       -- who, with the limits of its moves
    elo        REAL NOT NULL,       -- 400 points are odds of ten to one
    low        REAL NOT NULL,       -- Elo
    high       REAL NOT NULL,       -- Elo
    pairs      INTEGER NOT NULL,    -- of games that it rests on
    PRIMARY KEY (profile, ends, extra_ends, player),
    FOREIGN KEY (profile, ends, extra_ends)
        REFERENCES ladder (profile, ends, extra_ends) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

INSERT INTO ladder (profile, ends, extra_ends, anchor, seat_advantage_elo, job, at_ms)
    SELECT profile, ends, 0, anchor, seat_advantage_elo, job, at_ms FROM old_ladder;
INSERT INTO rating (profile, ends, extra_ends, player, elo, low, high, pairs)
    SELECT profile, ends, 0, player, elo, low, high, pairs FROM old_rating;
DROP TABLE old_rating;
DROP TABLE old_ladder;

-- Jobs that were asked for before, and may still be played, have none.
UPDATE job SET spec = json_set(spec, '$.extra_ends', 0)
 WHERE kind IN ('match', 'tournament', 'rate');
