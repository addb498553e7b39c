-- Named things that can play. Times are milliseconds since 1970 (UTC).

-- Weights, in the file models/<sha256>.safetensors of the data folder.
CREATE TABLE model (
    name       TEXT PRIMARY KEY     -- [a-z0-9][a-z0-9._-]*
               CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 63),
    sha256     TEXT NOT NULL        -- of the file
               CHECK (length(CAST(sha256 AS BLOB)) = 64),
    bytes      INTEGER NOT NULL     -- of the file
               CHECK (bytes >= 0),
    card       TEXT NOT NULL        -- JSON: how it was made, how strong it is
               CHECK (json_valid(card)),
    created_ms INTEGER NOT NULL     -- when it was registered
) STRICT, WITHOUT ROWID;
CREATE INDEX model_weights ON model (sha256);

-- Another name, which can be pointed elsewhere: 'champion'.
CREATE TABLE model_alias (
    alias      TEXT PRIMARY KEY     -- as a name of a model, and none of these
               CHECK (length(CAST(alias AS BLOB)) BETWEEN 1 AND 63),
    model      TEXT NOT NULL        -- what it means now
               REFERENCES model (name),
    updated_ms INTEGER NOT NULL     -- since when
) STRICT, WITHOUT ROWID;
CREATE INDEX model_alias_of ON model_alias (model);

-- A way to play under a name.
CREATE TABLE player (
    name       TEXT PRIMARY KEY     -- [a-z0-9][a-z0-9._-]*
               CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 63),
    spec       TEXT NOT NULL,       -- 'kr-uct:simulations=1600', as the programs read it
    about      TEXT NOT NULL,       -- for people
    created_ms INTEGER NOT NULL     -- when it was registered
) STRICT, WITHOUT ROWID;
