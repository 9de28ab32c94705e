/** What an adapter is asked for one turn: the packet, and where everything is inside the sandbox. */
import { answerSchema } from '../../mind/answers/json-schema.ts';
import type { Role } from '../../mind/roles/role.ts';
import { SANDBOX_HOME } from '../../mind/sandbox/paths.ts';
import type { Ask } from '../../mind/workers/adapter.ts';
import { BRIDGE_URL } from '../../mind/workers/bridge.ts';
import { type AdapterCli, modelOf } from '../../mind/workers/cli-config.ts';
import type { WayOut } from '../../mind/workers/way-out.ts';
import type { Said } from './worker-command.ts';

const CONFIG_DIR = `${SANDBOX_HOME}/.cli`;
/** Lies beside the tree of the attempt, and is removed with it. */
export const SESSION_DIR = '/run/supervisor/session';
export const TREE = '/workspace';

export function askOf(
  role: Pick<Role, 'kind' | 'tier' | 'allowed_tools' | 'flags'>,
  cli: AdapterCli,
  said: Said & { readonly id: string },
  way: Exclude<WayOut, { type: 'none' }>,
  command: readonly string[],
): Ask {
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
    // Where an answer is all that is wanted, a CLI that can be held to a schema is. Claude Code takes a request more for it.
    schema: role.kind === 'answer' && said.answerOnly !== true ? answerSchema(said.answer) : null,
    endpoint: way.type === 'key' ? { url: BRIDGE_URL, provider: way.provider } : null,
    proxy: BRIDGE_URL,
    configDir: configDir(said),
    tempDir: '/tmp',
    cwd: TREE,
  };
}

/** A session that goes on finds what it wrote; else all of it is gone with the sandbox. */
export const configDir = ({ session }: Pick<Said, 'session'>): string => (session === null ? CONFIG_DIR : SESSION_DIR);
