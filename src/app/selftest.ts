/** The setting of a self-test: a throw-away repository, a stand-in model server, and nothing of the operator's. */
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

/** A dummy key. Its arrival shows that the proxy adds keys. */
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
  /** What reached the stand-in: how many requests, and whether all carried the key. */
  /** The tested version; null if it was never asked for. */
  version(): string | null;
  seen(): { readonly requests: number; readonly withKey: boolean };
}

export async function openSelfTest(cli: string, environment: Environment): Promise<SelfTest> {
  // A CLI that only knows its vendor's servers cannot be pointed at ours.
  const known = READY_NAMES.filter((name) => adapterOf(name)?.providers.length !== 0);
  const adapter = known.includes(cli) ? adapterOf(cli) : undefined;
  if (adapter === undefined)
    throw new ConfigError(`--selftest ${cli}: cannot be tested this way (known: ${known.join(', ')})`);
  checkRoom(tmpdir());
  await using tidy = new AsyncDisposableStack();
  const root = mkdtempSync(join(tmpdir(), 'supervisor-selftest-'));
  tidy.defer(() => removeTree(root));
  const standIn = new StandIn({ scenario: { turns: [{ write: { path: FILE, text: TEXT } }, { text: answer() }] } });
  const { url } = await standIn.listen();
  // A listening server would keep the process of a failed command alive.
  tidy.defer(() => standIn.close());
  // The sandbox's user has to pass through this directory.
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

/** A tiny task takes about 5 MiB: its log, repository, two trees, and the CLI's own files. */
const ROOM_MIB = 32;

function checkRoom(dir: string): void {
  const { bavail, bsize } = statfsSync(dir);
  const free = Math.floor((bavail * bsize) / 2 ** 20);
  if (free >= ROOM_MIB) return;
  throw new NotReady(
    `${dir} has ${free} MiB free, and the self-test needs ${ROOM_MIB}: free some space there, or set TMPDIR to another disk`,
  );
}

/** The user's own sandbox and CLI settings only. JSON is valid YAML. */
function configFor(cli: string, { providers }: Adapter, base: string, { clis = {}, sandbox = {} }: Config): object {
  const { command, model } = clis[cli] ?? {};
  const { backend, image } = sandbox;
  return {
    clis: {
      [cli]: {
        base_url: base,
        key: KEY.variable,
        command,
        // With several providers the CLI's own choice of a model is unknown.
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
