/** Programs that end with code 1 and try from inside to have another one reported (`forge.pl`). */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, SandboxError, type SandboxPolicy } from '../../src/engine/ports/sandbox.ts';
import { FIRST_SHELL } from '../../src/mind/sandbox/first-process.ts';

const YAMA = '/proc/sys/kernel/yama/ptrace_scope';
/** Whether a process may write to others of its user at all. Where it may not (Ubuntu), no control can show the harm. */
export const MAY_WRITE = !existsSync(YAMA) || readFileSync(YAMA, 'utf8').trim() === '0';
/** What an attack on an ordinary shell comes to, of a program that ends with 1. */
export const WITHOUT = MAY_WRITE
  ? { code: 0, said: /: (?:wrote|looked)\n$/ }
  : { code: 1, said: /denied|not permitted|looked/ };

export type Forged = {
  /** `error`: nobody knows how it ended, which is never taken for a pass. */
  readonly end: string;
  readonly said: string;
};

/** The attack is one process of a gate, whose own command ends with 1 all the same. */
export async function forge(sandbox: Sandbox, policy: SandboxPolicy, attack: string): Promise<Forged> {
  let said = '';
  const line = `perl /programs/forge.pl ${attack}\nexit 1\n`;
  const run = sandbox.run({
    argv: [attack === 'shell' ? '/bin/sh' : 'sh', '-c', line],
    policy,
    input: '',
    onOutput: (_, bytes) => {
      said += Buffer.from(bytes).toString();
    },
    signal: new AbortController().signal,
  });
  const end = await run.then(
    (result) => ('code' in result.end ? `exit ${result.end.code}` : JSON.stringify(result.end)),
    (error: unknown) => {
      if (!(error instanceof SandboxError)) throw error;
      return `error: ${error.message}`;
    },
  );
  return { end, said };
}

/**
 * Stands for a program that builds sandboxes, and has the ordinary shell of the system for all that the copy would be:
 * the same run without the defence. `checked`: the first process still looks whether it can be reached.
 */
export function withoutCopy(path: string, program: string, checked = false): string {
  const check = checked ? '' : 's/^if \\[ -r \\/proc\\/1\\/environ.*\\n//m;';
  const text = `#!/usr/bin/perl\nfor (@ARGV) { s{\\Q${FIRST_SHELL}\\E(?= |$)}{/bin/sh}g; ${check} }\nexec '${program}', @ARGV;\n`;
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

export const controlIn = (dir: string, checked = false): string =>
  withoutCopy(join(dir, checked ? 'checked-bwrap' : 'open-bwrap'), '/usr/bin/bwrap', checked);

/** What becomes of each when the first process is out of reach. Whatever it is, it is not 0. */
export const ATTACKS: Readonly<Record<string, { readonly end: RegExp; readonly said: RegExp }>> = {
  memory: { end: /^exit 1$/, said: /^memory: maps: Permission denied\nmemory: write: Permission denied\n$/ },
  shell: { end: /^exit 1$/, said: /^shell: maps: Permission denied\nshell: write: Permission denied\n$/ },
  vm: { end: /^exit 1$/, said: /^vm: maps: Permission denied\nvm: write: Operation not permitted\n$/ },
  ptrace: { end: /^exit 1$/, said: /^ptrace: maps: Permission denied\nptrace: seize: Operation not permitted\n$/ },
  pidfd: { end: /^exit 1$/, said: /^(?:pidfd: fd: (?:Operation not permitted|Bad file descriptor)\n)+$/ },
  pipes: {
    end: /^exit 1$/,
    said: /pipes: \/proc\/1\/fd: Permission denied\n[\s\S]*pipes: \/proc\/1\/task\/1\/fd: Permission denied\n/,
  },
  kill: { end: /^exit 1$/, said: /^$/ },
  nested: { end: /^exit 1$/, said: /^nested: maps: Permission denied\nnested: write: Permission denied\n$/ },
  // The attackers also write into each other, and into the shell that started them: those may crash.
  race: { end: /^exit (?:1|139)$/, said: /^race: looked\n(?:Segmentation fault\n)*$/ },
  others: { end: /^(?:exit (?:1|137)|\{"how":"signal","signal":"SIGKILL"\})$/, said: /^(?:others: killed\n)?$/ },
  limit: { end: /^error: the end of the program is not known/, said: /^limit: set\n$/ },
};

/** What `forge.pl look` found in /proc/1: the entries that name a directory of the host, and those that took a write. */
export function lookedAt(said: string, dir: string): { readonly told: string[]; readonly took: string[] } {
  const names = (lines: readonly string[]) => [
    ...new Set(lines.flatMap((line) => /^\w+ \/proc\/1\/(?:task\/1\/)?(\w+)/.exec(line)?.[1] ?? [])),
  ];
  const lines = said.split('\n');
  return {
    told: names(lines.filter((line) => line.startsWith('read ') && line.includes(dir))).sort(),
    took: names(lines.filter((line) => line.startsWith('wrote '))).sort(),
  };
}
