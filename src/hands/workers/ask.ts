/** The input of an adapter for one turn: the packet, and all paths inside the sandbox. */
import { answerSchema } from '../../mind/answers/json-schema.ts';
import type { Role } from '../../mind/roles/role.ts';
import { SANDBOX_HOME } from '../../mind/sandbox/paths.ts';
import type { CliRequest } from '../../mind/workers/adapter.ts';
import { BRIDGE_URL } from '../../mind/workers/bridge.ts';
import { type AdapterCli, modelOf } from '../../mind/workers/cli-config.ts';
import type { ModelAccess } from '../../mind/workers/model-access.ts';
import type { TurnPrompt } from './worker-command.ts';

const CONFIG_DIR = `${SANDBOX_HOME}/.cli`;
/** Lies beside the attempt's tree, and is removed with it. */
export const SESSION_DIR = '/run/supervisor/session';
export const TREE = '/workspace';

export function askOf(
  role: Pick<Role, 'kind' | 'tier' | 'allowed_tools' | 'flags'>,
  cli: AdapterCli,
  said: TurnPrompt & { readonly id: string },
  way: Exclude<ModelAccess, { type: 'none' }>,
  command: readonly string[],
): CliRequest {
  return {
    packet: said.text,
    id: said.id,
    kind: said.answerOnly === true ? 'answer' : role.kind,
    model: modelOf(cli, role),
    effort: cli.effort ?? null,
    system: null,
    tools: role.allowed_tools,
    session: said.session,
    command: [...command, ...role.flags],
    // If only an answer is wanted, CLIs that support a schema get one. Claude Code needs one more request for it.
    schema: role.kind === 'answer' && said.answerOnly !== true ? answerSchema(said.answer) : null,
    endpoint: way.type === 'key' ? { url: BRIDGE_URL, provider: way.provider } : null,
    proxy: BRIDGE_URL,
    configDir: configDir(said),
    tempDir: '/tmp',
    cwd: TREE,
  };
}

/** A continued session finds its files; otherwise they disappear with the sandbox. */
export const configDir = ({ session }: Pick<TurnPrompt, 'session'>): string =>
  session === null ? CONFIG_DIR : SESSION_DIR;
