/** Functions that fail when they are called: which ones are found in each language, and that the file still loads. */
import { expect, test } from 'vitest';
import { withDefects } from '../../../src/mind/canary/defects.ts';
import { untested } from '../../support/untested.ts';
import { diceOf } from './dice.ts';
import { failedIn, Runs, WITHOUT } from './runs.ts';
import { SAMPLES } from './samples.ts';

const broken = (path: string, text: string) => withDefects(path, text, diceOf(1));
const defects = (path: string, text: string): number => {
  const found = broken(path, text);
  return found === null
    ? 0
    : found.split(/throw new Error|undefined\.\w+ \? 0 : |raise ValueError|len\("ab"\)|black_box/).length - 1;
};

test.each([
  ['a.js', 'function a() { return 1; }\n', 1],
  ['a.js', 'export const a = (b, c) => b + c;\n', 1],
  ['a.js', 'export const a = async (b) => {\n  return await b();\n};\nexport const d = e => e;\n', 2],
  [
    'a.js',
    'export class A {\n  constructor() {}\n  get b() { return 1; }\n  async c(d) { if (d) { return 2; } }\n}\n',
    3,
  ],
  ['a.js', 'export const a = { b() { return 1; }, c: 2 };\nfor (const d of [1]) { d; }\nif (a) { a.c; }\n', 1],
  ['a.js', "const a = [1].map((b) => ({ b }));\nconst text = '() => 1';\n// () => 2\n", 1],
  ['a.ts', 'export const sum = (a: number, b: number): number => a + b;\n', 1],
  ['a.ts', 'export type F = (a: number) => string;\nexport interface G { h: (a: number) => void; }\n', 0],
  ['a.ts', 'export function a<T>(b: T): Promise<T> {\n  return Promise.resolve(b);\n}\n', 1],
  ['a.js', 'exports.sum = (a, b) => a + b;\n', 1],
  ['a.js', 'module.exports = function (a) { return a; };\n', 1],
  [
    'a.py',
    'def a(b):\n    """Text."""\n    return b\n\n\nclass C:\n    def __repr__(self):\n        return ""\n\n    async def d(self):\n\n        return 1\n',
    2,
  ],
  ['a.py', 'def a(b): return b\nX = lambda b: b\n', 0],
  ['a.py', 'def a(\n    b: int,\n) -> dict[str, int]:\n    # nothing\n    return {}\n', 1],
  [
    'a.go',
    'package a\n\nfunc A(b int) int {\n\treturn b\n}\n\nfunc (c *C) D() (int, error) {\n\treturn 1, nil\n}\n\nfunc E() {\n}\n\nfunc init() {\n}\n',
    3,
  ],
  ['a.go', 'package a\n\nfunc A(f func(int) int) (n int, err error) {\n\treturn f(1), nil\n}\n', 1],
  [
    'a.rs',
    'pub fn a<T: Into<i32>>(b: T) -> i32 { b.into() }\nconst fn c() -> i32 { 1 }\ntrait D { fn e(&self); }\n',
    1,
  ],
  ['a.rs', 'fn a() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {}\n}\n', 1],
  ['a.css', 'a { color: red }\n', 0],
])('%s %j has %i', (path, text, count) => expect(defects(path, text)).toBe(count));

test.each(['tap', 'vitest', 'jest', 'pytest', 'unittest', 'go', 'cargo'] as const)(
  '%s: the sample with failing functions is red, and its tests are named',
  (runner) => {
    if (untested(`functions that fail, in real runs of ${runner}`, WITHOUT[runner])) return;
    using runs = new Runs();
    const { tree, tests } = SAMPLES[runner];
    const changed = Object.entries(tree).flatMap(([path, text]) => {
      const made = tests.includes(path) && runner !== 'cargo' ? null : broken(path, text);
      return made === null ? [] : [[path, made] as const];
    });
    expect(changed.length).toBeGreaterThan(0);
    const ran = runs.run(runner, { ...tree, ...Object.fromEntries(changed) });
    expect(ran.status, `${ran.stdout}${ran.stderr}`).not.toBe(0);
    expect(failedIn(runner, ran), `${ran.stdout}${ran.stderr}`).not.toBeNull();
  },
);
