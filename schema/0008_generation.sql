-- One row: which start of the daemon wrote this file last; 'copy' in a copy from backups/. The daemon
-- knows by it whether rinkd.db-wal belongs to this file (service/store/generation.h).
CREATE TABLE generation (id TEXT NOT NULL) STRICT;
INSERT INTO generation (id) VALUES ('');
