/** Recorded histories of every released version are replayed for ever: same events, same state, whatever the place. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkStretch } from '../../src/engine/chain.ts';
import { ENDS, HISTORIES, readHistory, START, unrecorded } from './recorded.ts';
import { endsOf, stateHash } from './state-hash.ts';

const PROGRAM = fileURLToPath(new URL('./state-hash.ts', import.meta.url));
const NAMES = readdirSync(HISTORIES);

test('there is a history of this version', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(NAMES.some((name) => name.startsWith(`${version}-`))).toBe(true);
});

test('every declared event occurs in a recorded history', () => {
  expect(unrecorded(), 'record them with `node test/replay/record-missing.ts`').toEqual([]);
});

test('OF-27: in another locale and time zone, with keys in another order, they fold to the same states', () => {
  const files = NAMES.map((name) => HISTORIES + name);
  const output = execFileSync(process.execPath, [PROGRAM, '--shuffle', ...files], {
    encoding: 'utf8',
    env: { LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati', UV_THREADPOOL_SIZE: '1' },
  });
  const states = NAMES.map((name) => [name, readHistory(name).state]);
  expect(
    output
      .trim()
      .split('\n')
      .map((state, n) => [NAMES[n], state]),
  ).toEqual(states);
});

describe.each(NAMES)('%s', (name) => {
  const history = readHistory(name);

  test('its hash chains still verify', () => {
    const { events, host = [], head } = history;
    expect(checkStretch(START, events)).toMatchObject({ seq: events.length, hash: head });
    expect(checkStretch(START, host)).toMatchObject({ seq: host.length });
  });

  test('it folds to the state it had when it was recorded', () => {
    expect(stateHash(history)).toBe(history.state);
  });

  test('its tasks end as they did, as far as users see', () => {
    const ends = JSON.parse(readFileSync(ENDS + name, 'utf8')) as object[];
    // A history may be about the project alone, such as one that is halted.
    expect(ends.length).toBe(history.events.filter(({ type }) => type.startsWith('task.created.')).length);
    expect(endsOf(history)).toMatchObject(ends);
  });
});
