/** Recorded histories of every released version are replayed for ever: same events, same state, whatever the place. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkStretch } from '../../src/engine/chain.ts';
import { GENESIS } from '../../src/kernel/hash.ts';
import { endsOf, type History, stateHash } from './state-hash.ts';

const FOLDER = fileURLToPath(new URL('./histories/', import.meta.url));
/** Written once with the history, and edited just as little. */
const ENDS = fileURLToPath(new URL('./ends/', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./state-hash.ts', import.meta.url));

test('there is a history of this version', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(readdirSync(FOLDER).some((name) => name.startsWith(`${version}-`))).toBe(true);
});

describe.each(readdirSync(FOLDER))('%s', (name) => {
  const history = JSON.parse(readFileSync(FOLDER + name, 'utf8')) as History;

  test('its hash chain still verifies', () => {
    expect(checkStretch({ seq: 0, hash: GENESIS, time: 0 }, history.events)).toMatchObject({
      seq: history.events.length,
      hash: history.head,
    });
  });

  test('it folds to the state it had when it was recorded', () => {
    expect(stateHash(history)).toBe(history.state);
  });

  test('its tasks end as they did, as far as users are told', () => {
    const ends = JSON.parse(readFileSync(ENDS + name, 'utf8')) as object[];
    expect(ends.length).toBeGreaterThan(2);
    expect(endsOf(history)).toMatchObject(ends);
  });

  test('OF-27: in another locale and time zone, with keys in another order, it folds to the same state', () => {
    const output = execFileSync(process.execPath, [PROGRAM, FOLDER + name, '--shuffle'], {
      encoding: 'utf8',
      env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati', UV_THREADPOOL_SIZE: '1' },
    });
    expect(output.trim()).toBe(history.state);
  });
});
