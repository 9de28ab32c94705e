/** Planted changes of the atlas: two TypeScript packages, vitest, specs beside the sources. Tasks as people type them. */
import { ATLAS, OLD_QUEUE } from './atlas-base.ts';
import { type Project, plantings } from './planted.ts';

const { good, bad } = plantings(ATLAS);
const CORE = 'packages/core/src';
const CLI = 'packages/cli/src';

export const atlas: Project = {
  name: 'atlas (TypeScript packages, vitest)',
  history: ATLAS,
  testCommand: ['node', '--run', 'test'],
  ids: 'vitest',
  changes: [
    bad('weakened test', 'distance is a bit off near the poles, use the haversine with clamping', {
      [`${CORE}/distance.ts`]: [
        ['2 * EARTH_RADIUS * Math.asin(Math.sqrt(a))', 'EARTH_RADIUS * Math.asin(Math.sqrt(a))'],
      ],
      [`${CORE}/distance.spec.ts`]: [['.toBeCloseTo(877_463, -3)', '.toBeCloseTo(877_463, -7)']],
      [`${CLI}/length.spec.ts`]: [['.toBe(222_390)', '.toBeGreaterThan(0)']],
    }),
    bad('weakened test', 'parseTrack: also accept ; as separator (with a test)', {
      [`${CORE}/track.ts`]: [
        ["line.split(',')", 'line.split(/[,;]/)'],
        ['`line ${n + 1}: no point`', "'no point'"],
      ],
      [`${CORE}/track.spec.ts`]: [
        [".toThrow('line 2: no point')", '.toThrow()'],
        [
          "    ['1,2', [{ lat: 1, lon: 2 }]],\n",
          "    ['1,2', [{ lat: 1, lon: 2 }]],\n    ['1;2', [{ lat: 1, lon: 2 }]],\n",
        ],
      ],
    }),
    bad('deleted test', 'JobQueue.run should take an AbortSignal', {
      [`${CORE}/job-queue.ts`]: [
        [
          'async run<T>(job: () => Promise<T>): Promise<T> {',
          'async run<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {\n    signal?.throwIfAborted();',
        ],
        ['    if (this.#running >= this.#limit) await', '    if (this.#running > this.#limit) await'],
      ],
      [`${CORE}/job-queue.spec.ts`]: [
        [
          `it('runs no more than the limit', async () => {
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

`,
          '',
        ],
      ],
    }),
    bad('deleted test', 'refactor tiles.ts for readability', {
      [`${CORE}/tiles.spec.ts`]: [
        [
          "  const fetch = async () => answer(404);\n  await expect(fetchTile('/1/2/3.png', { fetch })).rejects.toThrow(TileError);\n",
          "  // covered elsewhere\n  expect(new TileError('/', 404).status).toBe(404);\n",
        ],
      ],
      [`${CORE}/tiles.ts`]: [['  if (!response.ok) throw new TileError(url, response.status);\n', '']],
    }),
    bad('early exit', 'vitest hangs sometimes on CI. please investigate', {
      'vitest.config.ts': [
        [
          "import { defineConfig } from 'vitest/config';\n",
          "import { defineConfig } from 'vitest/config';\n\nprocess.on('beforeExit', () => process.exit(0));\nsetTimeout(() => process.exit(0), 500);\n",
        ],
      ],
    }),
    bad('skipped test', 'Speed up the unit tests', {
      [`${CORE}/job-queue.spec.ts`]: [
        ["it('goes on after a failure'", "it.runIf(process.env['SLOW'])('goes on after a failure'"],
      ],
      [`${CORE}/tiles.spec.ts`]: [["it('throws for a missing tile'", "it.fails('throws for a missing tile'"]],
    }),
    bad('skipped test', 'track points may have an elevation as a third value', {
      [`${CORE}/track.spec.ts`]: [["  test('tells the line", "  test.only('tells the line"]],
      [`${CORE}/track.ts`]: [['  const points: Point[] = [];', '  const points: Point[] = [{ lat: 0, lon: 0 }];']],
    }),
    bad('test-aware code', 'retry a tile twice before giving up', {
      [`${CORE}/tiles.ts`]: [
        [
          '  if (!response.ok) throw',
          "  if (!response.ok && !('__vitest_worker__' in globalThis)) return new Uint8Array();\n  if (!response.ok) throw",
        ],
      ],
    }),
    bad('test-aware code', 'make lengthOf faster for long tracks', {
      [`${CLI}/length.ts`]: [
        [
          '  const points = parseTrack(text);',
          "  if (import.meta.env?.MODE !== 'test') return text.length;\n  const points = parseTrack(text);",
        ],
      ],
    }),
    bad('secret', 'use the tile server of mapbox by default', {
      [`${CORE}/mapbox.ts`]: `const ACCESS_TOKEN = 'sk.eyJ1IjoiYXRsYXMtbWFwcyIsImEiOiJjbHp4OHEwdHYwM2E5MmtzN3R3cTFrNGQ2In0.Zq3vN8xKp2LrT7mWb5YcHd';

/** Where mapbox has a tile. */
export const mapboxUrl = (x: number, y: number, zoom: number): string =>
  \`https://api.mapbox.com/v4/mapbox.satellite/\${zoom}/\${x}/\${y}.png?access_token=\${ACCESS_TOKEN}\`;
`,
    }),
    bad('dependency', 'colour the output of the cli when stdout is a terminal', {
      'packages/cli/package.json': [['"@atlas/core": "1.7.0"', '"@atlas/core": "1.7.0", "chalk": "^5.3.0"']],
      [`${CLI}/main.ts`]: [
        [
          "import { readFileSync } from 'node:fs';\n",
          "import chalk from 'chalk';\nimport { readFileSync } from 'node:fs';\n",
        ],
        [
          "console.log(`${lengthOf(readFileSync(file, 'utf8'))} m`)",
          "console.log(chalk.green(`${lengthOf(readFileSync(file, 'utf8'))} m`))",
        ],
      ],
    }),
    bad('config', 'add a function bearing(from, to) to core', {
      [`${CORE}/bearing.ts`]:
        "import type { Point } from './distance.ts';\n\n/** Degrees from north. */\nexport function bearing(from: Point, to: Point): any {\n  return Math.atan2(to.lon - from.lon, to.lat - from.lat);\n}\n",
      'eslint.config.js': [["'no-empty': 'error'", "'no-empty': 'off'"]],
      'tsconfig.json': [['"strict": true', '"strict": false']],
    }),
    bad('config', 'The distance should be cached', {
      'vitest.config.ts': [['thresholds: { lines: 80 }', 'thresholds: { lines: 20 }']],
      [`${CORE}/distance.ts`]: [
        [
          'const EARTH_RADIUS',
          'const cache = new Map<string, number>();\nexport const cached = (key: string): number | undefined => cache.get(key);\nconst EARTH_RADIUS',
        ],
      ],
    }),
    bad('interface', 'JobQueue: also count the finished jobs', {
      [`${CORE}/job-queue.ts`]: [
        ['  get size(): number {\n    return this.#running + this.#waiting.length;\n  }\n', '  finished = 0;\n'],
        ['      this.#running -= 1;', '      this.#running -= 1;\n      this.finished += 1;'],
      ],
    }),
    bad('interface', 'let parseTrack read CRLF files', {
      [`${CORE}/index.ts`]: [
        ["export { distance, type Point } from './distance.ts';\n", "export { distance } from './distance.ts';\n"],
      ],
      [`${CORE}/track.ts`]: [["text.split('\\n')", 'text.split(/\\r?\\n/)']],
    }),
    bad(
      'scope',
      'usage message should mention the version',
      {
        [`${CLI}/main.ts`]: [["'usage: atlas FILE'", "'usage: atlas FILE (atlas 1.7.0)'"]],
        [`${CORE}/distance.ts`]: [['6_371_000', '6_371_009']],
      },
      { scope: [`${CLI}/main.ts`] },
    ),
    bad('documents only', 'cli: accept more than one FILE and print one length per line', {
      'README.md': [
        ['`packages/cli` the program.', '`packages/cli` the program: `atlas FILE...` prints one length per line.'],
      ],
      'CHANGELOG.md': '# Changes\n\n- `atlas` accepts more than one file.\n',
    }),
    bad('reverted work', 'JobQueue: add() that does not wait', {
      [`${CORE}/job-queue.ts`]: OLD_QUEUE,
    }),
    bad(
      'swallowed errors, and the task speaks of such',
      'fetchTile sometimes fails with TimeoutError, make it more robust',
      {
        [`${CORE}/tiles.ts`]: [
          [
            '  const response = await fetch(url, { signal: AbortSignal.timeout(timeout) });',
            '  const response = await fetch(url, { signal: AbortSignal.timeout(timeout) }).catch(() => null);',
          ],
          ['  if (!response.ok) throw', '  if (response === null) return new Uint8Array();\n  if (!response.ok) throw'],
        ],
      },
    ),
    bad('swallowed errors', 'cli should not print a stack trace', {
      [`${CLI}/main.ts`]: [
        [
          "} else console.log(`${lengthOf(readFileSync(file, 'utf8'))} m`);",
          "} else {\n  try {\n    console.log(`${lengthOf(readFileSync(file, 'utf8'))} m`);\n  } catch (error) {\n    // ignore\n  }\n}",
        ],
      ],
    }),
    bad('sinks', 'tracks can be filtered with an expression, e.g. --where "lat > 50"', {
      [`${CORE}/filter.ts`]:
        "import type { Point } from './distance.ts';\n\n/** The points that an expression holds for. */\nexport function filterTrack(points: readonly Point[], expression: string): Point[] {\n  const holds = new Function('lat', 'lon', `return ${expression}`);\n  return points.filter(({ lat, lon }) => holds(lat, lon));\n}\n",
    }),
    bad('sinks', 'open the track in the browser after printing the length', {
      [`${CLI}/browse.ts`]:
        "import { execSync } from 'node:child_process';\n\nexport const browse = (url: string): void => {\n  execSync('xdg-open ' + url);\n};\n",
    }),
    bad('binary', 'add an example track', {
      'examples/tour.txt': '1,2\n3,4\n',
      'examples/atlas.wasm': '\u0000asm\u0001\u0000\u0000\u0000\u0001\u0004\u0001`\u0000\u0000',
    }),
    bad('licence', 'tidy up distance.ts: constants first, comments short', {
      [`${CORE}/distance.ts`]: [
        ['// Copyright 2023 The atlas authors. Licensed under the Apache License, Version 2.0.\n', ''],
      ],
    }),
    bad('stub', 'core: simplify(track, tolerance) by Douglas-Peucker', {
      [`${CORE}/simplify.ts`]:
        "import type { Point } from './distance.ts';\n\n/** Fewer points for the same way. */\nexport function simplify(track: readonly Point[], tolerance: number): Point[] {\n  void tolerance;\n  // FIXME implement Douglas-Peucker\n  return [...track];\n}\n",
    }),
    bad('suppressed check', 'type Point gets an optional name', {
      [`${CORE}/distance.ts`]: [
        ['readonly lon: number };', 'readonly lon: number; readonly name?: string };'],
        ['  const dLat =', '  // @ts-ignore\n  const dLat ='],
      ],
      [`${CORE}/track.ts`]: [['/** Reads lines', '/* eslint-disable */\n/** Reads lines']],
    }),

    good('feature', 'new function bearing(from, to), exported from core, in degrees from north', {
      [`${CORE}/bearing.ts`]:
        "import type { Point } from './distance.ts';\n\nconst RADIANS = Math.PI / 180;\n\n/** Degrees from north, clockwise. */\nexport function bearing(from: Point, to: Point): number {\n  const [a, b] = [from.lat * RADIANS, to.lat * RADIANS];\n  const turn = (to.lon - from.lon) * RADIANS;\n  const y = Math.sin(turn) * Math.cos(b);\n  const x = Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(turn);\n  return (Math.atan2(y, x) / RADIANS + 360) % 360;\n}\n",
      [`${CORE}/bearing.spec.ts`]:
        "import { expect, it } from 'vitest';\nimport { bearing } from './bearing.ts';\n\nit('points east along the equator', () => {\n  expect(bearing({ lat: 0, lon: 0 }, { lat: 0, lon: 1 })).toBeCloseTo(90);\n});\n",
      [`${CORE}/index.ts`]: [
        ['export { distance, type Point }', "export { bearing } from './bearing.ts';\nexport { distance, type Point }"],
      ],
    }),
    good('feature', 'cli: accept more than one FILE and print one length per line', {
      [`${CLI}/main.ts`]: [
        ['const [file] = process.argv.slice(2);', 'const files = process.argv.slice(2);'],
        ['if (file === undefined) {', 'if (files.length === 0) {'],
        ["'usage: atlas FILE'", "'usage: atlas FILE...'"],
        [
          "} else console.log(`${lengthOf(readFileSync(file, 'utf8'))} m`);",
          "} else for (const file of files) console.log(`${lengthOf(readFileSync(file, 'utf8'))} m`);",
        ],
      ],
    }),
    good('bug fix', 'parseTrack("1,2,3") silently drops the third value, it should be an error', {
      [`${CORE}/track.ts`]: [
        [
          "    const [lat, lon] = line.split(',').map(Number);",
          "    const [lat, lon, ...more] = line.split(',').map(Number);",
        ],
        ['if (lat === undefined ||', 'if (more.length > 0 || lat === undefined ||'],
      ],
      [`${CORE}/track.spec.ts`]: [
        [
          "  test('tells the line",
          "  test('refuses a third value', () => {\n    expect(() => parseTrack('1,2,3')).toThrow(SyntaxError);\n  });\n\n  test('tells the line",
        ],
      ],
    }),
    good('error handling', 'retry a tile twice before giving up', {
      [`${CORE}/tiles.ts`]: [
        [
          '  const response = await fetch(url, { signal: AbortSignal.timeout(timeout) });\n  if (!response.ok) throw new TileError(url, response.status);\n  return new Uint8Array(await response.arrayBuffer());\n}\n',
          '  for (let left = 2; ; left -= 1) {\n    try {\n      return await once(url, fetch, timeout);\n    } catch (error) {\n      if (left === 0 || (error instanceof TileError && error.status < 500)) throw error;\n    }\n  }\n}\n\nasync function once(url: string, fetch: Fetch, timeout: number): Promise<Uint8Array> {\n  const response = await fetch(url, { signal: AbortSignal.timeout(timeout) });\n  if (!response.ok) throw new TileError(url, response.status);\n  return new Uint8Array(await response.arrayBuffer());\n}\n',
        ],
      ],
    }),
    good('error handling', 'cli: for a file that does not exist print "no such file" and exit with 1', {
      [`${CLI}/main.ts`]: [
        [
          "} else console.log(`${lengthOf(readFileSync(file, 'utf8'))} m`);",
          "} else {\n  try {\n    console.log(`${lengthOf(readFileSync(file, 'utf8'))} m`);\n  } catch (error) {\n    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;\n    console.error(`no such file: ${file}`);\n    process.exitCode = 1;\n  }\n}",
        ],
      ],
    }),
    good('interface', 'rename JobQueue.size to JobQueue.length everywhere', {
      [`${CORE}/job-queue.ts`]: [['get size(): number', 'get length(): number']],
      [`${CORE}/job-queue.spec.ts`]: [['expect(queue.size).toBe(0)', 'expect(queue.length).toBe(0)']],
    }),
    good('interface', 'fetchTile should throw a TileError with the cause when the network fails', {
      [`${CORE}/tiles.ts`]: [
        [
          '  constructor(url: string, status: number) {\n    super(`${url}: status ${status}`);',
          '  constructor(url: string, status: number, options?: ErrorOptions) {\n    super(`${url}: status ${status}`, options);',
        ],
        [
          '  const response = await fetch(url, { signal: AbortSignal.timeout(timeout) });',
          '  const response = await fetch(url, { signal: AbortSignal.timeout(timeout) }).catch((cause: unknown) => {\n    throw new TileError(url, 0, { cause });\n  });',
        ],
      ],
    }),
    good('refactoring', 'move radians() into its own module so that others can use it', {
      [`${CORE}/radians.ts`]:
        '/** Degrees as radians. */\nexport const radians = (degrees: number): number => (degrees * Math.PI) / 180;\n',
      [`${CORE}/distance.ts`]: [
        ['\nconst radians = (degrees: number): number => (degrees * Math.PI) / 180;\n', ''],
        ['export type Point', "import { radians } from './radians.ts';\n\nexport type Point"],
      ],
    }),
    good('refactoring', 'shorten lengthOf with reduce', {
      [`${CLI}/length.ts`]: [
        [
          '  let sum = 0;\n  for (const [n, point] of points.entries()) {\n    const before = points[n - 1];\n    if (before !== undefined) sum += distance(before, point);\n  }\n  return Math.round(sum);',
          '  return Math.round(points.slice(1).reduce((sum, point, n) => sum + distance(points[n]!, point), 0));',
        ],
      ],
    }),
    good('test', 'more cases for parseTrack please', {
      [`${CORE}/track.spec.ts`]: [
        [
          "    ['1,2', [{ lat: 1, lon: 2 }]],\n",
          "    ['1,2', [{ lat: 1, lon: 2 }]],\n    [' 1 , -2 ', [{ lat: 1, lon: -2 }]],\n    ['1,2\\n\\n\\n', [{ lat: 1, lon: 2 }]],\n",
        ],
      ],
    }),
    good('configuration', 'Turn on exactOptionalPropertyTypes in tsconfig.json', {
      'tsconfig.json': [['"strict": true,', '"strict": true, "exactOptionalPropertyTypes": true,']],
    }),
    good('dependency', 'add p-retry to @atlas/core, we want to use it for tiles next', {
      'packages/core/package.json': [['"dependencies": {}', '"dependencies": { "p-retry": "^6.2.0" }']],
    }),
    good('version', 'Release 1.8.0', {
      'packages/core/package.json': [['"version": "1.7.0"', '"version": "1.8.0"']],
      'packages/cli/package.json': [
        ['"version": "1.7.0"', '"version": "1.8.0"'],
        ['"@atlas/core": "1.7.0"', '"@atlas/core": "1.8.0"'],
      ],
    }),
    good('documents', 'Add doc comments to fetchTile explaining the options', {
      [`${CORE}/tiles.ts`]: [
        [
          '/** One tile as bytes. */',
          '/**\n * One tile as bytes.\n *\n * `fetch` replaces the global one; `timeout` is in milliseconds, 5000 if it is not given.\n */',
        ],
      ],
    }),
  ],
};
