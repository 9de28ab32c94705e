/** A packet over its budget says so, and why. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packetFor } from '../../src/hands/workers/packet.ts';
import { counter, type PackWorld, packWorld, roleWith, untouched } from '../context/pack-world.ts';
import { NOTHING_SENT_BACK } from '../support/sent-back.ts';
import { TEMPLATES } from '../support/templates.ts';

const BUDGET = 6_000;
let world: PackWorld;
beforeAll(() => {
  const code = (n: number) =>
    Array.from({ length: 90 }, (_, i) => `export const price${i} = cart(${i}, ${n});`).join('\n');
  world = packWorld(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`src/price${n}.ts`, code(n)])));
});
afterAll(() => world.end());

async function packet(told: { template?: string; text?: string; always?: string[]; prompt?: string; budget?: number }) {
  const templates = new Map([...TEMPLATES, ['twice', '{{ context }}\n{{ context }}\n{% include "_task" %}\n']]);
  const context = { token_budget: told.budget ?? BUDGET, always_include: told.always ?? [] };
  const worker = { ...roleWith(context), template: told.template ?? 'implement' };
  const role = { ...worker, system_prompt: told.prompt ?? worker.system_prompt };
  const made = await packetFor(
    {
      ...{ redact: untouched, settings: () => ({ testPaths: [], protect: [] }), role: () => role, count: counter },
      templates: () => templates,
      contexts: world.contexts(),
      seed: () => 'seed',
    },
    {
      ...{
        role,
        spec: { version: 1, text: told.text ?? 'Round the price of the cart in price3' },
        attempts: 1,
        feedback: null,
      },
      ...{
        repeated: false,
        findings: [],
        before: [],
        grants: [],
        scope: [],
        attempt: { kind: 'change', number: 1, started: 0, deadline: 0 },
      },
      ...NOTHING_SENT_BACK,
      ...{ config: {}, handOver: false, contextScope: null, startsFrom: 'line' },
      base: world.git('rev-parse', 'HEAD'),
      tree: null,
      factor: 1,
      seed: 'seed',
      context: {},
    },
    {
      signal: new AbortController().signal,
      keep: () => Promise.reject(new Error('nothing is kept')),
      read: async () => null,
      around: async () => ({ goal: null, queue: [], history: [] }),
    },
  );
  const { tokens = 0, packed } = made.context ?? {};
  return { text: made.text, tokens, warnings: packed?.warnings ?? [] };
}

test('a packet without protected files stays in its budget and has no warning', async () => {
  const { tokens, warnings } = await packet({});
  expect(tokens).toBeLessThanOrEqual(BUDGET);
  expect(tokens).toBeGreaterThan(BUDGET * 0.8);
  expect(warnings).toEqual([]);
});

test('a template that shows the context twice', async () => {
  const { tokens, warnings } = await packet({ template: 'twice' });
  expect(tokens).toBeGreaterThan(BUDGET);
  expect(warnings).toEqual([
    `the packet is over the budget of ${BUDGET} tokens (${tokens}): let its template show \`context\` only once, with little around it`,
  ]);
});

test('a task that is longer than the budget', async () => {
  const { tokens, warnings } = await packet({ text: 'Round the price. '.repeat(2_000) });
  expect(tokens).toBeGreaterThan(BUDGET);
  expect(warnings).toEqual([
    expect.stringMatching(/^the task and the prompt alone are over the budget of 6000 tokens/),
  ]);
});

test('a protected file over the budget gives one warning', async () => {
  const { tokens, warnings } = await packet({ always: ['src/price1*.ts'] });
  expect(tokens).toBeGreaterThan(BUDGET);
  expect(warnings).toEqual([expect.stringContaining('protected files (always_include) alone need')]);
});

// An acceptance criterion of the context packer. They are no parts of the context, so it is the packet that shows it.
test('`system_prompt` and `task` are NEVER pruned (protected)', async () => {
  const lines = (what: string) => Array.from({ length: 300 }, (_, n) => `${what} ${n}: keep it.`).join('\n');
  const [prompt, text] = [lines('Rule'), lines('Demand')];
  const whole = await packet({ prompt, text, budget: 100_000 });
  expect(whole.warnings).toEqual([]);
  expect(whole.text).toContain('export const price0 = cart(0, ');
  for (const budget of [0, 10, 1_000, whole.tokens - 1_000]) {
    const { text: told, tokens } = await packet({ prompt, text, budget });
    for (const line of `${prompt}\n${text}`.split('\n')) expect(told).toContain(line);
    // The context gave way to them.
    expect([budget, tokens]).toEqual([budget, expect.toSatisfy((n: number) => n < whole.tokens)]);
  }
});
