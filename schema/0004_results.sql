-- What players did. Times are milliseconds since 1970 (UTC).

-- Pairs of games between two players: a match, or a pairing of a tournament.
CREATE TABLE match (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice
    job     INTEGER NOT NULL                    -- that played it
            REFERENCES job (id) ON DELETE CASCADE,
    profile TEXT NOT NULL,                      -- rules and ice: 'dc2', 'dc3', …
    ends    INTEGER NOT NULL,                   -- of a game
    a       TEXT NOT NULL,                      -- the player whose points are counted
    b       TEXT NOT NULL,                      -- the other one
    pairs0  INTEGER NOT NULL CHECK (pairs0 >= 0), -- pairs in which a made no point of 2
    pairs1  INTEGER NOT NULL CHECK (pairs1 >= 0), -- 1/2
    pairs2  INTEGER NOT NULL CHECK (pairs2 >= 0), -- 1
    pairs3  INTEGER NOT NULL CHECK (pairs3 >= 0), -- 3/2
    pairs4  INTEGER NOT NULL CHECK (pairs4 >= 0), -- 2
    result  TEXT NOT NULL                       -- JSON: as rink-evaluate wrote it
            CHECK (json_valid(result)),
    at_ms   INTEGER NOT NULL                    -- when it arrived
) STRICT;
CREATE INDEX match_of_job ON match (job);
CREATE INDEX match_by_profile ON match (profile);

-- The ladder of a profile.
CREATE TABLE ladder (
    profile            TEXT PRIMARY KEY,    -- rules and ice
    anchor             TEXT NOT NULL,       -- the player whose rating is 0
    seat_advantage_elo REAL,                -- what the first hammer is worth; NULL: not known
    job                INTEGER              -- that made it
                       REFERENCES job (id) ON DELETE SET NULL,
    at_ms              INTEGER NOT NULL     -- when
) STRICT, WITHOUT ROWID;
CREATE INDEX ladder_of_job ON ladder (job);

-- A place on a ladder; low and high are the ends of the 95 % interval.
CREATE TABLE rating (
    profile TEXT NOT NULL       -- which ladder
            REFERENCES ladder (profile) ON DELETE CASCADE,
    player  TEXT NOT NULL,      -- who
    elo     REAL NOT NULL,      -- 400 points are odds of ten to one
    low     REAL NOT NULL,      -- Elo
    high    REAL NOT NULL,      -- Elo
    pairs   INTEGER NOT NULL,   -- of games that it rests on
    PRIMARY KEY (profile, player)
) STRICT, WITHOUT ROWID;

-- Points of an end that the best of some responders wins from a player.
CREATE TABLE exploitability (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice
    job     INTEGER NOT NULL                    -- that measured it
            REFERENCES job (id) ON DELETE CASCADE,
    player  TEXT NOT NULL,                      -- whose
    profile TEXT NOT NULL,                      -- rules and ice
    ends    INTEGER NOT NULL,                   -- played against each seat
    sente   TEXT NOT NULL                       -- JSON: points and standard error, without hammer
            CHECK (json_valid(sente)),
    gote    TEXT NOT NULL                       -- JSON: the same with hammer
            CHECK (json_valid(gote)),
    total   TEXT NOT NULL                       -- JSON: of their sum
            CHECK (json_valid(total)),
    at_ms   INTEGER NOT NULL                    -- when it arrived
) STRICT;
CREATE INDEX exploitability_of_job ON exploitability (job);
