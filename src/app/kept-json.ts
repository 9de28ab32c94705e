/** Small JSON files in the state directory that may be lost: an object by names, replaced as a whole. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

type KeptEntries<T> = Readonly<Record<string, T>>;

export function readKept<T>(file: string): KeptEntries<T> {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return kept !== null && typeof kept === 'object' ? (kept as KeptEntries<T>) : {};
  } catch {
    return {};
  }
}

export function writeKept<T>(file: string, kept: KeptEntries<T>): void {
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, JSON.stringify(kept), { mode: 0o600 });
  renameSync(whole, file);
}
