/** Reads the text of a task: from the command line, standard input, a file or an editor. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childVariables } from '../../app/config/environment.ts';
import { runInTerminal } from '../../os/process/interactive.ts';
import { type CommandContext, text, UsageError } from './command.ts';
import { canAsk } from './confirm.ts';

const MAX_CHARACTERS = 100_000;
/** A character has at most four bytes. */
const MAX_BYTES = 4 * MAX_CHARACTERS;

export async function taskText({ args, flags, out, environment }: CommandContext): Promise<string> {
  const [given] = args;
  const file = text(flags['file']);
  if (given !== undefined && file !== undefined)
    throw new UsageError('TEXT and --file contradict each other: give one of them');
  if (file !== undefined) return checked(readTaskFile(file), `--file ${file}`);
  if (given === '-') return checked(await readInput(), 'standard input');
  if (given !== undefined) return checked(given, 'TEXT');
  if (!canAsk(out.json))
    throw new UsageError(
      'TEXT is missing: supervisor run "what is to be done", `run -` to read it from standard input, or --file PATH',
    );
  return checked(await edited(childVariables(environment)), 'the task');
}

function checked(said: string, from: string): string {
  const task = said.trim();
  if (task === '') throw new UsageError(`${from} is empty: write the task`);
  if (task.length > MAX_CHARACTERS) throw tooLong(from, `${task.length} characters`);
  return task;
}

const tooLong = (from: string, size: string): UsageError =>
  new UsageError(
    `${from} has ${size}; a task may have at most ${MAX_CHARACTERS} characters. Put the rest into files of the repository`,
  );

function readTaskFile(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`--file ${path}: there is no such file`);
  if (!stat.isFile()) throw new UsageError(`--file ${path}: is not a file`);
  if (stat.size > MAX_BYTES) throw tooLong(`--file ${path}`, `${stat.size} bytes`);
  return utf8(readFileSync(path), `--file ${path}`);
}

async function readInput(): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BYTES) throw tooLong('standard input', `more than ${MAX_BYTES} bytes`);
    pieces.push(piece);
  }
  return utf8(Buffer.concat(pieces), 'standard input');
}

function utf8(bytes: Buffer, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${from} is not UTF-8 text`);
  }
}

const HINT = `
# What is to be done? Lines that begin with # are left out.
# Save an empty text to start nothing.
`;

async function edited(variables: Readonly<Record<string, string>>): Promise<string> {
  const editor = variables['VISUAL'] || variables['EDITOR'] || 'vi';
  const dir = mkdtempSync(join(tmpdir(), 'supervisor-task-'));
  try {
    const path = join(dir, 'TASK.md');
    writeFileSync(path, HINT, { mode: 0o600 });
    // An editor may have arguments (`code --wait`), as git allows.
    const code = await runInTerminal('/bin/sh', ['-c', `${editor} "$@"`, editor, path], variables);
    if (code !== 0)
      throw new UsageError(
        `the editor (${editor}) ended with ${code ?? 'a signal'}: nothing was started. Set EDITOR, or give the task as TEXT`,
      );
    const lines = utf8(readFileSync(path), 'the task').split('\n');
    return lines.filter((line) => !line.startsWith('#')).join('\n');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
