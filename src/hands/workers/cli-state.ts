/** Whether a built-in CLI could work here: its program, and its network access. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mount } from '../../engine/ports/sandbox.ts';
import type { Adapter } from '../../mind/workers/adapter.ts';
import { type AdapterCli, adapterOf } from '../../mind/workers/cli-config.ts';
import { type ModelAccess, wayOut } from '../../mind/workers/model-access.ts';
import { askOf } from './ask.ts';
import { type LoginFile, loginFiles } from './login.ts';
import { npmInstall } from './npm-install.ts';
import type { WorkerOptions } from './options.ts';

export type CliState =
  | {
      readonly type: 'ready';
      readonly adapter: Adapter;
      readonly program: Program;
      readonly way: Exclude<ModelAccess, { type: 'none' }>;
      /** Copies for the sandbox; none if a key is used. */
      readonly files: readonly LoginFile[];
    }
  | {
      readonly type: 'refused';
      readonly class: 'blocked' | 'missing_cli' | 'auth';
      readonly message: string;
      /** The program, if it was found before something else was missing. */
      readonly program: Program | null;
    };

type Program = {
  /** The path inside the sandbox; null for a program of ours, which is inside already. */
  readonly path: string | null;
  readonly name: string;
  /** The operator's additional arguments for it. */
  readonly words: readonly string[];
  readonly readable: readonly Mount[];
};

const NOTHING_SAID = {
  text: '',
  id: '00000000-0000-4000-8000-000000000000',
  answer: 'implementation',
  session: null,
} as const;

type CliStateOptions = Pick<WorkerOptions, 'tools' | 'env' | 'home' | 'settings'>;

export function lookAtCli(name: string, cli: AdapterCli, around: CliStateOptions): CliState {
  const adapter = adapterOf(cli.adapter);
  if (adapter === undefined) return refused('blocked', `there is no adapter ${cli.adapter}`, null);
  const program = programOf(adapter, cli, around);
  if (program === null) {
    const names = cli.command?.slice(0, 1) ?? adapter.programs;
    return refused(
      'missing_cli',
      `CLI ${name}: ${names.join(' or ')} is not installed, or not on PATH: ${npmInstall(adapter.install, around)}, or set clis.${name}.command`,
      null,
    );
  }
  const files = adapter.login === null ? null : loginFiles(adapter.login, around);
  const way = wayOut(name, adapter, cli, {
    variable: around.env,
    login: () => files !== null,
    extra: around.settings().egress.worker,
  });
  if (way.type === 'none') return refused('auth', way.message, program);
  // Reports now what it would refuse later, such as a missing model. Whether it fits a role is checked when roles are
  // loaded.
  const role = { ...ANY_ROLE, kind: adapter.can.kinds[0] ?? 'change' };
  const call = adapter.call(askOf(role, cli, NOTHING_SAID, way, [program.name, ...program.words]));
  if (call.type === 'refused') return refused('blocked', `CLI ${name}: ${call.message} (in clis.${name})`, program);
  return { type: 'ready', adapter, program, way, files: way.type === 'login' ? (files ?? []) : [] };
}

const ANY_ROLE = { tier: null, allowed_tools: null, flags: [] } as const;

function programOf(adapter: Adapter, cli: AdapterCli, { tools }: CliStateOptions): Program | null {
  const [wanted, ...words] = cli.command ?? [];
  const names = wanted === undefined ? adapter.programs : [wanted];
  if (names.length === 0) return { path: null, name: adapter.name, words: [], readable: [] };
  for (const name of names) {
    const found = tools.find(name);
    if (found === null) continue;
    const readable = [...found.readable, ...besides(adapter.beside ?? [], found.readable)];
    return { path: found.program, name, words, readable };
  }
  return null;
}

/** A program that is mounted as one file still finds the files that belong beside it. */
const besides = (names: readonly string[], mounts: readonly Mount[]): Mount[] =>
  mounts.flatMap(({ from, to }) => {
    if (names.length === 0 || !statSync(from).isFile()) return [];
    const pairs = names.map((name) => ({ from: join(dirname(from), name), to: join(dirname(to), name) }));
    return pairs.filter((pair) => existsSync(pair.from));
  });

const refused = (
  outcome: Extract<CliState, { type: 'refused' }>['class'],
  message: string,
  program: Program | null,
): CliState => ({ type: 'refused', class: outcome, message, program });
