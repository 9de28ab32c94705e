/** Recorded runs of real CLIs: what they printed, how they ended, and what we make of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliExit, CliResult } from '../../src/mind/workers/adapter.ts';
import { ADAPTERS } from '../../src/mind/workers/adapters/index.ts';

export const GOLDEN = join(import.meta.dirname, 'golden');

/** The file beside the output. */
export type Meta = {
  /** What `--version` printed. */
  readonly version: string;
  readonly args: readonly string[];
  readonly ended: CliExit;
  readonly stderr: string;
  readonly told: CliResult;
};
export type Golden = Meta & { readonly cli: string; readonly name: string; readonly stdout: string };

export const goldenOf = (cli: string): readonly Golden[] => {
  const dir = join(GOLDEN, cli);
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((file) => file.endsWith('.json'))
    .map((file) => {
      const name = file.slice(0, -'.json'.length);
      const meta = JSON.parse(readFileSync(join(dir, file), 'utf8')) as Meta;
      return { ...meta, cli, name, stdout: readFileSync(join(dir, `${name}.jsonl`), 'utf8') };
    });
};

export const allGolden = (): readonly Golden[] => Object.keys(ADAPTERS).flatMap(goldenOf);

/** In pieces, as a pipe would bring it. */
export function told(cli: string, stdout: Iterable<string>, stderr: string, ended: CliExit): CliResult {
  const adapter = ADAPTERS[cli];
  if (adapter === undefined) throw new Error(`no adapter is called ${cli}`);
  const listener = adapter.listen();
  for (const piece of stdout) listener.add('stdout', piece);
  if (stderr !== '') listener.add('stderr', stderr);
  return listener.end(ended);
}
