/** Parses the command line against a command's declaration. It reports every mistake and guesses nothing. */
import { parseArgs } from 'node:util';
import { nearest } from '../../kernel/nearest.ts';
import { BETWEEN, type CommandSpec, type Flag, UsageError } from './command.ts';

export const GLOBAL_FLAGS: Readonly<Record<string, Flag>> = {
  json: { type: 'boolean', help: 'print JSON for programs' },
  project: { type: 'string', value: 'DIR', help: 'the repository to work on (default: the current directory)' },
  help: { type: 'boolean', short: 'h', help: 'show help' },
};

type ParsedArgs = {
  readonly args: readonly string[];
  readonly flags: Record<string, string | boolean | undefined>;
};

export function readArgs(spec: CommandSpec, argv: readonly string[]): ParsedArgs {
  const known: Record<string, Flag> = { ...GLOBAL_FLAGS, ...spec.flags };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { type, short }]) => [
      name,
      { type, multiple: true, ...(short === undefined ? {} : { short }) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true });
  const flags: Record<string, string | boolean | undefined> = {};
  const args: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = known[token.name];
    if (flag === undefined) throw new UsageError(unknownFlag(token.rawName, Object.keys(known), spec));
    const before = flags[token.name];
    if (before !== undefined && flag.many !== true) throw new UsageError(`${token.rawName} is given twice`);
    const value = flag.type === 'boolean' ? switchValue(token) : textValue(token, flag);
    flags[token.name] = before === undefined ? value : `${before}${BETWEEN}${value}`;
  }
  if (flags['help'] !== true) checkCount(spec, args);
  return { args, flags };
}

type OptionToken = {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
};

function switchValue({ rawName, value }: OptionToken): true {
  if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
  return true;
}

function textValue({ rawName, value, inlineValue }: OptionToken, flag: Flag): string {
  if (value === undefined || value === '')
    throw new UsageError(`${rawName} needs a value: ${rawName} ${flag.value ?? 'TEXT'}`);
  // A flag is never taken as the value of another flag.
  if (value.startsWith('-') && inlineValue !== true)
    throw new UsageError(`${rawName} needs a value; if it really starts with "-", write ${rawName}=${value}`);
  return value;
}

function unknownFlag(rawName: string, known: readonly string[], spec: CommandSpec): string {
  const meant = nearest(rawName.replace(/^-+/, ''), known);
  return `unknown flag ${rawName}${meant === null ? '' : `, did you mean --${meant}?`} (see \`supervisor ${spec.name} --help\`)`;
}

function checkCount(spec: CommandSpec, args: readonly string[]): void {
  const missing = spec.args.filter((arg) => arg.required)[args.length];
  if (missing !== undefined && args.length < spec.args.filter((arg) => arg.required).length) {
    const where = missing.name === 'TASK' ? ': `supervisor status` lists tasks' : '';
    throw new UsageError(`${missing.name} is missing${where} (see \`supervisor ${spec.name} --help\`)`);
  }
  if (args.length > spec.args.length) {
    throw new UsageError(
      `unexpected argument ${JSON.stringify(args[spec.args.length])}${spec.name === 'run' ? ': put the task in quotes' : ''}`,
    );
  }
}
