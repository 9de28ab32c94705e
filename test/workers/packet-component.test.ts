/** `context_scope: component_only` in a packet: the component is what the task names, else what its plan names. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PacketAsk, packetFor } from '../../src/hands/workers/packet.ts';
import { counter, type PackWorld, packWorld, roleWith, untouched } from '../context/pack-world.ts';
import { role } from '../support/role.ts';
import { NOTHING_SENT_BACK } from '../support/sent-back.ts';
import { TEMPLATES } from '../support/templates.ts';

let world: PackWorld;
beforeAll(() => {
  const price = (name: string) => ({ [`${name}/price.ts`]: `export const price = "${name}";\n` });
  world = packWorld({ ...price('shop'), ...price('bank'), ...price('mail') });
});
afterAll(() => world.end());

const plan = (...files: string[]) =>
  `\`\`\`json\n${JSON.stringify({ status: 'COMPLETE', phases: [{ components: [{ files }] }], estimated_components: 1 })}\n\`\`\``;

async function shown(contextScope: string | null, planned: string, files?: string[]): Promise<string[]> {
  const worker = roleWith({ strategy: 'implementer_full' });
  const roles = (name: string) => (name === 'planner' ? role('planner', { kind: 'answer', answer: 'plan' }) : worker);
  const ask: PacketAsk = {
    ...{ role: worker, spec: { version: 1, text: 'Round the price', ...(files === undefined ? {} : { files }) } },
    ...NOTHING_SENT_BACK,
    ...{
      attempts: 1,
      feedback: null,
      repeated: false,
      findings: [],
      grants: [],
      scope: [],
      config: {},
      handOver: false,
    },
    ...{
      attempt: { kind: 'change', number: 1, started: 0, deadline: 0 },
      startsFrom: 'line',
      tree: null,
      factor: 1,
      seed: 'seed',
      context: {},
    },
    before: [{ step: 'plan', role: 'planner', answer: 'a'.repeat(64), asked: true }] as never,
    base: world.git('rev-parse', 'HEAD'),
    contextScope,
  };
  const makers = { redact: untouched, settings: () => ({ testPaths: [], protect: [] }), role: roles, count: counter };
  const hand = { signal: new AbortController().signal, keep: () => Promise.reject(new Error('nothing is kept')) };
  const packet = await packetFor(
    { ...makers, templates: () => TEMPLATES, contexts: world.contexts(), seed: () => 'seed' },
    ask,
    { ...hand, read: async () => planned, around: async () => ({ goal: null, queue: [], history: [] }) },
  );
  return (packet.context?.packed.parts ?? []).flatMap(({ kind, path }) => (kind === 'tree' ? [] : (path ?? []))).sort();
}

const ALL = ['bank/price.ts', 'mail/price.ts', 'shop/price.ts'];

test('a component is what the plan names, unless the task names files itself', async () => {
  expect(await shown('component_only', plan('shop/price.ts'))).toEqual(['shop/price.ts']);
  expect(await shown('component_only', plan('shop/price.ts'), ['bank/price.ts'])).toEqual(['bank/price.ts']);
  expect(await shown(null, plan('shop/price.ts'))).toEqual(ALL);
});

test('a plan names files and no patterns, and nothing outside; without a file nothing is left out', async () => {
  expect(await shown('component_only', plan('**', '../x', '/etc/passwd', '~/x'))).toEqual(ALL);
  expect(await shown('component_only', 'no plan at all')).toEqual(ALL);
});
