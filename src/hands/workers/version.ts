/** Asks a CLI for its version inside the sandbox, which also shows whether it can start there. */
import type { Mount, Sandbox } from '../../engine/ports/sandbox.ts';
import { versionIn } from '../../kernel/version.ts';
import { SANDBOX_HOME } from '../../mind/sandbox/paths.ts';
import { WORKER_LIMITS } from '../../mind/workers/limits.ts';
import { TREE } from './ask.ts';
import type { WorkerTools } from './options.ts';
import { SYSTEM_PATH, unique } from './place.ts';

export type AskedVersion =
  | { readonly type: 'version'; readonly version: string }
  | { readonly type: 'failed'; readonly message: string };

const MAX_MS = 30_000;
const MAX_BYTES = 64 << 10;

export async function askVersion(of: {
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly tools: Pick<WorkerTools, 'readable' | 'path' | 'env'>;
  readonly program: { readonly path: string; readonly readable: readonly Mount[] };
  /** An empty directory to start in. */
  readonly dir: string;
  readonly signal: AbortSignal;
}): Promise<AskedVersion> {
  const { sandbox, tools, program, dir, signal } = of;
  let said = '';
  const { end } = await sandbox.run({
    argv: [program.path, '--version'],
    policy: {
      kind: 'worker',
      readable: unique([...tools.readable, ...program.readable]),
      writable: [{ from: dir, to: TREE }],
      cwd: TREE,
      env: {
        ...tools.env,
        PATH: [...new Set([...tools.path, ...SYSTEM_PATH])].join(':'),
        HOME: SANDBOX_HOME,
        NO_COLOR: '1',
      },
      limits: { ...WORKER_LIMITS, wallMs: MAX_MS, idleMs: null, outputBytes: MAX_BYTES },
    },
    input: '',
    onOutput: (_, bytes) => {
      said += Buffer.from(bytes).toString();
    },
    signal,
  });
  const version = versionIn(said);
  if (end.how === 'exit' && end.code === 0 && version !== null) return { type: 'version', version };
  const how = end.how === 'exit' ? `exit code ${end.code}` : end.how === 'limit' ? `the ${end.limit} limit` : end.how;
  const words = said.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
  return { type: 'failed', message: `${program.path} --version ended with ${how}${words === '' ? '' : `: ${words}`}` };
}
