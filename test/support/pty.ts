/** A real pseudo-terminal (util-linux `script`) with a small terminal behind it that knows only what a live view may use. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './cli.ts';
import { kill } from './traces.ts';

/** What is on the screen. Anything a live view has no business to send is an error. */
export class Terminal {
  columns: number;
  height: number;
  cursorShown = true;
  wraps = true;
  /** Characters that were sent past the last column while lines did not wrap. */
  overflow = 0;
  #rows: string[] = [''];
  #row = 0;
  #column = 0;

  constructor(columns: number, height: number) {
    this.columns = columns;
    this.height = height;
  }

  /** Scrolled-off lines too. */
  get text(): string {
    return this.#rows.map((row) => row.trimEnd()).join('\n');
  }

  get screen(): string[] {
    return this.#rows.slice(-this.height).map((row) => row.trimEnd());
  }

  write(data: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
    for (const [piece, parameters, letter] of data.matchAll(/\x1b\[([?0-9;]*)([A-Za-z])|[\s\S]/gu)) {
      if (letter !== undefined) this.#control(`${parameters}${letter}`);
      else this.#put(piece);
    }
  }

  /** As most terminals do: lines that have become too long are broken, and the cursor stays where its text is. */
  resize(columns: number, height: number): void {
    const broken = this.#rows.map((row) => row.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? ['']);
    this.#row = broken.slice(0, this.#row).flat().length;
    this.#rows = broken.flat();
    this.columns = columns;
    this.height = height;
  }

  #put(char: string): void {
    if (char === '\r') this.#column = 0;
    else if (char === '\n') {
      this.#row += 1;
      if (this.#row === this.#rows.length) this.#rows.push('');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
    } else if (/[\x00-\x1f\x7f-\x9f]/.test(char))
      throw new Error(`${JSON.stringify(char)} was sent after ${this.text.slice(-200)}`);
    else {
      if (this.#column >= this.columns && this.wraps) {
        this.#put('\r');
        this.#put('\n');
      }
      if (this.#column >= this.columns) this.overflow += 1;
      const row = this.#rows[this.#row] ?? '';
      this.#rows[this.#row] = row.slice(0, this.#column).padEnd(this.#column) + char + row.slice(this.#column + 1);
      this.#column += 1;
    }
  }

  #control(what: string): void {
    const rows = /^(\d+)A$/.exec(what)?.[1];
    if (rows !== undefined) this.#row = Math.max(0, this.#rows.length - this.height, this.#row - Number(rows));
    else if (what === '2K') this.#rows[this.#row] = '';
    else if (what === '0J') {
      this.#rows.length = this.#row + 1;
      this.#rows[this.#row] = (this.#rows[this.#row] ?? '').slice(0, this.#column);
    } else if (what === '?25l' || what === '?25h') this.cursorShown = what.endsWith('h');
    else if (what === '?7l' || what === '?7h') this.wraps = what.endsWith('h');
    else if (!/^(\?20(?:26|04)[hl]|[\d;]*m)$/.test(what)) throw new Error(`ESC[${what} was sent`);
  }
}

export type PtyOptions = {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
};

export class Pty implements Disposable {
  readonly terminal: Terminal;
  readonly done: Promise<number | null>;
  raw = '';
  /** What could be seen after each drawing, and how much had been sent by then: nobody looks often enough to see all of it. */
  readonly pictures: { readonly text: string; readonly sent: number }[] = [];
  #sent = 0;
  readonly #child: ChildProcess;
  readonly #tty: string;
  #resized: (() => void) | null = null;

  /** Runs a command as a shell would, in a terminal of its own. */
  constructor(argv: readonly string[], { dir, env, columns = 80, rows = 24 }: PtyOptions) {
    this.terminal = new Terminal(columns, rows);
    this.#tty = join(dir, `tty-${process.hrtime.bigint()}`);
    const quoted = argv.map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(' ');
    const command = `stty rows ${rows} cols ${columns} && echo "$$ $(tty)" >'${this.#tty}' && exec ${quoted}`;
    this.#child = spawn('script', ['-qefc', command, '/dev/null'], {
      cwd: dir,
      env: { SHELL: '/bin/sh', TERM: 'xterm', LC_ALL: 'C.UTF-8', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (data: string) => {
      this.raw += data;
      this.#show(data);
    });
    this.done = new Promise((resolve) => this.#child.on('close', (code) => resolve(code)));
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** As a window that is closed: the terminal is gone, and the kernel tells its processes so. */
  hangUp(): void {
    this.#child.kill('SIGKILL');
  }

  /** Now or before. */
  showed(what: string | RegExp): Promise<true> {
    const has = ({ text }: { text: string }) => (typeof what === 'string' ? text.includes(what) : what.test(text));
    return eventually(() => this.pictures.some(has), `the terminal showed ${what}`) as Promise<true>;
  }

  shows(text: string, patienceMs?: number): Promise<true> {
    return eventually(
      () => this.terminal.text.includes(text),
      `the terminal shows ${text}`,
      patienceMs,
    ) as Promise<true>;
  }

  /** The picture changes with the first one that is drawn for the new size: what was under way is still for the old. */
  resize(columns: number, rows: number): void {
    this.#resized = () => this.terminal.resize(columns, rows);
    execFileSync('stty', ['-F', this.#place().tty, 'rows', String(rows), 'cols', String(columns)]);
  }

  #show(data: string): void {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
    for (const picture of data.split(/(?=\x1b\[\?2026h)/)) {
      if (picture.includes('\x1b[0J')) {
        this.#resized?.();
        this.#resized = null;
      }
      this.terminal.write(picture);
      this.#sent += picture.length;
      this.pictures.push({ text: this.terminal.text, sent: this.#sent });
    }
  }

  /** Of the program, once it has begun. */
  get pid(): number {
    return this.#place().pid;
  }

  #place(): { pid: number; tty: string } {
    const [pid = '', tty = ''] = readFileSync(this.#tty, 'utf8').trim().split(' ');
    return { pid: Number(pid), tty };
  }

  [Symbol.dispose](): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    // The program first: with its terminal gone it would begin to put things away, in a directory that is being removed.
    const pid = existsSync(this.#tty) ? this.pid : 0;
    if (pid > 0) kill(pid);
    this.#child.kill('SIGKILL');
  }
}
