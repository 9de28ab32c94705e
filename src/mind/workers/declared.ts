/** Listens to a command that people declared: it has no protocol, so its exit code counts. */

import { UNKNOWN_COST } from '../domain/values.ts';
import type { CliExit, CliFailure, CliResult, Listener } from './adapter.ts';
import { failure, knownFailure } from './adapters/failure.ts';
import { TextEnd } from './adapters/text-end.ts';
import type { DeclaredCli } from './cli-config.ts';
import { FinalTextReader } from './final-text.ts';

const STDERR_CHARS = 4_000;

export class DeclaredListener implements Listener {
  readonly #said: FinalTextReader;
  readonly #stderr = new TextEnd(STDERR_CHARS);

  constructor({ output, text_pointer }: Pick<DeclaredCli, 'output' | 'text_pointer'>) {
    this.#said = new FinalTextReader(output, text_pointer);
  }

  add(stream: 'stdout' | 'stderr', text: string): void {
    if (stream === 'stdout') this.#said.add(text);
    else this.#stderr.add(text);
  }

  end(ended: CliExit): CliResult {
    const final = this.#said.end();
    const bad = ended.exit.how === 'exit' && ended.exit.code !== 0;
    const words = bad ? [this.#stderr.text, final.type === 'text' ? final.text.slice(-STDERR_CHARS) : ''] : [];
    const failure = words.map((text) => refusal(text, ended)).find((one) => one !== null) ?? null;
    return { final, claims: 'success', failure, cost: UNKNOWN_COST, model: null, session: null };
  }
}

/** Only messages that all vendors share, and that another try would meet again. */
function refusal(text: string, ended: CliExit): CliFailure | null {
  const known = knownFailure(null, text, ended);
  if (known?.class === 'auth' || known?.class === 'quota') return known;
  if (/\b429\b|rate[_ -]?limit/i.test(text)) return { ...failure('quota', text, 429), resetAt: known?.resetAt ?? null };
  return /\b401\b/.test(text) ? failure('auth', text, 401) : null;
}
