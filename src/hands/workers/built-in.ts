/** The command of a built-in CLI: its program, its network access, and its start by the bridge. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { EgressPolicy } from '../../engine/ports/egress.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import { bridgeInput } from '../../mind/workers/bridge.ts';
import type { AdapterCli } from '../../mind/workers/cli-config.ts';
import { EGRESS_LIMITS } from '../../mind/workers/limits.ts';
import type { ModelAccess } from '../../mind/workers/model-access.ts';
import { askOf, configDir } from './ask.ts';
import { lookAtCli } from './cli-state.ts';
import type { LoginFile } from './login.ts';
import { givenVariables } from './operator-variables.ts';
import type { WorkerOptions } from './options.ts';
import { unpackedFor } from './unpacked.ts';
import type { TurnPrompt, WorkerCommand } from './worker-command.ts';

export async function builtInCommand(
  options: WorkerOptions,
  name: string,
  cli: AdapterCli,
  work: WorkerRun,
  said: TurnPrompt,
  signal: AbortSignal,
): Promise<WorkerCommand> {
  const state = lookAtCli(name, cli, options);
  if (state.type === 'refused') return { type: 'refused', class: state.class, message: state.message };
  const { adapter, program, way, files } = state;
  // An adapter without programs of its own runs one of ours, which talks to the operator's program.
  const ours = adapter.programs.length === 0;
  const command = ours && program.path !== null ? [program.path, ...program.words] : program.words;
  const role = options.role(work.role);
  // Flags that a person wrote for one CLI mean nothing, or something else, to another.
  const flags = role.cli.includes(name) ? role.flags : [];
  const call = adapter.call(askOf({ ...role, flags }, cli, { ...said, id: randomUUID() }, way, command));
  if (call.type === 'refused') return { type: 'refused', class: 'blocked', message: call.message };
  const start = ours || program.path === null ? options.inside.argv(adapter.name) : [program.path];
  const plan = {
    files: [...call.files, ...files].map((file) => ({ path: join(configDir(said), file.path), text: file.text })),
    argv: [...start, ...call.args] as [string, ...string[]],
  };
  const unpacked = await unpackedFor(options, adapter, program, signal);
  const given = givenVariables(cli.env ?? [], options);
  return {
    type: 'command',
    argv: options.inside.argv('bridge'),
    input: bridgeInput(plan, call.input),
    shown: [ours ? adapter.name : program.name, ...call.shown],
    output: 'jsonl',
    env: { ...given, ...call.env, ...unpacked.env },
    secrets: [...Object.values(given), ...secretsOf(way, files)],
    readable: [...options.inside.readable, ...program.readable, ...unpacked.readable],
    listener: adapter.listen(call.session),
    cumulative: adapter.can.cumulative === true,
    egress: policyOf(way),
  };
}

function policyOf(way: Exclude<ModelAccess, { type: 'none' }>): EgressPolicy {
  const route =
    way.type === 'key' ? { upstream: way.upstream, headers: way.headers, drop: way.drop, calls: way.calls } : null;
  return { allow: way.allow, route, ...EGRESS_LIMITS };
}

/** The key is never inside, but a server may repeat it in an error, which would reach a transcript. */
function secretsOf(way: ModelAccess, copies: readonly LoginFile[]): string[] {
  const headers = way.type === 'key' ? Object.values(way.headers).map((value) => value.replace(/^Bearer /, '')) : [];
  return [...headers, ...copies.flatMap(({ secrets }) => secrets)];
}
