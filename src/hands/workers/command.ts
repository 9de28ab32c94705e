/** Which program an attempt runs, with which variables; or why none can be run. */
import type { Mount } from '../../engine/ports/sandbox.ts';
import type { TaskId } from '../../kernel/ids.ts';
import type { AnswerKind } from '../../mind/answers/schemas.ts';
import type { CliConfig } from '../../mind/config/project-config.ts';
import { playFor } from '../../mind/config/script.ts';
import type { WorkerRun } from '../../mind/domain/effects.ts';
import { callOf } from '../../mind/workers/call.ts';
import { ARGUMENT_BYTES } from '../../mind/workers/limits.ts';
import { playCall } from '../../mind/workers/play.ts';
import type { WorkerOptions } from './options.ts';

export type Command =
  | {
      readonly type: 'command';
      readonly argv: readonly [string, ...string[]];
      readonly input: string;
      readonly shown: readonly string[];
      readonly output: CliConfig['output'];
      readonly pointer: string | undefined;
      /** Passed through from the operator. */
      readonly env: Readonly<Record<string, string>>;
      readonly readable: readonly Mount[];
    }
  | { readonly type: 'refused'; readonly message: string };

const PLAIN = { output: 'text', pointer: undefined, env: {}, readable: [] } as const;

export function commandFor(
  options: WorkerOptions,
  of: { readonly task: TaskId; readonly step: string },
  work: WorkerRun,
  packet: { readonly text: string; readonly answer: AnswerKind },
): Command {
  const { task, step } = of;
  const { cli: name, number } = work.attempt;
  if (name === 'scripted') {
    const play = playFor(options.script(work.spec, task), step, number);
    const { argv, input } = playCall(play, { step, number, answer: packet.answer });
    if (argv.some((word) => Buffer.byteLength(word) >= ARGUMENT_BYTES))
      return refused(`the script has a command of more than ${ARGUMENT_BYTES} bytes for step ${step}: shorten it`);
    return { type: 'command', argv, input, shown: ['scripted', step, `${number}`], ...PLAIN };
  }
  const { clis } = options.settings();
  const cli = Object.hasOwn(clis, name) ? clis[name] : undefined;
  if (cli === undefined) return refused(`no CLI is called ${name}: declare it under clis, or choose another one`);
  const [program = ''] = cli.command;
  const found = options.tools.find(program);
  if (found === null)
    return refused(
      program.startsWith('/')
        ? `${program} is not there, or not a program: install it or set clis.${name}.command`
        : `${program} is not on PATH: install it or set clis.${name}.command`,
    );
  const call = callOf(name, cli, found.program, packet.text);
  if (call.type === 'refused') return call;
  const env = Object.fromEntries(
    cli.env.flatMap((one) => {
      const value = options.env(one);
      return value === undefined ? [] : [[one, value]];
    }),
  );
  const { output, text_pointer: pointer } = cli;
  return { ...call, type: 'command', output, pointer, env, readable: found.readable };
}

const refused = (message: string): Command => ({ type: 'refused', message });
