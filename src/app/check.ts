/** Runs every gate of the project on one commit, as a task would meet them, without a worker. */
import type { HandContext } from '../engine/ports/hands.ts';
import { sha256 } from '../kernel/hash.ts';
import type { BlobHash } from '../kernel/ids.ts';
import type { BaseFinding } from '../mind/gates/baseline.ts';
import type { RealHands } from './real-hands.ts';

export type CheckedCommit = BaseFinding & { readonly ms: number; readonly evidence: string };

export async function checkCommit(
  real: RealHands,
  ask: { readonly commit: string; readonly gates: readonly string[] },
  told: (checked: CheckedCommit) => void,
  signal: AbortSignal,
): Promise<CheckedCommit[]> {
  const found: CheckedCommit[] = [];
  for (const gate of ask.gates) {
    const texts = new Map<string, string>();
    const context: HandContext = {
      signal,
      keep: async (text) => {
        const hash = sha256(text) as BlobHash;
        texts.set(hash, text);
        return hash;
      },
      read: async (hash) => texts.get(hash) ?? null,
    };
    const began = performance.now();
    const spec = { version: 1 as const, text: 'check' };
    const finding = await real.baseOf({ task: 'check', token: 0, gate, spec, base: ask.commit }, context);
    if (finding === null) break;
    const checked = {
      ...finding,
      ms: Math.round(performance.now() - began),
      // The first texts are evidence; the others are lists of tests, kept for later runs.
      evidence: [...texts.values()].find((text) => text.startsWith('gate ')) ?? '',
    };
    found.push(checked);
    told(checked);
  }
  return found;
}
