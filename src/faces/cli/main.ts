/** The command line: finds the command, reads its arguments, runs it, and turns every failure into one clear sentence. */
import { resolve } from 'node:path';
import { ConfigError } from '../../app/config/config-error.ts';
import { type Environment, EnvironmentError, readEnvironment } from '../../app/config/environment.ts';
import { TrustNeeded } from '../../app/config/trust-needed.ts';
import { NotReady } from '../../app/not-ready.ts';
import { LeaseLost } from '../../engine/lease-lost.ts';
import { SandboxError } from '../../engine/ports/sandbox.ts';
import { StoreError } from '../../engine/ports/store.ts';
import { WorkspaceError } from '../../engine/ports/workspace.ts';
import { nearest } from '../../kernel/nearest.ts';
import { GitError } from '../../os/git/git-error.ts';
import { machineTrouble } from '../../os/machine/machine-refusal.ts';
import { readArgs } from './args.ts';
import { type CommandSpec, EXIT, text, UsageError } from './command.ts';
import { commandHelp, overview } from './help.ts';
import { Output } from './output.ts';
import { COMMANDS } from './table.ts';

/** Commands that do work: a closed output does not stop them. */
const WORKS: ReadonlySet<string> = new Set([
  'run',
  'resume',
  'retry',
  'pause',
  'halt',
  'cancel',
  'land',
  'gc',
  'verify',
  'demo',
  'init',
  'trust',
  'judge',
]);

/** `own`: values with which tests replace parts of the process environment. */
export async function main(argv: readonly string[], own: Partial<Environment> = {}): Promise<number> {
  const [name, ...rest] = argv;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough (`| head`) is no error: work goes on, and its exit code stays true.
    const nobody = error.code === 'EPIPE' || error.code === 'EIO';
    if (nobody && !WORKS.has(name ?? '')) process.exit(EXIT.done);
    if (nobody) return;
    process.stderr.write(`supervisor: the output cannot be written (${error.code})\n`);
    process.exit(EXIT.notReady);
  });
  // If a terminal was closed, both streams are gone; the work is worth more than its messages.
  process.stderr.on('error', () => {});
  const out = new Output(argv.includes('--json'));
  try {
    if (name === undefined || name === '--help' || name === '-h' || name === 'help')
      return await help(rest, name === undefined);
    if (name === '--version' || name === '-v') return await version();
    const spec = commandOf(name);
    const { args, flags } = readArgs(spec, rest);
    if (flags['help'] === true) {
      process.stdout.write(`${commandHelp(spec, process.stdout.columns)}\n`);
      return EXIT.done;
    }
    const environment = { ...readEnvironment(), ...own };
    const dir = resolve(text(flags['project']) ?? process.cwd());
    return await (await spec.load()).run({ args, flags, out, environment, dir });
  } catch (error) {
    return fail(out, error);
  }
}

/** Errors of the machine or the repository; each says what to do about it. */
const NOT_READY = [GitError, EnvironmentError, SandboxError, WorkspaceError];

function fail(out: Output, error: unknown): number {
  if (error instanceof UsageError) {
    out.error('usage', error.message);
    return EXIT.usage;
  }
  if (error instanceof ConfigError) {
    out.error('config', error.message);
    return EXIT.usage;
  }
  if (error instanceof TrustNeeded) {
    out.error('trust_needed', error.message);
    return EXIT.waiting;
  }
  if (error instanceof NotReady) {
    out.error(error.code, error.message);
    return EXIT.notReady;
  }
  if (NOT_READY.some((kind) => error instanceof kind)) {
    out.error('not_ready', (error as Error).message);
    return EXIT.notReady;
  }
  if (error instanceof StoreError) {
    out.error(error.code, error.message);
    return EXIT.notReady;
  }
  if (error instanceof LeaseLost) {
    out.error('lease_lost', error.message);
    return EXIT.escalated;
  }
  const trouble = machineTrouble(error);
  if (trouble !== null) {
    out.error('not_ready', trouble);
    return EXIT.notReady;
  }
  out.error(
    'internal',
    `a bug in Supervisor: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  return EXIT.failed;
}

function commandOf(name: string): CommandSpec {
  const spec = COMMANDS.find((command) => command.name === name);
  if (spec !== undefined) return spec;
  const meant = nearest(
    name,
    COMMANDS.map((command) => command.name),
  );
  throw new UsageError(
    `unknown command ${JSON.stringify(name)}${meant === null ? '' : `, did you mean \`${meant}\`?`} (\`supervisor --help\` lists them)`,
  );
}

async function help(rest: readonly string[], unasked: boolean): Promise<number> {
  const [name] = rest;
  const spec = name === undefined || name.startsWith('-') ? undefined : commandOf(name);
  const { columns } = unasked ? process.stderr : process.stdout;
  const page = spec === undefined ? overview(columns) : commandHelp(spec, columns);
  if (unasked) process.stderr.write(`${page}\n`);
  else process.stdout.write(`${page}\n`);
  return unasked ? EXIT.usage : EXIT.done;
}

async function version(): Promise<number> {
  const { packageVersion } = await import('../../os/files/package-root.ts');
  process.stdout.write(`${packageVersion()}\n`);
  return EXIT.done;
}
