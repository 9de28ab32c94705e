/** Which program an attempt runs, with which variables; or why none can run. */
import type { TaskId } from '../../kernel/ids.ts';
import type { WorkerRun } from '../../mind/domain/worker-run.ts';
import { callOf } from '../../mind/workers/call.ts';
import { cliNamed, type DeclaredCli } from '../../mind/workers/cli-config.ts';
import { DeclaredListener } from '../../mind/workers/declared.ts';
import { ARGUMENT_BYTES } from '../../mind/workers/limits.ts';
import { playCall } from '../../mind/workers/play.ts';
import { playFor } from '../../mind/workers/script.ts';
import { builtInCommand } from './built-in.ts';
import { givenVariables } from './operator-variables.ts';
import type { WorkerOptions } from './options.ts';
import type { TurnPrompt, WorkerCommand } from './worker-command.ts';

export async function commandFor(
  options: WorkerOptions,
  of: { readonly task: TaskId; readonly step: string },
  work: WorkerRun,
  packet: TurnPrompt,
  signal: AbortSignal,
): Promise<WorkerCommand> {
  const { task, step } = of;
  const { cli: name, number } = work.attempt;
  if (name === 'scripted') {
    const play = playFor(options.script(work.spec, task), step, number);
    if (packet.answerOnly === true && play.again === undefined) return refused('the script has no further entry');
    const now = packet.answerOnly === true ? { says: play.again } : play;
    const { argv, input } = playCall(now, { step, number, answer: packet.answer, raised: work.raised?.open ?? [] });
    if (argv.some((word) => Buffer.byteLength(word) >= ARGUMENT_BYTES))
      return refused(`the script has a command of more than ${ARGUMENT_BYTES} bytes for step ${step}: shorten it`);
    return {
      type: 'command',
      argv,
      input,
      shown: ['scripted', step, `${number}`],
      output: 'text',
      env: {},
      secrets: [],
      readable: [],
      egress: null,
      cumulative: false,
      listener: new DeclaredListener({ output: 'text' }),
    };
  }
  const cli = cliNamed(options.settings().clis, name);
  if (cli === null) return refused(`no CLI is called ${name}: declare it under clis, or choose another one`);
  if (cli.type === 'adapter') return builtInCommand(options, name, cli, work, packet, signal);
  return declaredCommand(options, name, cli, packet.text);
}

function declaredCommand(options: WorkerOptions, name: string, cli: DeclaredCli, packet: string): WorkerCommand {
  const [program = ''] = cli.command;
  const found = options.tools.find(program);
  if (found === null) {
    const what = program.startsWith('/') ? 'is not there, or not a program' : 'is not on PATH';
    return {
      type: 'refused',
      class: 'missing_cli',
      message: `${program} ${what}: install it or set clis.${name}.command`,
    };
  }
  const call = callOf(name, cli, found.program, packet);
  if (call.type === 'refused') return refused(call.message);
  const env = givenVariables(cli.env, options);
  return {
    ...call,
    type: 'command',
    output: cli.output,
    env,
    secrets: Object.values(env),
    readable: found.readable,
    egress: null,
    cumulative: false,
    listener: new DeclaredListener(cli),
  };
}

const refused = (message: string): WorkerCommand => ({ type: 'refused', class: 'blocked', message });
