-- One file per $SUPERVISOR_HOME holds all projects and the host. Everything that must change together changes in one
-- transaction; everything but event, blob and head can be rebuilt from them.
--
-- SQLite does not notice a flipped bit inside a value. Events have their hash chain and blobs their name; every other row
-- that is believed when it is read has a seal: the first 8 bytes of a sha256 over what it says (see rows.ts). It protects
-- against damage, not against people.

CREATE TABLE IF NOT EXISTS boundary (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL UNIQUE,         -- project id, or 'host'
  path     TEXT NOT NULL,                -- where the repository was last seen
  root     TEXT,                         -- its first commit, recorded at first use
  -- the head: where the log ends
  seq      INTEGER NOT NULL,
  hash     BLOB NOT NULL,
  time     INTEGER NOT NULL,
  live     INTEGER NOT NULL,             -- sum over the names of live streams: none can get lost unnoticed
  -- the lease: who may append; the token only grows
  token    INTEGER NOT NULL,
  owner    TEXT,
  renewed  INTEGER NOT NULL,             -- milliseconds of the machine's monotonic clock
  ttl      INTEGER NOT NULL,
  seal     BLOB NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS event (
  boundary INTEGER NOT NULL,
  seq      INTEGER NOT NULL,
  stream   TEXT NOT NULL,
  version  INTEGER NOT NULL,
  type     TEXT NOT NULL,
  data     TEXT NOT NULL,
  actor    TEXT NOT NULL,
  cause    TEXT NOT NULL,
  trace    TEXT NOT NULL,
  time     INTEGER NOT NULL,
  hash     BLOB NOT NULL,
  PRIMARY KEY (boundary, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX IF NOT EXISTS event_stream ON event (boundary, stream, version);

-- The projection: one row per stream, written with every change of it.
CREATE TABLE IF NOT EXISTS stream (
  boundary INTEGER NOT NULL,
  name     TEXT NOT NULL,
  version  INTEGER NOT NULL,
  live     INTEGER NOT NULL,
  summary  TEXT NOT NULL,
  PRIMARY KEY (boundary, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS stream_live ON stream (boundary, name) WHERE live = 1;

CREATE TABLE IF NOT EXISTS snapshot (
  boundary INTEGER NOT NULL,
  stream   TEXT NOT NULL,
  version  INTEGER NOT NULL,
  reducer  INTEGER NOT NULL,
  state    TEXT NOT NULL,
  seal     BLOB NOT NULL,
  PRIMARY KEY (boundary, stream)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS inbox (
  place    INTEGER PRIMARY KEY,
  boundary INTEGER NOT NULL,
  id       TEXT NOT NULL,
  actor    TEXT NOT NULL,
  command  TEXT NOT NULL,
  seal     BLOB NOT NULL,
  UNIQUE (boundary, id)
) STRICT;

CREATE TABLE IF NOT EXISTS receipt (
  boundary  INTEGER NOT NULL,
  id        TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  rejection TEXT,
  time      INTEGER NOT NULL,
  seal      BLOB NOT NULL,
  PRIMARY KEY (boundary, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS blob (
  place     INTEGER PRIMARY KEY,
  hash      BLOB NOT NULL UNIQUE,
  content   TEXT,                        -- null: forgotten
  forgotten TEXT,                        -- why
  seal      BLOB                         -- of the tombstone
) STRICT;
