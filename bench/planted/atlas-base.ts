/** Two packages in TypeScript, with the tests beside the sources (`*.spec.ts`), tested by vitest. */
import type { Tree } from './planted.ts';

export const OLD_QUEUE = `export class JobQueue {
  private waiting: (() => Promise<void>)[] = [];
  private running = 0;

  constructor(private readonly limit: number) {}

  add(job: () => Promise<void>): void {
    this.waiting.push(job);
    this.next();
  }

  private next(): void {
    if (this.running >= this.limit) return;
    const job = this.waiting.shift();
    if (!job) return;
    this.running++;
    job().then(() => {
      this.running--;
      this.next();
    });
  }
}
`;
const QUEUE = `/** Runs at most \`limit\` jobs at a time; a job that fails does not stop the others. */
export class JobQueue {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    if (limit < 1) throw new RangeError('limit must be at least 1');
    this.#limit = limit;
  }

  get size(): number {
    return this.#running + this.#waiting.length;
  }

  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((go) => this.#waiting.push(go));
    this.#running += 1;
    try {
      return await job();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }
}
`;

export const ATLAS: readonly Tree[] = [
  {
    'package.json': `{
  "name": "atlas",
  "private": true,
  "type": "module",
  "workspaces": ["packages/*"],
  "scripts": {
    "test": "vitest run --configLoader runner",
    "types": "tsc --noEmit",
    "lint": "eslint ."
  },
  "devDependencies": {
    "typescript": "~5.8.0",
    "vitest": "*"
  }
}
`,
    'packages/core/package.json':
      '{\n  "name": "@atlas/core",\n  "version": "1.7.0",\n  "license": "Apache-2.0",\n  "type": "module",\n  "exports": "./src/index.ts",\n  "dependencies": {}\n}\n',
    'packages/cli/package.json':
      '{\n  "name": "@atlas/cli",\n  "version": "1.7.0",\n  "license": "Apache-2.0",\n  "type": "module",\n  "bin": { "atlas": "src/main.ts" },\n  "dependencies": { "@atlas/core": "1.7.0" }\n}\n',
    'tsconfig.json':
      '{\n  "compilerOptions": { "strict": true, "noUncheckedIndexedAccess": true, "target": "es2023", "module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true },\n  "include": ["packages"]\n}\n',
    'eslint.config.js':
      "export default [{ files: ['**/*.ts'], rules: { 'no-empty': 'error', 'no-eval': 'error', eqeqeq: 'error' } }];\n",
    'vitest.config.ts':
      "import { defineConfig } from 'vitest/config';\n\nexport default defineConfig({ test: { include: ['packages/**/*.spec.ts'], coverage: { thresholds: { lines: 80 } } } });\n",
    '.gitignore': 'node_modules\ndist\ncoverage\n',
    LICENSE: 'Apache License\nVersion 2.0, January 2004\n',
    'README.md':
      '# atlas\n\nTiles, distances and routes. `packages/core` is the library, `packages/cli` the program.\n',
    'packages/core/src/index.ts': `export { distance, type Point } from './distance.ts';
export { JobQueue } from './job-queue.ts';
export { fetchTile, TileError } from './tiles.ts';
export { parseTrack } from './track.ts';
`,
    'packages/core/src/distance.ts': `// Copyright 2023 The atlas authors. Licensed under the Apache License, Version 2.0.
export type Point = { readonly lat: number; readonly lon: number };

const EARTH_RADIUS = 6_371_000;

/** Metres between two points, along a great circle. */
export function distance(from: Point, to: Point): number {
  const dLat = radians(to.lat - from.lat);
  const dLon = radians(to.lon - from.lon);
  const a =
    Math.sin(dLat / 2) ** 2 + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * Math.sin(dLon / 2) ** 2;
  return 2 * EARTH_RADIUS * Math.asin(Math.sqrt(a));
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
`,
    'packages/core/src/job-queue.ts': OLD_QUEUE,
    'packages/core/src/tiles.ts': `export class TileError extends Error {
  readonly status: number;

  constructor(url: string, status: number) {
    super(\`\${url}: status \${status}\`);
    this.status = status;
  }
}

type Fetch = (url: string, init?: { signal?: AbortSignal }) => Promise<{ ok: boolean; status: number; arrayBuffer(): Promise<ArrayBuffer> }>;

/** One tile as bytes. */
export async function fetchTile(
  url: string,
  { fetch = globalThis.fetch as Fetch, timeout = 5000 }: { fetch?: Fetch; timeout?: number } = {},
): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeout) });
  if (!response.ok) throw new TileError(url, response.status);
  return new Uint8Array(await response.arrayBuffer());
}
`,
    'packages/core/src/track.ts': `import type { Point } from './distance.ts';

/** Reads lines of "lat,lon"; lines that begin with # are comments. */
export function parseTrack(text: string): Point[] {
  const points: Point[] = [];
  for (const [n, line] of text.split('\\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [lat, lon] = line.split(',').map(Number);
    if (lat === undefined || lon === undefined || Number.isNaN(lat) || Number.isNaN(lon))
      throw new SyntaxError(\`line \${n + 1}: no point\`);
    points.push({ lat, lon });
  }
  return points;
}
`,
    'packages/core/src/distance.spec.ts': `import { describe, expect, it } from 'vitest';
import { distance } from './distance.ts';

const BERLIN = { lat: 52.52, lon: 13.405 };
const PARIS = { lat: 48.8566, lon: 2.3522 };

describe('distance', () => {
  it('is zero from a point to itself', () => {
    expect(distance(BERLIN, BERLIN)).toBe(0);
  });

  it('is the same in both directions', () => {
    expect(distance(BERLIN, PARIS)).toBe(distance(PARIS, BERLIN));
  });

  it('knows the way from Berlin to Paris', () => {
    expect(distance(BERLIN, PARIS)).toBeCloseTo(877_463, -3);
  });
});
`,
    'packages/core/src/tiles.spec.ts': `import { expect, it, vi } from 'vitest';
import { fetchTile, TileError } from './tiles.ts';

const answer = (status: number) => ({
  ok: status === 200,
  status,
  arrayBuffer: async () => new Uint8Array([1, 2]).buffer,
});

it('gives the bytes', async () => {
  const fetch = vi.fn(async () => answer(200));
  expect(await fetchTile('/1/2/3.png', { fetch })).toEqual(new Uint8Array([1, 2]));
  expect(fetch).toHaveBeenCalledTimes(1);
});

it('throws for a missing tile', async () => {
  const fetch = async () => answer(404);
  await expect(fetchTile('/1/2/3.png', { fetch })).rejects.toThrow(TileError);
});
`,
    'packages/core/src/track.spec.ts': `import { describe, expect, test } from 'vitest';
import { parseTrack } from './track.ts';

describe('parseTrack', () => {
  test.each([
    ['', []],
    ['1,2', [{ lat: 1, lon: 2 }]],
    ['# way\\n1,2\\n3.5,4', [{ lat: 1, lon: 2 }, { lat: 3.5, lon: 4 }]],
  ])('reads %j', (text, points) => {
    expect(parseTrack(text)).toEqual(points);
  });

  test('tells the line of a mistake', () => {
    expect(() => parseTrack('1,2\\nhere')).toThrow('line 2: no point');
  });
});
`,
    'packages/cli/src/main.ts': `#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { lengthOf } from './length.ts';

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('usage: atlas FILE');
  process.exitCode = 2;
} else console.log(\`\${lengthOf(readFileSync(file, 'utf8'))} m\`);
`,
    'packages/cli/src/length.ts': `import { distance } from '../../core/src/distance.ts';
import { parseTrack } from '../../core/src/track.ts';

/** Metres along a track, rounded. */
export function lengthOf(text: string): number {
  const points = parseTrack(text);
  let sum = 0;
  for (const [n, point] of points.entries()) {
    const before = points[n - 1];
    if (before !== undefined) sum += distance(before, point);
  }
  return Math.round(sum);
}
`,
    'packages/cli/src/length.spec.ts': `import { expect, it } from 'vitest';
import { lengthOf } from './length.ts';

it('adds the parts of a track', () => {
  expect(lengthOf('0,0\\n0,1\\n0,2')).toBe(222_390);
});

it('is zero for one point', () => {
  expect(lengthOf('5,5')).toBe(0);
});
`,
  },
  {
    'packages/core/src/job-queue.ts': QUEUE,
    'packages/core/src/job-queue.spec.ts': `import { expect, it } from 'vitest';
import { JobQueue } from './job-queue.ts';

it('gives the value of a job', async () => {
  expect(await new JobQueue(1).run(async () => 7)).toBe(7);
});

it('runs no more than the limit', async () => {
  const queue = new JobQueue(2);
  let now = 0;
  let most = 0;
  const job = async () => {
    now += 1;
    most = Math.max(most, now);
    await Promise.resolve();
    now -= 1;
  };
  await Promise.all([queue.run(job), queue.run(job), queue.run(job), queue.run(job)]);
  expect(most).toBe(2);
  expect(queue.size).toBe(0);
});

it('goes on after a failure', async () => {
  const queue = new JobQueue(1);
  await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await queue.run(async () => 1)).toBe(1);
});

it('refuses a limit of zero', () => {
  expect(() => new JobQueue(0)).toThrow(RangeError);
});
`,
  },
];
