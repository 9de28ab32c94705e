/** One shell for the commands of a page: what one of them sets, such as the directory or a variable, the next one has. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** No command of a page takes as long. */
const PATIENCE_MS = 180_000;

export type Ended = { readonly code: number; readonly printed: string };

export class Session implements AsyncDisposable {
  readonly #shell: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #outputs: string;
  readonly #closed: Promise<unknown>;
  #count = 0;

  constructor(dir: string, env: Readonly<Record<string, string>>) {
    this.#outputs = mkdtempSync(join(dir, 'outputs-'));
    this.#shell = spawn('bash', ['--noprofile', '--norc'], {
      cwd: env['HOME'],
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#closed = new Promise((resolve) => this.#shell.on('close', resolve));
    const { stdout } = this.#shell;
    if (stdout === null) throw new Error('the shell has no output');
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
    this.#shell.stdin?.write('set_code() { return "$1"; }; last=0\n');
  }

  get pid(): number {
    return this.#shell.pid ?? 0;
  }

  /** Output and errors in one, as on a terminal; `$?` is that of the command before. */
  async run(command: string): Promise<Ended> {
    const file = join(this.#outputs, String(this.#count++));
    this.#shell.stdin?.write(
      `set_code "$last"; {\n${command}\n} </dev/null >'${file}' 2>&1; last=$?; printf '%s\\n' "$last"\n`,
    );
    const answer = await Promise.race([this.#answers.next(), this.#patience(command)]);
    if (answer.done === true) throw new Error(`the shell ended at: ${command}\n${readFileSync(file, 'utf8')}`);
    return { code: Number(answer.value), printed: readFileSync(file, 'utf8') };
  }

  #patience(command: string): Promise<never> {
    return new Promise((_, reject) => {
      setTimeout(() => reject(new Error(`it does not end: ${command}`)), PATIENCE_MS).unref();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#shell.stdin?.end();
    const late = setTimeout(() => this.#shell.kill('SIGKILL'), 5_000);
    await this.#closed;
    clearTimeout(late);
  }
}
