/**
 * Measures the search for secrets with other people's samples and repositories:
 *
 *   node bench/secrets/main.ts --samples corpus.jsonl [--samples more.jsonl] [--misses] [checkout ...]
 *
 * A line of samples: {"text": "…", "secret": "…"}; an empty secret counts as found when anything is. Of a secret at least nine tenths
 * must be covered; of one made of several parts (`user:password`, an address) two fifths: who logs in, and where, stays
 * readable. Of each checkout every tracked text file is scanned and every hit is shown, to be judged by hand.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { mayHold } from '../../src/hands/redact/may-hold.ts';
import { findAll } from '../../src/hands/redact/redact.ts';
import { lint } from '../../src/hands/redact/secretlint.ts';
import { findSecrets } from '../../src/mind/secrets/scan.ts';
import type { SecretSpan } from '../../src/mind/secrets/secret-span.ts';
import { trackedFiles } from './tracked.ts';

type Sample = { readonly text: string; readonly secret: string };
type Scanner = (text: string) => Promise<readonly SecretSpan[]>;

const SCANNERS: readonly { readonly name: string; readonly scan: Scanner }[] = [
  { name: 'secretlint alone', scan: lint },
  // Must find the same as the one before.
  { name: 'secretlint, texts it may find something in', scan: async (text) => (mayHold(text) ? lint(text) : []) },
  { name: 'own rules alone', scan: async (text) => findSecrets(text) },
  { name: 'both', scan: async (text) => (await findAll([text]))[0] ?? [] },
];
const MAX_BYTES = 2_000_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { samples: { type: 'string', multiple: true }, misses: { type: 'boolean' } },
});
for (const file of values.samples ?? []) await detection(file);
for (const directory of positionals) await hits(directory);

async function detection(file: string): Promise<void> {
  const samples = readFileSync(file, 'utf8').trim().split('\n').map(parsed);
  for (const { name, scan } of SCANNERS) {
    let found = 0;
    for (const sample of samples) {
      if (covers(sample, await scan(sample.text))) found++;
      else if (values.misses === true && name === 'both') console.log(`missed\t${JSON.stringify(sample)}`);
    }
    console.log(
      `${basename(file)}\t${name}\t${found} of ${samples.length}\t${((100 * found) / samples.length).toFixed(1)} %`,
    );
  }
}

function parsed(line: string): Sample {
  const { text, secret } = JSON.parse(line) as Partial<Sample>;
  if (typeof text !== 'string' || typeof secret !== 'string')
    throw new Error(`a line of samples must be {"text": "…", "secret": "…"}, not ${line.slice(0, 80)}`);
  return { text, secret };
}

function covers({ text, secret }: Sample, findings: readonly SecretSpan[]): boolean {
  if (secret === '') return findings.length > 0;
  const asked = (/[:|]/.test(secret) ? 0.4 : 0.9) * secret.length;
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
    const end = at + secret.length;
    const covered = findings.map(({ from, to }) => Math.max(0, Math.min(to, end) - Math.max(from, at)));
    if (covered.reduce((sum, one) => sum + one, 0) >= asked) return true;
  }
  return false;
}

async function hits(directory: string): Promise<void> {
  const texts = trackedFiles(directory).flatMap((path) => {
    const bytes = readFileSync(join(directory, path));
    return bytes.length > MAX_BYTES || bytes.includes(0) ? [] : [{ path, text: bytes.toString('utf8') }];
  });
  const megabytes = texts.reduce((sum, { text }) => sum + text.length, 0) / 1e6;
  for (const { name, scan } of SCANNERS) {
    const before = process.cpuUsage();
    let count = 0;
    for (const { path, text } of texts) {
      const findings = await scan(text);
      count += findings.length;
      if (name === 'both') for (const one of findings) show(directory, path, text, one);
    }
    const used = process.cpuUsage(before);
    const speed = megabytes / ((used.user + used.system) / 1e6);
    const rate = ((1_000 * count) / texts.length).toFixed(2);
    console.log(
      `${basename(directory)}\t${name}\t${count} hits in ${texts.length} files\t${rate} per 1,000\t${speed.toFixed(0)} MB per CPU second`,
    );
  }
}

function show(directory: string, path: string, text: string, { from, to, rule }: SecretSpan): void {
  const line = text.slice(0, from).split('\n').length;
  const piece = `${text.slice(Math.max(0, from - 50), from)}⟦${text.slice(from, Math.min(to, from + 90))}⟧`;
  console.log(`hit\t${basename(directory)}/${path}:${line}\t${rule}\t${JSON.stringify(piece)}`);
}
