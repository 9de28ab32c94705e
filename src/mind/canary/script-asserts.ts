/**
 * Failing assertions in the forms that a JavaScript or TypeScript test file itself uses, because a change would neuter
 * those.
 */

import { complaint, filled, formTable, unequal } from './plant-names.ts';
import { type Dice, oneOf } from './planted.ts';
import type { Scanned } from './scan.ts';
import type { BoundName } from './script-imports.ts';

export type Assertion = {
  /** The name that it is called on. */
  readonly root: string;
  /** What a test's function has to take to get that name; null if the file defines it. */
  readonly param: string | null;
  readonly isAsync: boolean;
  write(low: number, high: number): string;
};

/** Methods of `assert`, of Node and of chai. */
const METHODS = formTable({
  'equal strictEqual equals is isAbove': 'LOW, HIGH',
  'deepEqual deepStrictEqual deepEquals sameMembers partialDeepStrictEqual': '[LOW, 7], [HIGH, 7]',
  'notEqual notStrictEqual notDeepEqual notDeepStrictEqual isBelow': 'LOW, LOW',
  'ok isTrue isOk': "Number('LOW') === HIGH",
  isFalse: "Number('LOW') === LOW",
  match: "'LOW', /^HIGH$/",
  doesNotMatch: "'LOW', /^LOW$/",
  include: '[LOW], HIGH',
  lengthOf: '[LOW], 2',
  throws: "() => Number('LOW')",
  rejects: 'async () => LOW',
});

/** Arguments of `expect(…)` and of its chain, in vitest, jest and chai; chai ends some chains without a call. */
const CHAINS = formTable({
  '.toBe .toEqual .toStrictEqual .to.equal .to.eql .to.eq .to.be.equal .equal .eq': 'LOW;HIGH',
  '.not.toBe .not.toEqual .not.toStrictEqual .to.not.equal .not.to.equal .toBeGreaterThan .toBeLessThan': 'LOW;LOW',
  '.to.deep.equal .to.have.members .toContainEqual': '[LOW, 7];[HIGH, 7]',
  '.toContain .to.include .to.contain': '[LOW];HIGH',
  '.toBeTruthy': 'LOW - LOW;',
  '.toBeUndefined .toBeNull .toBeFalsy .not.toBeDefined .not.toBeTruthy': 'LOW;',
  '.toBeDefined': '[LOW][1];',
  '.toMatch': "'LOW';/^HIGH$/",
  '.toHaveLength': '[LOW];2',
  '.toMatchObject': '{ size: LOW };{ size: HIGH }',
  '.toThrow': "() => Number('LOW');",
  '.to.be.true': "Number('LOW') === HIGH",
  '.to.be.false': "Number('LOW') === LOW",
  '.to.be.undefined': 'LOW',
});

const MODULE = /^(?:node:)?assert(?:\/strict)?$|^(?:power-assert|uvu\/assert)$|^chai$/;
const MEMBER = /(?<![\w$.])(?:([\w$]+)\.)?([\w$]+)\.([\w$]+)\s*\(/g;
const BARE = /(?<![\w$.])([\w$]+)\s*\(/g;

/** The assertions that a file uses, each form once. */
export function assertionsOf({ code, pairs }: Scanned, bound: readonly BoundName[]): readonly Assertion[] {
  const found = new Map<string, Assertion>();
  const add = (call: string, about: Omit<Assertion, 'write'>, args: string) => {
    const begin = about.isAsync ? `await ${call}` : call;
    found.set(call, { ...about, write: (low, high) => `${begin}(${filled(args, low, high)})` });
  };
  const fromModule = new Map(
    bound.filter(({ module }) => module !== null && MODULE.test(module)).map((one) => [one.local, one] as const),
  );
  const isBound = new Set(bound.map(({ local }) => local));
  const isAssert = (name: string) => {
    const imported = fromModule.get(name)?.imported;
    return imported === undefined
      ? name === 'assert' && !isBound.has(name)
      : /^(?:default|\*|assert|strict)$/.test(imported);
  };
  for (const [, context, base = '', method = ''] of code.matchAll(MEMBER)) {
    const args = METHODS.get(method);
    if (args === undefined) continue;
    const isContext = context !== undefined && base === 'assert' && /^(?:t|ctx|context)$/.test(context);
    if (!isContext && (context !== undefined || !isAssert(base))) continue;
    const call = isContext ? `${context}.assert.${method}` : `${base}.${method}`;
    const about = { root: context ?? base, param: context ?? null, isAsync: method === 'rejects' };
    add(call, about, args);
  }
  for (const { index, 0: head, 1: name = '' } of code.matchAll(BARE)) {
    const imported = fromModule.get(name)?.imported ?? '';
    const args = METHODS.get(isAssert(name) ? 'ok' : imported);
    if (args !== undefined) add(name, { root: name, param: null, isAsync: imported === 'rejects' }, args);
    if (name !== 'expect') continue;
    const param = isBound.has('expect') ? null : contextOf(code);
    const close = pairs.get(index + head.length - 1) ?? code.length;
    const chain = /^(?:\s*\.[\w$]+)+/.exec(code.slice(close + 1, close + 200))?.[0].replaceAll(/\s/g, '') ?? '';
    const form = CHAINS.get(chain);
    if (form === undefined) continue;
    const [value = '', wanted] = form.split(';');
    const whole = `expect(${value})${chain}${wanted === undefined ? '' : `(${wanted})`}`;
    found.set(chain, { root: 'expect', param, isAsync: false, write: (low, high) => filled(whole, low, high) });
  }
  return [...found.values()];
}

/** `{ expect }` if every test takes it so; null for one that is defined for all. */
const contextOf = (code: string): string | null =>
  /\(\s*\{[^{}()]*\bexpect\b[^{}()]*\}\s*\)\s*=>/.test(code) ? '{ expect }' : null;

/** A random one that works in a test with these parameters. */
export function assertionFor(
  all: readonly Assertion[],
  test: { readonly params: string; readonly isAsync: boolean },
  dice: Dice,
): Assertion | null {
  const usable = all.filter(
    ({ root, param, isAsync }) =>
      (test.isAsync || !isAsync) && (param === null || new RegExp(`(?<![\\w$])${root}(?![\\w$])`).test(test.params)),
  );
  return usable.length === 0 ? null : oneOf(usable as [Assertion, ...Assertion[]], dice);
}

export const written = (assertion: Assertion, dice: Dice): string => `${assertion.write(...unequal(dice))};`;

export function thrown(dice: Dice): string {
  return `throw new ${oneOf(['Error', 'TypeError', 'RangeError'], dice)}('${complaint(dice)}');`;
}
