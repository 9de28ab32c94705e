/**
 * Fits the weights of src/mind/tokens/estimate.ts: `node bench/tokens/fit.ts FIT,… TEST,…`, both lists of repositories with
 * a checkout. Prints the weights, and for each repository how far the estimate is from the real count.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCounter } from '../../src/mind/tokens/count.ts';
import { estimateTokens } from '../../src/mind/tokens/estimate.ts';
import { FEATURES, featuresOf, weigher } from '../../src/mind/tokens/runs.ts';
import { percentile } from '../support.ts';

const MOST_FILES = 800;
type Sample = { readonly bytes: Uint8Array; readonly tokens: number };

const [fit = [], test = []] = process.argv.slice(2, 4).map((list) => list.split(','));
const count = await loadCounter();
const fitted = weightsOf(fit.flatMap(samplesOf));
console.log(`weights: ${JSON.stringify(fitted.map((weight) => Number(weight.toFixed(4))))}`);
for (const dir of [...fit, ...test]) {
  const samples = samplesOf(dir);
  report(`${dir}, fitted now`, samples, weigher(fitted));
  report(`${dir}, as it is in the code`, samples, estimateTokens);
  report(`${dir}, characters / 4`, samples, (bytes) => bytes.length / 4);
}

function samplesOf(dir: string): Sample[] {
  const paths = execFileSync('git', ['-C', dir, 'ls-files', '-z'], { encoding: 'utf8', maxBuffer: 1e9 }).split('\0');
  const step = Math.ceil(paths.length / MOST_FILES);
  return paths.flatMap((path, n) => {
    if (n % step !== 0 || path === '') return [];
    try {
      const bytes = readFileSync(join(dir, path));
      if (bytes.length < 100 || bytes.length > 100_000 || bytes.includes(0)) return [];
      return [{ bytes, tokens: count(bytes.toString()) }];
    } catch {
      return [];
    }
  });
}

/** Least squares of the relative error, with a little to keep weights of rare things small. */
function weightsOf(samples: readonly Sample[]): number[] {
  const size = FEATURES;
  const rows = Array.from({ length: size }, (_, n) =>
    Array.from({ length: size + 1 }, (_, m): number => (n === m ? 1e-4 : 0)),
  );
  for (const { bytes, tokens } of samples) {
    const features = featuresOf(bytes).map((value) => value / tokens);
    for (const [n, row] of rows.entries()) {
      for (let m = 0; m < size; m += 1) row[m] = row[m]! + features[n]! * features[m]!;
      row[size] = row[size]! + features[n]!;
    }
  }
  for (let n = 0; n < size; n += 1) {
    const pivot = rows.slice(n).reduce((best, row) => (Math.abs(row[n]!) > Math.abs(best[n]!) ? row : best));
    rows.splice(rows.indexOf(pivot), 1);
    rows.splice(n, 0, pivot);
    for (const row of rows) {
      if (row === pivot) continue;
      const factor = row[n]! / pivot[n]!;
      for (let m = n; m <= size; m += 1) row[m] = row[m]! - factor * pivot[m]!;
    }
  }
  return rows.map((row, n) => row[size]! / row[n]!);
}

function report(name: string, samples: readonly Sample[], estimate: (bytes: Uint8Array) => number): void {
  const start = performance.now();
  const errors = samples.map(({ bytes, tokens }) => estimate(bytes) / tokens - 1);
  const speed = samples.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1e3 / (performance.now() - start);
  const off = errors.map(Math.abs);
  const cells = [percentile(off, 50), percentile(off, 95), percentile(errors, 1)].map(
    (x) => `${(x * 100).toFixed(1)} %`,
  );
  console.log(`${name}: median ${cells[0]}, p95 ${cells[1]}, p1 under ${cells[2]}, ${speed.toFixed(0)} MB/s`);
}
