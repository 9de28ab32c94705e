/** What every CLI's recorded runs have to show, whatever its events look like. */
import { describe, expect, test } from 'vitest';
import type { CliFailure, CliRequest, CliResult } from '../../src/mind/workers/adapter.ts';
import { ADAPTERS } from '../../src/mind/workers/adapters/index.ts';
import { goldenOf, told } from './golden.ts';

/** What a case must be taken for: written by hand, since what is stored beside a run was made by the parser itself. */
export type Expected = Readonly<Record<string, readonly [CliResult['claims'], CliFailure['class'] | null]>>;

/** `last`: the name of the event that says how it ended. */
export function replays(cli: string, expected: Expected, last: string): void {
  const runs = goldenOf(cli);
  const isLast = (line: string) => line.startsWith(`{"type":"${last}"`);

  describe(`recorded runs of ${cli}`, () => {
    test('are all here', () => {
      expect(runs.map(({ name }) => name).sort()).toEqual(Object.keys(expected).sort());
    });

    test.each(runs)('$name', ({ name, stdout, stderr, ended, told: before }) => {
      const now = told(cli, [stdout], stderr, ended);
      expect([now.claims, now.failure?.class ?? null]).toEqual(expected[name]);
      expect(now).toEqual(before);
    });

    test.each(runs)('$name says the same in small pieces', ({ stdout, stderr, ended, told: before }) => {
      const pieces = stdout.length < 50_000 ? [...stdout] : (stdout.match(/[\s\S]{1,97}/gu) ?? []);
      expect(told(cli, pieces, stderr, ended)).toEqual(before);
    });

    const good = runs.filter((run) => run.told.claims === 'success');
    test.each(good)('$name is no success before its last word', ({ stdout, ended }) => {
      const lines = stdout.split('\n');
      const end = lines.findLastIndex(isLast);
      expect(end).toBeGreaterThan(0);
      const exit = { how: 'exit', code: 0 } as const;
      for (let upTo = 0; upTo <= end; upTo += 1) {
        const half = lines[upTo]?.slice(0, -2) ?? '';
        const cut = [...lines.slice(0, upTo), half].join('\n');
        expect(told(cli, [cut], '', { ...ended, exit }).claims, `after ${upTo} lines`).toBe('nothing');
      }
    });

    /** Told to use only what reads, it is asked to write: the server names what it was offered. */
    const offered = /offered: ([\w, ]+)\)/.exec(
      runs.find(({ name }) => name === 'only-read')?.told.failure?.reason ?? '',
    );
    const restricted = () => {
      const names = offered?.[1]?.split(', ') ?? [];
      expect(names.length).toBeGreaterThan(2);
      expect(names.filter((name) => /write|edit|create|patch|replace|bash|shell|run|task|agent/.test(name))).toEqual(
        [],
      );
    };
    if ('only-read' in expected) test('only-read offers the model nothing that writes or runs', restricted);

    test('name no place of the machine they were recorded on', () => {
      for (const { stdout, stderr, args } of runs) {
        expect(`${stdout}${stderr}${args.join(' ')}`).not.toMatch(
          /(?<!recording)\/(?:work|root|Users|home)\/|\/tmp\/(?!recording)/,
        );
      }
    });
  });
}

/** An ask that wants nothing special. */
export const askWith = (more: Partial<CliRequest> = {}): CliRequest => ({
  packet: 'Write hello.txt.\n',
  id: '11111111-2222-4333-8444-555555555555',
  kind: 'change',
  ...{ model: null, effort: null, system: null, tools: null, schema: null, session: null },
  ...{ endpoint: null, proxy: null, command: [] },
  ...{ configDir: '/config', tempDir: '/temp', cwd: '/workspace' },
  ...more,
});

/** The call, or the reason why there is none. */
export function called(cli: string, more: Partial<CliRequest> = {}) {
  const call = ADAPTERS[cli]?.call(askWith(more));
  if (call?.type !== 'call') throw new Error(call?.message ?? `no adapter is called ${cli}`);
  return call;
}

export function refused(cli: string, more: Partial<CliRequest>): string {
  const call = ADAPTERS[cli]?.call(askWith(more));
  return call?.type === 'refused' ? call.message : 'it was not refused';
}

/** One of the files that it wants, as JSON. */
export function fileOf(cli: string, path: string, more: Partial<CliRequest> = {}): unknown {
  const file = called(cli, more).files.find((one) => one.path === path);
  return file === undefined ? null : JSON.parse(file.text);
}
