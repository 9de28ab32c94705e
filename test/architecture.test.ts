/** The map of the floors: reads every import in src and fails when one goes where it must not. Each rule proves that it can fail. */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { cyclesIn, importGraph, type Source } from './support/import-graph.ts';
import { type Import, importsOf, withoutComments, withoutStrings } from './support/scan-source.ts';
import { unusedExports } from './support/unused-exports.ts';

const FLOORS = ['kernel', 'mind', 'inside', 'engine', 'os', 'hands', 'app', 'faces'];

/** Where each third-party library comes in; leaving it means changing these places and no others. */
const DOORS: Readonly<Record<string, RegExp>> = {
  valibot: /^(mind\/|engine\/incoming\.ts$)/,
  yaml: /^mind\/fields\/yaml\.ts$/,
  '@valibot/to-json-schema': /^mind\/answers\/json-schema\.ts$/,
  liquidjs: /^mind\/prompts\/liquid\.ts$/,
  'gpt-tokenizer': /^mind\/tokens\//,
  '@agentclientprotocol/sdk': /^inside\/acp\.ts$/,
  '@secretlint/core': /^hands\/redact\//,
  '@secretlint/profiler': /^hands\/redact\//,
  '@secretlint/secretlint-rule-preset-recommend': /^hands\/redact\//,
};

/** Which of Node's own modules may be used where; those not named are free above the mind. */
const NODE_DOORS: Readonly<Record<string, RegExp>> = {
  child_process: /^(?:os\/process|inside)\//,
  sqlite: /^hands\/store\/sqlite\//,
};

const MAX_LINES = 400;

type Rule = {
  readonly name: string;
  /** What is wrong with a file, or nothing. */
  find(source: Source): string[];
  /** Samples in which it must find something, and some in which it must not: `path` and text. */
  readonly bad: readonly (readonly [string, string])[];
  readonly good: readonly (readonly [string, string])[];
};

const RULES: readonly Rule[] = [
  {
    name: 'imports go down the floors, never up',
    find: ({ path, text }) =>
      each(path, text, ({ to }) => (to !== null && floorOf(to) > floorOf(path) ? `${to} is above` : null)),
    bad: [
      ['kernel/a.ts', "import { decide } from '../mind/decisions/decide.ts';"],
      ['engine/a.ts', "import type { Store } from '../hands/store/memory/store.ts';"],
      ['engine/a.ts', "export * from '../os/process/run.ts';"],
      ['mind/domain/a.ts', "export { open } from '../../app/open.ts';"],
      ['app/a.ts', "const { main } = await import('../faces/cli/main.ts');"],
      ['mind/a.ts', "import {\n  one,\n  two,\n} from '../engine/engine.ts';"],
    ],
    good: [
      ['faces/cli/a.ts', "import { sha256 } from '../../kernel/hash.ts';\nexport const b = 'from ../faces';"],
      ['mind/a.ts', "// import { x } from '../app/x.ts';\n/* import '../app/y.ts' */"],
    ],
  },
  {
    name: 'every folder of src is a floor',
    find: ({ path }) => (floorOf(path) < 0 ? [`${path.split('/')[0]} is on no floor`] : []),
    bad: [['utils/a.ts', '']],
    good: [['kernel/a.ts', '']],
  },
  {
    name: 'rooms of the hands do not import each other',
    find: ({ path, text }) => {
      const room = (file: string) => (file.startsWith('hands/') ? file.split('/')[1] : undefined);
      return each(path, text, ({ to }) =>
        to !== null && room(path) && room(to) && room(path) !== room(to) ? `${to} is another room` : null,
      );
    },
    bad: [['hands/gates/a.ts', "import type { Redact } from '../redact/redact.ts';"]],
    good: [['hands/store/sqlite/a.ts', "import { misfit } from '../misfit.ts';"]],
  },
  {
    name: 'hands know of the engine nothing but its ports',
    find: ({ path, text }) =>
      each(path, text, ({ to }) =>
        path.startsWith('hands/') && to?.startsWith('engine/') && !to.startsWith('engine/ports/')
          ? `${to} is no port`
          : null,
      ),
    bad: [['hands/store/a.ts', "import { Engine } from '../../engine/engine.ts';"]],
    good: [
      [
        'hands/store/a.ts',
        "import { StoreError } from '../../engine/ports/store.ts';\nimport { x } from '../../mind/domain/values.ts';",
      ],
    ],
  },
  {
    name: 'only the place that opens the log names its store; everybody else uses the port',
    find: ({ path, text }) =>
      each(path, text, ({ to }) =>
        to !== null && /^hands\/store\//.test(to) && !/^(?:hands\/store\/|app\/open-store\.ts$)/.test(path)
          ? `${to} is behind a port`
          : null,
      ),
    bad: [
      ['faces/cli/a.ts', "import type { SqliteStore } from '../../hands/store/sqlite/store.ts';"],
      ['app/a.ts', "import { MemoryStore } from '../hands/store/memory/store.ts';"],
    ],
    good: [
      ['app/open-store.ts', "import { SqliteStore } from '../hands/store/sqlite/store.ts';"],
      ['faces/cli/a.ts', "import type { StoreFile } from '../../engine/ports/store.ts';"],
    ],
  },
  {
    name: 'os knows the kernel, and of the engine only the types of its ports',
    find: ({ path, text }) =>
      each(path, text, ({ to, typeOnly }) => {
        if (!path.startsWith('os/') || to === null || /^(kernel|os)\//.test(to)) return null;
        if (!to.startsWith('engine/ports/')) return `${to} is not for os`;
        return typeOnly ? null : `${to} for more than its types`;
      }),
    bad: [
      ['os/git/a.ts', "import { x } from '../../mind/domain/values.ts';"],
      ['os/git/a.ts', "import type { Engine } from '../../engine/engine.ts';"],
      ['os/git/a.ts', "import { type Owner, StoreError } from '../../engine/ports/store.ts';"],
    ],
    good: [
      [
        'os/git/a.ts',
        "import type { Owner } from '../../engine/ports/store.ts';\nimport { run } from '../process/run.ts';",
      ],
    ],
  },
  {
    name: 'kernel and mind import nothing of Node, but hashing in one file',
    find: ({ path, text }) =>
      each(path, text, ({ from }) => {
        const allowed = path === 'kernel/hash.ts' && from === 'node:crypto';
        return isPure(path) && isBuiltin(from) && !allowed ? `${from} is of the machine` : null;
      }),
    bad: [
      ['kernel/ids.ts', "import { randomBytes } from 'node:crypto';"],
      ['mind/a.ts', "import fs from 'fs';"],
      ['mind/a.ts', "const fs = process.getBuiltinModule('node:fs');"],
    ],
    good: [['kernel/hash.ts', "import { hash } from 'node:crypto';"]],
  },
  {
    name: 'kernel and mind have no clock, no chance, no process and no console',
    find: ({ path, text }) =>
      isPure(path) ? [...withoutStrings(text).matchAll(IMPURE)].map(([word]) => `uses ${word}`) : [],
    bad: [
      ...[
        'Date.now()',
        'new Date()',
        'new Date( )',
        'Math.random()',
        "process.env['A']",
        'console.log(1)',
        'performance.now()',
      ],
      ...[
        'setTimeout(f, 1)',
        'setInterval(f, 1)',
        'crypto.randomUUID()',
        'crypto.getRandomValues(a)',
        'globalThis.x',
        `\`\${Date.now()}\``,
      ],
    ].map((text) => ['mind/a.ts', `const a = () => ${text};`] as const),
    good: [
      [
        'mind/a.ts',
        "// Date.now()\nconst day = new Date(time).toISOString();\nconst text = 'console.log';\nconst processed = /process\\./;",
      ],
      ['os/a.ts', 'const now = Date.now();'],
    ],
  },
  {
    name: 'third-party libraries come in through their proxies',
    find: ({ path, text }) =>
      each(path, text, ({ from, to }) => {
        if (to !== null || isBuiltin(from)) return null;
        const library = from.split('/', from.startsWith('@') ? 2 : 1).join('/');
        return DOORS[library]?.test(path) ? null : `${library} does not come in here`;
      }),
    bad: [
      ['kernel/a.ts', "import * as v from 'valibot';"],
      ['engine/engine.ts', "import type { BaseSchema } from 'valibot';"],
      ['mind/fields/parse-file.ts', "import { parse } from 'yaml';"],
      ['app/a.ts', "import { lintSource } from '@secretlint/core';"],
      ['faces/cli/a.ts', "import chalk from 'chalk/deep';"],
    ],
    good: [
      ['mind/a/b.ts', "import * as v from 'valibot';"],
      ['hands/redact/a.ts', "import { lintSource } from '@secretlint/core';"],
    ],
  },
  {
    name: 'processes are started in one room, and the database is opened in one',
    find: ({ path, text }) =>
      each(path, text, ({ from }) => {
        const name = from.replace(/^node:/, '');
        return isBuiltin(from) && NODE_DOORS[name]?.test(path) === false ? `${from} does not come in here` : null;
      }),
    bad: [
      ['hands/workers/a.ts', "import { spawn } from 'node:child_process';"],
      ['app/a.ts', "import type { DatabaseSync } from 'node:sqlite';"],
      ['faces/cli/a.ts', "await import('child_process');"],
    ],
    good: [['os/process/run.ts', "import { spawn } from 'node:child_process';"]],
  },
  {
    name: 'the environment is read in one place',
    find: ({ path, text }) =>
      /^(app\/config[./]|faces\/cli\/entry\.ts$)/.test(path)
        ? []
        : [...withoutComments(text).matchAll(ENVIRONMENT)].map(([word]) => `reads ${word}`),
    bad: [
      ['app/open.ts', "const home = process.env['HOME'];"],
      ['os/a.ts', 'const { env } = process;'],
      ['os/a.ts', "const all = process['env'];"],
      ['hands/a/b.ts', "import { env } from 'node:process';"],
    ],
    good: [
      ['app/config/a.ts', "const home = process.env['HOME'];"],
      ['app/config.ts', 'const { env } = process;'],
      ['os/a.ts', '/** Not process.env. */\nconst environment = { env: {} };'],
    ],
  },
  {
    name: 'exports have names',
    find: ({ text }) =>
      [...withoutComments(text).matchAll(/\bexport\s+default\b|\bas\s+default\b/g)].map(([word]) => word),
    bad: [
      ['app/a.ts', 'export default function open() {}'],
      ['app/a.ts', "export { open as default } from './open.ts';"],
    ],
    good: [['app/a.ts', '// export default\nexport const fallback = { default: 1 };']],
  },
  {
    name: `files have at most ${MAX_LINES} lines`,
    find: ({ text }) => {
      const lines = text.replace(/\n$/, '').split('\n').length;
      return lines > MAX_LINES ? [`has ${lines} lines`] : [];
    },
    bad: [['app/a.ts', '\n'.repeat(MAX_LINES + 1)]],
    good: [['app/a.ts', '\n'.repeat(MAX_LINES)]],
  },
];

/** A rule about files together, those of tests and tools (`../test/…`) included; a sample is several files, by path. */
type JointRule = {
  readonly name: string;
  find(files: readonly Source[]): string[];
  readonly bad: readonly Readonly<Record<string, string>>[];
  readonly good: readonly Readonly<Record<string, string>>[];
};

const JOINT_RULES: readonly JointRule[] = [
  {
    name: 'rooms do not import each other in a circle',
    find: (files) => cyclesIn(importGraph(files.filter(isSource), roomOf)),
    bad: [
      {
        'mind/a/one.ts': "import { two } from '../b/two.ts';",
        'mind/b/two.ts': 'export const two = 2;',
        'mind/b/three.ts': "import type { Four } from '../a/four.ts';",
        'mind/a/four.ts': 'export type Four = 4;',
      },
      {
        'hands/a/one.ts': "import { two } from '../b/two.ts';",
        'hands/b/two.ts': "export { three } from '../c/deep/three.ts';",
        'hands/c/deep/three.ts': "export const three = () => import('../../a/one.ts');",
      },
      {
        // Files that lie directly on a floor are a room too.
        'app/open.ts': "import { files } from './config/files.ts';",
        'app/config/files.ts': "import type { Open } from '../open.ts';",
      },
    ],
    good: [
      {
        'mind/a/one.ts': "import { two } from '../b/two.ts';\nimport { four } from './deep/four.ts';",
        'mind/a/deep/four.ts': "import type { One } from '../one.ts';",
        'mind/b/two.ts': "import { c } from '../c/c.ts';\n// import '../a/one.ts'",
        'mind/c/c.ts': "import { sha256 } from '../../kernel/hash.ts';\nimport * as v from 'valibot';",
      },
    ],
  },
  {
    name: 'files do not import each other in a circle',
    find: (files) => cyclesIn(importGraph(files.filter(isSource), (path) => path)),
    bad: [
      { 'os/a.ts': "import { b } from './b.ts';", 'os/b.ts': "import type { A } from './a.ts';" },
      {
        'mind/x/a.ts': "import { b } from './b.ts';",
        'mind/x/b.ts': "import {\n  type C,\n  c,\n} from './c.ts';",
        'mind/x/c.ts': "export * from './a.ts';",
      },
      { 'faces/a.ts': "const load = () => import('./b.ts');", 'faces/b.ts': "import { a } from './a.ts';" },
    ],
    good: [
      {
        'os/a.ts': "import { b } from './b.ts';\nimport { c } from './c.ts';",
        'os/b.ts': "import { c } from './c.ts';",
        'os/c.ts': "export const text = 'not an import';",
      },
    ],
  },
  {
    name: 'what is exported is imported somewhere; else it is deleted, or loses its `export`',
    find: (files) => {
      const fromRoot = ({ path, text }: Source): Source => ({ path: join('src', path), text });
      const [own, others] = [files.filter(isSource), files.filter((file) => !isSource(file))];
      return unusedExports(own.map(fromRoot), others.map(fromRoot));
    },
    bad: [
      { 'os/a.ts': 'export const a = 1;' },
      { 'os/a.ts': 'export type A = 1;\nexport const one: A = 1;', 'os/b.ts': "import { one } from './a.ts';" },
      { 'os/a.ts': 'export async function* a() {}', 'os/b.ts': "import { a } from './other.ts';" },
      { 'os/a.ts': 'const a = 1;\nconst b = 2;\nexport { a, b as c };', 'os/b.ts': "import { a, b } from './a.ts';" },
      { 'os/a.ts': 'export class A {}', 'os/b.ts': "// import { A } from './a.ts';" },
      { 'os/a.ts': 'export const a = 1, b = a;', 'os/b.ts': "const { b } = await import('./a.ts');" },
      { 'os/a.ts': 'export const { a, b: c } = all;', 'os/b.ts': "import * as all from './a.ts';\nall.a();" },
    ],
    good: [
      { 'os/a.ts': 'export const a = 1;', 'os/b.ts': "import { type B, a as other } from './a.ts';" },
      { 'os/a.ts': 'export const a = 1;', '../test/os/a.test.ts': "import { a } from '../../src/os/a.ts';" },
      {
        'os/a.ts': 'export interface A {}',
        'os/b.ts': "export type { A } from './a.ts';\nimport { A } from './b.ts';",
      },
      { 'os/a.ts': 'export const a = 1;', 'os/b.ts': "const b = (await import('./a.ts')).a;" },
      { 'os/a.ts': 'export const a = 1;', 'os/b.ts': "const { a: b } = await import('./a.ts');" },
      // An import of the whole file may mean any of its exports.
      { 'os/a.ts': 'export const a = 1;', 'os/b.ts': "const load = () => import('./a.ts');" },
      { 'os/a.ts': 'export const a = 1;', 'os/b.ts': "import * as all from './a.ts';\nall.a();" },
      { 'os/a.ts': '// export const a = 1;\nconst b = 1;\nimport.meta.dirname;' },
    ],
  },
];

const IMPURE =
  /\b(?:Date\.now|Date\(\s*\)|Math\.random|process\.|console\.|performance\.|set(?:Timeout|Interval|Immediate)\b|crypto\.(?:random|getRandom)\w*|globalThis\b)/g;
const ENVIRONMENT =
  /\bprocess\.env\b|\bprocess\[\s*['"]env['"]|\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b|\{[^{}]*\benv\b[^{}]*\}\s*from\s*['"](?:node:)?process['"]/g;

const SRC = join(import.meta.dirname, '../src');
/** Files below a folder, with paths as seen from src. */
const filesIn = (folder: string): Source[] =>
  readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[cm]?[jt]s$/.test(path) && !path.includes('node_modules/'))
    .sort()
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(SRC, folder, path), 'utf8') }));
const sources = filesIn('.');
/** Samples of imports, which mean no file. */
const users = ['../test', '../bench', '../tools']
  .flatMap(filesIn)
  .filter(({ path }) => path !== '../test/architecture.test.ts');

describe.each(RULES)('$name', ({ find, bad, good }) => {
  test('everywhere in src', () => {
    expect(sources.flatMap((source) => find(source).map((problem) => `src/${source.path}: ${problem}`))).toEqual([]);
  });

  test.each(bad)('or it is found: %s %j', (path, text) => {
    expect(find({ path, text })).not.toEqual([]);
  });

  test.each(good)('and nothing else is: %s %j', (path, text) => {
    expect(find({ path, text })).toEqual([]);
  });
});

describe.each(JOINT_RULES)('$name', ({ find, bad, good }) => {
  const sourcesOf = (sample: Readonly<Record<string, string>>) =>
    Object.entries(sample).map(([path, text]): Source => ({ path, text }));

  test('everywhere in src', () => {
    expect(find([...sources, ...users])).toEqual([]);
  });

  test.each(bad)('or it is found: %j', (sample) => {
    expect(find(sourcesOf(sample))).not.toEqual([]);
  });

  test.each(good)('and nothing else is: %j', (sample) => {
    expect(find(sourcesOf(sample))).toEqual([]);
  });
});

test('there is something to read', () => {
  expect(sources.length).toBeGreaterThan(40);
  const all = sources.flatMap(({ text }) => importsOf(text));
  expect(all.length).toBeGreaterThan(100);
});

function each(
  path: string,
  text: string,
  judge: (one: Import & { readonly to: string | null }) => string | null,
): string[] {
  return importsOf(text).flatMap(
    (one) =>
      judge({ ...one, to: one.from.startsWith('.') ? relative('.', join(dirname(path), one.from)) : null }) ?? [],
  );
}

/** The first folder below a floor; files that lie directly on a floor are a room too. */
const roomOf = (path: string): string =>
  path
    .split('/')
    .slice(0, path.split('/').length > 2 ? 2 : 1)
    .join('/');
const isSource = ({ path }: Source): boolean => !path.startsWith('../');
const floorOf = (path: string): number => FLOORS.indexOf(path.split('/')[0] ?? '');
const isPure = (path: string): boolean => path.startsWith('kernel/') || path.startsWith('mind/');
