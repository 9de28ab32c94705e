/**
 * What a user and a program see of Supervisor, scenario by scenario: exit codes, JSON, refs, events. After a change on
 * purpose: `UPDATE_GOLDEN=1 vitest run test/scenarios`, and read what changed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LANDING } from './landing.ts';
import { pretty } from './normalise.ts';
import { OPERATOR } from './operator.ts';
import { OUTCOMES } from './outcomes.ts';
import { PLAYED } from './played.ts';
import { Stage } from './stage.ts';

const FOLDER = join(import.meta.dirname, 'recorded');
const fileOf = (name: string): string => `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.json`;
/** One of each kind, for `make quick`. */
const SMOKE = [
  'a red gate, then accepted',
  'reviewed and approved',
  'killed while the worker works, and resumed',
  'a second process hands its task in',
  'a quota that lasts passes the step on',
  'landed on a line that has moved',
];
const SCENARIOS = [OPERATOR, OUTCOMES, LANDING, PLAYED].flatMap((group) => Object.entries(group));

const PLAYED_NOW =
  process.env['SCENARIOS'] === 'smoke' ? SCENARIOS.filter(([name]) => SMOKE.includes(name)) : SCENARIOS;

describe.concurrent('matches its recording', () => {
  test.each(PLAYED_NOW)('%s', async (name, play) => {
    using stage = new Stage();
    await play(stage);
    const recorded = `${pretty(await stage.record())}\n`;
    const file = join(FOLDER, fileOf(name));
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, recorded);
    else expect(JSON.parse(recorded)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });
});

test('each recording has its scenario', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(SCENARIOS.map(([name]) => fileOf(name)).sort());
});
