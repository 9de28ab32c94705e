-- One file per $SUPERVISOR_HOME holds all projects and the host. Everything that must change together changes in one
-- transaction; everything but event, blob and head can be rebuilt from them.
--
-- SQLite does not notice a flipped bit inside a value. Events have their hash chain and blobs their name; every other row
-- that is believed when it is read has a seal: the first 8 bytes of a sha256 over what it says (see rows.ts). It protects
-- against damage, not against people.

CREATE TABLE IF NOT EXISTS boundary (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL UNIQUE,         -- id of a project or of the host
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

-- The projection: one row per stream, written with every change of it. Lists are read from it by index.
CREATE TABLE IF NOT EXISTS stream (
  boundary INTEGER NOT NULL,
  name     TEXT NOT NULL,
  version  INTEGER NOT NULL,
  live     INTEGER NOT NULL,
  kind     TEXT NOT NULL,
  status   TEXT NOT NULL,                -- empty for kinds without one
  parent   TEXT,                         -- the id of what it was made for
  line     TEXT,                         -- the branch that it shall land on
  asks     INTEGER NOT NULL,             -- 1: a person is asked something
  updated  INTEGER NOT NULL,
  rank     INTEGER NOT NULL,
  summary  TEXT NOT NULL,
  PRIMARY KEY (boundary, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS stream_live ON stream (boundary, name) WHERE live = 1;
CREATE INDEX IF NOT EXISTS stream_rank ON stream (boundary, kind, status, rank, name);
CREATE INDEX IF NOT EXISTS stream_updated ON stream (boundary, kind, status, updated, name);
CREATE INDEX IF NOT EXISTS stream_parent ON stream (boundary, parent, kind, status, rank, name) WHERE parent IS NOT NULL;
CREATE INDEX IF NOT EXISTS stream_asks ON stream (boundary, kind, status, rank, name) WHERE asks = 1;
CREATE INDEX IF NOT EXISTS stream_line ON stream (boundary, line, kind, status, rank, name) WHERE line IS NOT NULL;

-- How many rows have each status, so that nothing has to count them.
CREATE TABLE IF NOT EXISTS stream_count (
  boundary INTEGER NOT NULL,
  kind     TEXT NOT NULL,
  status   TEXT NOT NULL,
  count    INTEGER NOT NULL,
  PRIMARY KEY (boundary, kind, status)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS stream_added AFTER INSERT ON stream BEGIN
  INSERT INTO stream_count VALUES (new.boundary, new.kind, new.status, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER IF NOT EXISTS stream_removed AFTER DELETE ON stream BEGIN
  UPDATE stream_count SET count = count - 1 WHERE boundary = old.boundary AND kind = old.kind AND status = old.status;
END;
CREATE TRIGGER IF NOT EXISTS stream_changed AFTER UPDATE OF status ON stream WHEN old.status <> new.status BEGIN
  UPDATE stream_count SET count = count - 1 WHERE boundary = old.boundary AND kind = old.kind AND status = old.status;
  INSERT INTO stream_count VALUES (new.boundary, new.kind, new.status, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;

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
