/**
 * Each base role does one task by a real CLI. What arrived at the model is what the log holds, and a golden file that a
 * person can read. After a change of roles, templates or strategies: `UPDATE_GOLDEN=1 npx vitest run test/clis/roles.test.ts`,
 * and read what changed.
 */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ScenarioInput } from '../../src/mind/stand-in/scenario.ts';
import { Seen } from '../hostile/harness/seen.ts';
import { CONTRACT_TEST, HEAVY_PRICE, HEAVY_TEST, LABEL_SERVER, makeParcels } from './sample-project.ts';
import { Through } from './through.ts';

const FOLDER = join(import.meta.dirname, 'golden/roles');
/** The quickest to start. */
const CLI = 'codex';
const GATE = ['--gate', 'tests=node --test --test-isolation=none'];

const said = (words: string, answer: object): string => `${words}\n\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`\n`;

type Run = {
  /** Those whose packets are looked at. */
  readonly roles: readonly string[];
  readonly args: readonly string[];
  readonly turns: ScenarioInput['turns'];
  readonly status: string;
  /** Steps of its own; a step may be done by `author`, a program that writes `LABEL_SERVER`. */
  readonly workflow?: string;
};

const HEAVY = 'Parcels above 20 kg cost 4.00 more. Those above 31.5 kg are refused, as the ones without weight are.';
const PLAN = {
  status: 'COMPLETE',
  phases: [{ name: 'Insurance', components: [{ name: 'premium', files: ['src/price.ts'] }] }],
  estimated_components: 1,
};

const RUNS: readonly Run[] = [
  {
    roles: ['planner'],
    args: ['Plan insured parcels: a declared value, a premium on top of the price, and a limit for each zone.'],
    turns: [{ text: said('Planned.', PLAN) }],
    status: 'accepted',
  },
  {
    roles: ['tech_lead'],
    args: ['Decide how prices in several currencies are kept and passed on, and plan the change.'],
    turns: [{ text: said('Decided.', { ...PLAN, notes: 'A currency beside each amount; one per shop lost.' }) }],
    status: 'accepted',
  },
  {
    roles: ['investigator'],
    args: ['Why is a quote for a parcel to GB answered with 500 and not with 400?'],
    turns: [
      { text: said('Found.', { status: 'SUCCESS', answer: 'zoneOf throws an Error.', findings: ['src/zones.ts:9'] }) },
    ],
    status: 'accepted',
  },
  {
    roles: ['implementer', 'reviewer'],
    args: [HEAVY, '--files', 'src/price.ts', '--workflow', 'reviewed', ...GATE],
    turns: [
      { write: { path: 'test/heavy.test.ts', text: HEAVY_TEST } },
      { write: { path: 'src/price.ts', text: HEAVY_PRICE, replace: true } },
      {
        text: said('Done.', {
          status: 'SUCCESS',
          action_taken: 'Heavy parcels cost more, those that are too heavy are refused.',
          files_created: ['test/heavy.test.ts'],
          files_modified: ['src/price.ts'],
          tests_written: ['test/heavy.test.ts'],
          notes: 'The limit is in grams, as all weights are.',
        }),
      },
      { text: said('Read.', { status: 'APPROVED', confidence: 0.9 }) },
    ],
    status: 'accepted',
  },
  {
    roles: ['test_engineer'],
    args: ['Test what quotes promise to their callers.', '--files', 'src/price.ts', '--role', 'test_engineer', ...GATE],
    turns: [
      { write: { path: 'test/quote.contract.test.ts', text: CONTRACT_TEST } },
      {
        text: said('Tested.', {
          status: 'SUCCESS',
          tests_written: ['test/quote.contract.test.ts'],
          test_types: ['contract'],
          files_created: ['test/quote.contract.test.ts'],
        }),
      },
    ],
    status: 'accepted',
  },
  {
    roles: ['security_auditor'],
    args: ['Let a client fetch the label of a parcel: GET /labels/NAME.', ...GATE],
    turns: [
      {
        text: said('Audited.', {
          status: 'REJECTED',
          findings: [{ severity: 'high', cwe: 'CWE-22', file: 'src/server.ts', message: 'NAME may hold ../' }],
        }),
      },
    ],
    status: 'escalated',
    workflow:
      'name: audited\nversion: 1\nsteps:\n  - {id: implement, kind: change, role: implementer, cli: [author]}\n  - {id: audit, kind: answer, role: security_auditor}\n',
  },
];

describe.concurrent('a real CLI does a task as', () => {
  test.each(RUNS.map((run) => [run.roles.join(' and '), run] as const))('%s', async (_, run) => {
    await using through = new Through(run.turns);
    const seen = await play(through, run);
    expect(seen.status, `${seen.result.stdout}${seen.result.stderr}`).toBe(run.status);
    const arrived = through.standIn.mainRequests.flatMap(({ body }) => textsIn(body));
    for (const role of run.roles) {
      const text = seen.packetOf(recordOf(seen, role));
      // Whole and as a text of its own, whatever the CLI says around it.
      expect(arrived.filter((one) => one === text).length).toBeGreaterThan(0);
      const file = join(FOLDER, `${role}.md`);
      const shown = withoutMarks(text);
      if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, shown);
      expect(shown).toBe(readFileSync(file, 'utf8'));
    }
  });
});

test('there is a golden file for every base role, and no other', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(RUNS.flatMap(({ roles }) => roles.map((role) => `${role}.md`)).sort());
});

describe('contents of the packets', () => {
  const golden = (role: string) => readFileSync(join(FOLDER, `${role}.md`), 'utf8');

  test('role, rules, context, task and answer follow each other, and each heading is there once', () => {
    for (const { roles } of RUNS)
      for (const role of roles) {
        const headings: readonly string[] = outsideOfQuotes(golden(role)).match(/^## .*$/gm) ?? [];
        expect(headings.slice(0, 2), role).toEqual(['## Rules', '## Context']);
        expect(headings.at(-1), role).toBe('## Your answer');
        expect(headings.indexOf('## Task'), role).toBeGreaterThan(1);
        expect(new Set(headings).size, role).toBe(headings.length);
      }
  });

  test('no sentence is said twice', () => {
    for (const { roles } of RUNS)
      for (const role of roles) {
        const sentences = outsideOfQuotes(golden(role))
          .split(/[.:;]\s+|\n\s*\n|^\s*- /m)
          .filter((one) => one.length > 25);
        expect(
          sentences.filter((one, n) => sentences.indexOf(one) !== n),
          role,
        ).toEqual([]);
      }
  });

  test('a role that judges a change sees the change', () => {
    expect(golden('reviewer')).toContain(
      "+  if (weight > 31_500) throw new RangeError('weight: must be at most 31500 grams');",
    );
    expect(golden('security_auditor')).toContain("+  if (request.url?.startsWith('/labels/'))");
  });

  test('a role that writes tests sees the promises of the code, and not its implementation', () => {
    expect(golden('test_engineer')).toContain('export function quote({ weight, country }: Parcel): Quote');
    for (const inside of ['RATES', 'Math.ceil', 'timingSafeEqual', 'HOME.includes'])
      expect([golden('implementer').includes('RATES'), golden('test_engineer').includes(inside)]).toEqual([
        true,
        false,
      ]);
  });
});

async function play(through: Through, { args, workflow, roles }: Run): Promise<Seen> {
  const { world } = through;
  const author = world.file('author', AUTHOR);
  chmodSync(author, 0o755);
  await through.open([CLI], `  author: {command: [${author}], prompt: stdin, output: text}\n`);
  makeParcels(world);
  const asks = args.includes('--gate') ? [] : ['--workflow', 'ask', '--role', ...roles];
  const steps = workflow === undefined ? asks : ['--workflow', world.file('workflow.yaml', workflow)];
  const result = await world.run(['run', ...args, ...steps, '--cli', CLI], through.env());
  return new Seen(world, result, await world.events(), 0);
}

/** Does its work and says so, whatever it is told. */
const AUTHOR = `#!/bin/sh
cat >/dev/null
cat >src/server.ts <<'END-OF-FILE'
${LABEL_SERVER.trim()}
END-OF-FILE
cat <<'END-OF-ANSWER'
${said('Done.', { status: 'SUCCESS', action_taken: 'Labels are served from labels/.', files_modified: ['src/server.ts'] })}
END-OF-ANSWER
`;

function recordOf(seen: Seen, role: string): { readonly packet: string; readonly packet_sha256: string } {
  const hashes = [...seen.of('attempt.produced'), ...seen.of('attempt.settled')].flatMap(({ record }) => record ?? []);
  const found = hashes.map((hash) => JSON.parse(seen.blob(hash))).find((record) => record.role === role);
  if (found === undefined) throw new Error(`there is no record of ${role}`);
  return found;
}

/** All texts of a request, wherever a protocol puts them. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value === null || typeof value !== 'object' ? [] : Object.values(value).flatMap(textsIn);
}

/** They are new in every packet. */
const withoutMarks = (packet: string): string =>
  packet.replaceAll(/^<<<[0-9A-F]{20} |^[0-9A-F]{20}>>>$/gm, (line) => line.replace(/[0-9A-F]{20}/, 'MARK'));

const outsideOfQuotes = (packet: string): string => packet.replaceAll(/^<<<MARK [\s\S]*?^MARK>>>$/gm, '');
