/** The real AI CLIs, as tools/clis.sh installs them: where their programs are. Not being there is a failure, never a skip. */
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';

export const CLIS = ['claude', 'codex', 'copilot', 'gemini', 'opencode'] as const;
export type Cli = (typeof CLIS)[number];

let bin: string | null = null;

/** All five programs, to be put on a PATH. */
export function clisBin(): string {
  bin ??= execFileSync('sh', [join(import.meta.dirname, '../../tools/clis.sh'), '--check'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
  return bin;
}

/** The program of one; a link into the installation. */
export function cliBin(cli: Cli): string {
  return join(clisBin(), cli);
}

/** What a sandbox has to show for any of them to start: the whole installation. */
export function clisRoot(): string {
  return realpathSync(join(clisBin(), '..'));
}
