/** `verify` on real files that were changed from outside: it notices every change, and names the first bad event. */
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChainFinding, type Head, type StoredEvent, StoreError } from '../../src/engine/ports/store.ts';
import { projectionsOf } from '../../src/engine/rebuild.ts';
import { type LogAnchor, type LogReport, verifyLog } from '../../src/engine/verify.ts';
import { bytes } from '../../src/hands/store/sqlite/rows.ts';
import type { BlobHash } from '../../src/kernel/ids.ts';
import { openFile, PROJECT, temporaryDirectory } from '../support/stores.ts';
import { recordHistory } from './history.ts';
import { loadedState } from './state.ts';
import { boundaryRow, editHead, editSnapshot, rewrite, tampered } from './tamper.ts';

const dir = temporaryDirectory();
const file = join(dir.path, 'log.db');
let end: Head;
let middle: { seq: number; hash: string };
let log: readonly StoredEvent[];
let copies = 0;

beforeAll(async () => {
  const store = await openFile(file);
  await recordHistory(store);
  end = await store.head(PROJECT);
  log = await store.readLog(PROJECT, 0, 1_000);
  middle = log[19] ?? end;
  await store.close();
});
afterAll(() => dir.remove());

async function verified(change: (db: DatabaseSync) => void, anchors: readonly LogAnchor[] = []): Promise<LogReport> {
  copies += 1;
  const store = await openFile(tampered(file, join(dir.path, `copy-${copies}.db`), change));
  try {
    return await verifyLog(store, PROJECT, anchors);
  } finally {
    await store.close();
  }
}

const inProject = (db: DatabaseSync, sql: string): void => {
  const { id } = boundaryRow(db);
  db.exec(sql.replaceAll('$project', String(id)));
};
const edit = (assignment: string, seq: number) => (db: DatabaseSync) =>
  inProject(db, `UPDATE event SET ${assignment} WHERE boundary = $project AND seq = ${seq}`);
const seqOf = (stream: string, version: number): number =>
  log.find((event) => event.stream === stream && event.version === version)?.seq ?? Number.NaN;
const finding = (seq: number, problem: RegExp | string): ChainFinding => ({
  seq,
  problem: expect.stringMatching(problem),
});

test('an untouched log has no findings, and its anchors fit', async () => {
  const anchors = [
    { source: 'start', seq: 0, hash: '0'.repeat(64) },
    { source: 'ref', ...middle },
    { source: 'sidecar', ...end },
  ];
  expect(await verified(() => {}, anchors)).toEqual({ events: end.seq, head: end, findings: [] });
});

describe('an event that was edited is named:', () => {
  test.each([
    ['data', 'goal', "data = replace(data, 'second line', 'another line')"],
    ['data, by nothing but a blank', 'goal', "data = replace(data, 'first line', 'first line ')"],
    ['time', 'board', 'time = time + 1'],
    ['actor', 'task/t-0', "actor = 'operator'"],
    ['type', 'task/t-1', "type = 'task.closed.1'"],
    ['type, to one of a newer Supervisor', 'task/t-1', "type = 'task.created.9'"],
    ['stream', 'task/t-2', "stream = 'task/t-9'"],
    ['version', 'task/t-2', 'version = 99'],
    ['cause', 'task/t-2', "cause = 'c-other'"],
    ['trace', 'task/t-2', "trace = ''"],
    ['hash', 'task/t-2', "hash = x'00'"],
  ])('%s', async (_, stream, assignment) => {
    const seq = seqOf(stream, 1);
    const { events, findings } = await verified(edit(assignment, seq));
    expect(events).toBe(seq - 1);
    expect(findings).toEqual([finding(seq, `^event ${seq} .*does not match its hash`)]);
  });

  test('data that is no longer JSON', async () => {
    const seq = seqOf('task/t-3', 2);
    const { events, findings } = await verified(edit("data = '{'", seq));
    expect(events).toBe(seq - 1);
    expect(findings).toEqual([finding(seq, `damaged: event ${seq} cannot be read`)]);
  });

  test('the last one too', async () => {
    expect((await verified(edit('time = time + 1', end.seq))).findings).toEqual([finding(end.seq, /does not match/)]);
  });
});

describe('an event that was removed or moved is named:', () => {
  test.each([1, 2, 20])('removed at %i', async (seq) => {
    const { findings } = await verified((db) =>
      inProject(db, `DELETE FROM event WHERE boundary = $project AND seq = ${seq}`),
    );
    expect(findings).toEqual([finding(seq, `^event ${seq} is missing`)]);
  });

  test('two neighbours that changed places', async () => {
    const swap =
      'UPDATE event SET seq = CASE seq WHEN -1 THEN 11 ELSE 10 END WHERE boundary = $project AND seq IN (-1, 11)';
    const { findings } = await verified((db) => {
      edit('seq = -1', 10)(db);
      inProject(db, `${swap} AND seq = 11; ${swap} AND seq = -1`);
    });
    expect(findings).toEqual([finding(10, /^event 10 .*moved/)]);
  });

  test('removed, and the rest moved up to fill the gap', async () => {
    const { findings } = await verified((db) => {
      inProject(db, 'DELETE FROM event WHERE boundary = $project AND seq = 10');
      for (let seq = 11; seq <= end.seq; seq += 1) edit(`seq = ${seq - 1}`, seq)(db);
    });
    expect(findings).toEqual([finding(10, /^event 10 .*moved/)]);
  });
});

describe('a log that was cut short is noticed', () => {
  const cut = (after: number) => (db: DatabaseSync) =>
    inProject(db, `DELETE FROM event WHERE boundary = $project AND seq > ${after}`);

  test('by its head', async () => {
    const { events, findings } = await verified(cut(end.seq - 2));
    expect(events).toBe(end.seq - 2);
    expect(findings).toEqual([finding(end.seq - 1, /^log_truncated: the head says/)]);
  });

  test('by an anchor, when the head was cut back with it', async () => {
    const { findings } = await verified(
      (db) => {
        cut(middle.seq)(db);
        editHead(db, { seq: middle.seq, hash: bytes(middle.hash) });
      },
      [{ source: 'sidecar', ...end }],
    );
    expect(findings).toEqual([finding(middle.seq + 1, /^log_truncated: sidecar has seen event/)]);
  });

  test('when nothing is left of it', async () => {
    expect((await verified(cut(0))).findings).toEqual([finding(1, /^log_truncated/)]);
  });

  test('before anything is built on it: it cannot be opened', async () => {
    const store = await openFile(tampered(file, join(dir.path, 'cut.db'), cut(end.seq - 1)));
    await expect(loadedState(store)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(`it should end with event ${end.seq}, which is missing`),
    });
    await store.close();
  });
});

describe('a head or an anchor that does not fit is noticed:', () => {
  test.each([
    ['head without its seal', 'seq = 12', /damaged: the head of p-test does not match its seal/],
    ['lease without its seal', 'token = 9', /damaged: the head of p-test does not match its seal/],
  ])('an edited %s', async (_, assignment, problem) => {
    const { findings } = await verified((db) => inProject(db, `UPDATE boundary SET ${assignment} WHERE id = $project`));
    expect(findings).toEqual([finding(end.seq + 1, problem)]);
  });

  test('an edited head with a seal that fits', async () => {
    const shorter = await verified((db) => editHead(db, { seq: 12 }));
    expect(shorter.findings).toEqual([finding(13, /the head says 12 events.*edited/)]);
    const other = await verified((db) => editHead(db, { hash: bytes('f'.repeat(64)) }));
    expect(other.findings).toEqual([finding(end.seq, /the head does not have the hash/)]);
  });

  test('an anchor whose hash is not on the chain', async () => {
    const { findings } = await verified(() => {}, [
      { source: 'ref', seq: middle.seq, hash: end.hash },
      { source: 'sidecar', ...end },
    ]);
    expect(findings).toEqual([finding(middle.seq, /^ref has seen another event/)]);
  });

  test('a log that was rewritten from the start, all hashes right, by the anchor', async () => {
    const lie = (db: DatabaseSync) =>
      rewrite(db, (event) => (event.stream === 'goal' ? { ...event, actor: 'operator:somebody else' } : event));
    expect((await verified(lie)).findings).toEqual([]);
    expect((await verified(lie, [{ source: 'sidecar', ...end }])).findings).toEqual([
      finding(end.seq, /^sidecar has seen another/),
    ]);
  });
});

describe('a row that does not follow from the log is noticed:', () => {
  test('a stream with a gap in its versions', async () => {
    const { findings } = await verified((db) =>
      rewrite(db, (event) =>
        event.stream === 'task/t-1' && event.version > 2 ? { ...event, version: event.version + 1 } : event,
      ),
    );
    const seq = seqOf('task/t-1', 3);
    expect(findings).toEqual([finding(seq, `^event ${seq} is number 4 of task/t-1, number 3 should come here`)]);
  });

  test('an event that its stream cannot have', async () => {
    const { findings } = await verified((db) =>
      rewrite(db, (event) => (event.seq === seqOf('task/t-1', 1) ? { ...event, type: 'task.reopened.1' } : event)),
    );
    expect(findings).toEqual([finding(seqOf('task/t-1', 1), /does not follow/)]);
  });

  test.each([
    [
      'summary',
      "UPDATE stream SET summary = replace(summary, 'failed', 'accepted') WHERE name = 'task/t-1'",
      'task/t-1 does not match',
    ],
    ['status', "UPDATE stream SET status = 'accepted' WHERE name = 'task/t-1'", 'task/t-1 does not match'],
    ['line', "UPDATE stream SET line = 'other' WHERE name = 'task/t-1'", 'task/t-1 does not match'],
    ['rank', "UPDATE stream SET rank = rank + 1 WHERE name = 'task/t-1'", 'task/t-1 does not match'],
    ['live mark', "UPDATE stream SET live = 0 WHERE name = 'task/t-2'", 'task/t-2 does not match'],
    ['version', "UPDATE stream SET version = 7 WHERE name = 'goal'", 'goal does not match'],
    ['place in the list', "DELETE FROM stream WHERE name = 'task/t-3'", 'task/t-3 is missing'],
  ])('a list entry with another %s', async (_, sql, problem) => {
    const { findings } = await verified((db) => db.exec(sql));
    expect(findings[0]).toEqual(finding(end.seq, problem));
  });

  test('a list entry of a stream that never was', async () => {
    const { findings } = await verified((db) =>
      inProject(
        db,
        "INSERT INTO stream VALUES ($project, 'task/ghost', 1, 0, 'task', 'queued', NULL, NULL, 0, 0, 0, 'null')",
      ),
    );
    expect(findings).toEqual([finding(end.seq, /^task\/ghost has a list entry and no event/)]);
  });

  test.each([
    ["UPDATE stream_count SET count = count + 1 WHERE status = 'failed'", /"failed"/],
    ["INSERT INTO stream_count SELECT id, 'task', 'lost', 3 FROM boundary WHERE name <> 'host'", /"lost"/],
    ["DELETE FROM stream_count WHERE status = 'accepted'", /"accepted"/],
  ])('a count of rows that is wrong: %s', async (sql, named) => {
    const store = await openFile(tampered(file, `${file}-counts`, (db) => db.exec(sql)));
    expect(await store.integrity()).toEqual([expect.stringMatching(named)]);
    await store.rebuild(PROJECT, await projectionsOf(store, PROJECT));
    expect(await store.integrity()).toEqual([]);
    await store.close();
  });

  test('a snapshot, with a seal that fits or without', async () => {
    const sealed = await verified((db) => editSnapshot(db, (state) => state.replace('"priority":5', '"priority":1')));
    expect(sealed.findings).toEqual([finding(end.seq, /^the snapshot of task\/t-long does not match/)]);
    const torn = await verified((db) => db.exec('UPDATE snapshot SET version = version + 1'));
    expect(torn.findings).toEqual([finding(end.seq + 1, /the snapshot of task\/t-long does not match its seal/)]);
  });
});

test('a log of a newer Supervisor is not judged: upgrade', async () => {
  const newer = verified((db) =>
    rewrite(db, (event) => (event.seq === seqOf('task/t-1', 1) ? { ...event, type: 'task.created.9' } : event)),
  );
  await expect(newer).rejects.toBeInstanceOf(StoreError);
  await expect(newer).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('upgrade') });
});

test('a text that an event names and that is gone is noticed; a forgotten one has a tombstone', async () => {
  const named = log.find((event) => typeof (event.data as { answer?: unknown }).answer === 'string');
  const gone = await verified((db) => db.exec('DELETE FROM blob'));
  expect(gone.findings).toEqual([finding(named?.seq ?? 0, /gone without a tombstone/)]);
  const store = await openFile(tampered(file, join(dir.path, 'forgotten.db'), () => {}));
  const answer = String((named?.data as { answer?: string } | undefined)?.answer) as BlobHash;
  await store.forgetBlob(answer, 'asked to');
  expect((await verifyLog(store, PROJECT, [])).findings).toEqual([]);
  await store.close();
});
