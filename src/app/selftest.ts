/** The ground for a self-test: a throw-away repository, a stand-in for the model's server, and nothing of the operator's. */
import { chmodSync, mkdirSync, mkdtempSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StandIn } from '../hands/stand-in/stand-in.ts';
import type { Config } from '../mind/config/project-config.ts';
import type { Adapter } from '../mind/workers/adapter.ts';
import { adapterOf, READY_NAMES } from '../mind/workers/cli-config.ts';
import { removeTree } from '../os/files/remove-tree.ts';
import { git } from '../os/git/git.ts';
import { askedVersions } from './clis.ts';
import { ConfigError } from './config/config-error.ts';
import type { Environment } from './config/environment.ts';
import { loadUserConfig } from './config/files.ts';
import { NotReady } from './not-ready.ts';

/** Its key opens nothing; that it arrives shows that the proxy puts keys on. */
const KEY = { variable: 'SUPERVISOR_SELFTEST_KEY', value: 'selftest-key-that-opens-nothing' };
const FILE = 'selftest.txt';
const TEXT = 'written by the self-test\n';

export const SELFTEST = {
  task: `write the file ${FILE}`,
  gate: `selftest=grep -q 'by the self-test' ${FILE}`,
} as const;

interface SelfTest extends AsyncDisposable {
  readonly environment: Environment;
  readonly dir: string;
  /** What reached the stand-in: how often, and whether the key was on all of it. */
  /** The version that was tested; null: it was never asked. */
  version(): string | null;
  seen(): { readonly requests: number; readonly withKey: boolean };
}

export async function openSelfTest(cli: string, environment: Environment): Promise<SelfTest> {
  // One that only knows its vendor's own servers can not be turned to ours.
  const known = READY_NAMES.filter((name) => adapterOf(name)?.providers.length !== 0);
  const adapter = known.includes(cli) ? adapterOf(cli) : undefined;
  if (adapter === undefined)
    throw new ConfigError(`--selftest ${cli}: can not be tested this way (known: ${known.join(', ')})`);
  checkRoom(tmpdir());
  await using tidy = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'supervisor-selftest-'));
  tidy.defer(() => removeTree(root));
  const standIn = new StandIn({ scenario: { turns: [{ write: { path: FILE, text: TEXT } }, { text: answer() }] } });
  const { url } = await standIn.listen();
  // A server that goes on listening would keep a failed command from its end.
  tidy.defer(() => standIn.close());
  // A sandboxed user has to pass through.
  chmodSync(root, 0o711);
  const home = join(root, 'home');
  const dir = join(root, 'repository');
  mkdirSync(home);
  const userConfig = join(root, 'config.yaml');
  const base = adapter.providers[0]?.upstream.endsWith('/v1') ? `${url}/v1` : url;
  writeFileSync(userConfig, JSON.stringify(configFor(cli, adapter, base, loadUserConfig(environment).config)));
  await git(['init', '-q', '-b', 'main', dir], { dir: '/' });
  const who = ['-c', 'user.name=selftest', '-c', 'user.email=selftest@localhost'];
  await git([...who, 'commit', '-q', '--allow-empty', '-m', 'nothing yet'], { dir });
  const own: Environment = {
    ...environment,
    stateDir: join(root, 'state'),
    userConfig,
    home,
    inSelfTest: true as const,
    variable: (name) => (name === KEY.variable ? KEY.value : undefined),
    variables: () => ({ [KEY.variable]: KEY.value }),
  };
  const made = tidy.move();
  return {
    dir,
    environment: own,
    version: () => askedVersions(own).at(0) ?? null,
    seen: () => ({
      requests: standIn.mainRequests.length,
      withKey: standIn.mainRequests.every(({ key }) => key === KEY.value),
    }),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  };
}

/** A tiny task takes about 5 MiB: its log, its repository, two trees of it, and what the CLI keeps. */
const ROOM_MIB = 32;

function checkRoom(dir: string): void {
  const { bavail, bsize } = statfsSync(dir);
  const free = Math.floor((bavail * bsize) / 2 ** 20);
  if (free >= ROOM_MIB) return;
  throw new NotReady(
    `${dir} has ${free} MiB free, and the self-test needs ${ROOM_MIB}: free some space there, or set TMPDIR to another disk`,
  );
}

/** The person's own wall and program, and nothing else of theirs. JSON is YAML. */
function configFor(cli: string, { providers }: Adapter, base: string, { clis = {}, sandbox = {} }: Config): object {
  const { command, model } = clis[cli] ?? {};
  const { backend, image } = sandbox;
  return {
    clis: {
      [cli]: {
        base_url: base,
        key: KEY.variable,
        command,
        // With several providers its own choice of a model is unknown.
        model: model ?? (providers.length > 1 ? 'stand-in' : undefined),
      },
    },
    sandbox: { backend, image },
  };
}

const answer = (): string =>
  [
    'The file is written.',
    '',
    '```json',
    JSON.stringify({ status: 'SUCCESS', action_taken: 'wrote the file', files_created: [FILE] }),
    '```',
  ].join('\n');
