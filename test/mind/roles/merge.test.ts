/** How a role adds to the one it extends. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leaves, merge, originAt, plain, traced } from '../../../src/mind/roles/merge.ts';

type File = Record<string, unknown>;
const merged = (...files: [File, ...File[]]) =>
  plain(files.map((file, n) => traced(file, n)).reduce((parent, child) => merge(parent, child)));

describe('merging', () => {
  test('scalars override, lists append without doubles, maps merge deeply', () => {
    const parent = {
      tier: 'fast',
      strengths: ['a', 'b'],
      context: { token_budget: 1, include: ['x'] },
      config: { tdd: true, deep: { one: 1 } },
    };
    const child = { tier: 'strong', strengths: ['b', 'c'], context: { include: ['y'] }, config: { deep: { two: 2 } } };
    expect(merged(parent, child)).toEqual({
      ...{ tier: 'strong', strengths: ['a', 'b', 'c'] },
      ...{ context: { token_budget: 1, include: ['x', 'y'] }, config: { tdd: true, deep: { one: 1, two: 2 } } },
    });
  });

  test('system_prompt_additions concatenate, and a system_prompt replaces all that was said before', () => {
    const root = { system_prompt: 'Root.' };
    expect(merged(root, { system_prompt_additions: 'One.\n' }, { system_prompt_additions: 'Two.' })).toEqual({
      system_prompt: 'Root.\n\nOne.\n\nTwo.',
    });
    expect(
      merged(root, { system_prompt_additions: 'One.' }, { system_prompt: 'New.', system_prompt_additions: 'Two.' }),
    ).toEqual({ system_prompt: 'New.\n\nTwo.' });
  });

  test('one choice stands alone: CLIs, tools, an order', () => {
    const parent = {
      cli: ['claude', 'codex'],
      allowed_tools: ['read', 'edit'],
      context: { priority_order: ['map', 'tree'] },
    };
    const child = { cli: 'gemini', allowed_tools: ['read'], context: { priority_order: ['tree'] } };
    expect(merged(parent, child)).toEqual(child);
  });

  test('a gate of the same name is replaced, in its place', () => {
    const parent = { gates: ['tests', { name: 'risk', command: 'a' }, 'lint'] };
    expect(
      merged(parent, {
        gates: [
          { name: 'risk', command: 'b' },
          { name: 'tests', blocking: false },
        ],
      }),
    ).toEqual({
      gates: [{ name: 'tests', blocking: false }, { name: 'risk', command: 'b' }, 'lint'],
    });
  });
});

/** Files whose keys keep their types, as the check before the merge sees to. */
const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 });
const files: fc.Arbitrary<File> = fc.record(
  {
    tier: fc.constantFrom('fast', 'standard', 'strong'),
    cli: texts,
    strengths: texts,
    allowed_tools: texts,
    system_prompt: fc.constantFrom('P', 'Q'),
    system_prompt_additions: fc.constantFrom('x', 'y'),
    context: fc.record({ include: texts, priority_order: texts, token_budget: fc.nat() }, { requiredKeys: [] }),
    gates: fc.array(
      fc.oneof(
        fc.constantFrom('g', 'h'),
        fc.record({ name: fc.constantFrom('g', 'h', 'i'), command: fc.constantFrom('1', '2') }),
      ),
      { maxLength: 4 },
    ),
    config: fc.dictionary(fc.constantFrom('m', 'n'), fc.record({ deep: texts, one: fc.nat() }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);

describe('for any chain', () => {
  test('it does not matter from which end it is merged', () => {
    fc.assert(
      fc.property(files, files, files, (a, b, c) => {
        const [one, two, three] = [traced(a, 0), traced(b, 1), traced(c, 2)];
        const left = merge(merge(one, two), three);
        const right = merge(one, merge(two, three));
        expect(plain(left)).toEqual(plain(right));
        expect(leaves(left)).toEqual(leaves(right));
      }),
    );
  });

  test('every value leads back to the place where it was written, and is that value', () => {
    fc.assert(
      fc.property(fc.array(files, { minLength: 1, maxLength: 6 }), (chain) => {
        const role = chain.map((file, n) => traced(file, n)).reduce((parent, child) => merge(parent, child));
        for (const { path, value, origin } of leaves(role)) {
          const written = origin.path.reduce<unknown>(
            (at, key) => (at as Record<string | number, unknown>)[key],
            chain[origin.source],
          );
          expect(written).toEqual(value);
          expect(originAt(role, path)).toEqual(origin);
        }
      }),
    );
  });

  test('nothing that a file says is lost, unless a nearer one says it too', () => {
    fc.assert(
      fc.property(files, files, (parent, child) => {
        const role = merged(parent, child);
        for (const key of ['strengths', 'include'] as const) {
          const of = (file: File) =>
            ((key === 'include' ? (file['context'] as File | undefined)?.[key] : file[key]) ?? []) as string[];
          expect(new Set(of(role))).toEqual(new Set([...of(parent), ...of(child)]));
        }
        expect(role['tier']).toBe(child['tier'] ?? parent['tier']);
      }),
    );
  });
});
