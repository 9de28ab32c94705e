/** Renders the packet of an attempt: texts gathered, secrets taken out of each, then put together. */
import { randomBytes } from 'node:crypto';
import type { HandContext } from '../../engine/ports/hands.ts';
import type { AnswerKind } from '../../mind/answers/schemas.ts';
import type { WorkerRun } from '../../mind/domain/effects.ts';
import { renderPacket } from '../../mind/prompts/packet.ts';
import type { WorkerOptions } from './options.ts';

export async function packetFor(
  { redact, settings }: Pick<WorkerOptions, 'redact' | 'settings'>,
  work: WorkerRun,
  answer: AnswerKind,
  context: HandContext,
): Promise<string> {
  const { spec, role, attempt, attempts, feedback } = work;
  const failed = work.findings.filter(({ status }) => status !== 'pass');
  const texts = await Promise.all(
    failed.map(({ evidence }) => (evidence === null ? Promise.resolve(null) : context.read(evidence))),
  );
  const clean = cleaner(redact);
  const [text, acceptance, files, why, outputs] = await Promise.all([
    clean([spec.text]),
    clean(spec.acceptance ?? []),
    clean(spec.files ?? []),
    clean(feedback === null ? [] : [feedback]),
    clean(texts.map((one) => one ?? '')),
  ]);
  const { testPaths, protect } = settings();
  return renderPacket({
    role,
    kind: attempt.kind,
    answer,
    attempt: { number: attempt.number, of: Math.max(attempts, attempt.number) },
    text: text[0] ?? '',
    acceptance,
    files,
    feedback: why[0] ?? null,
    evidence: failed.map(({ gate, status }, index) => ({
      gate,
      status,
      text: texts[index] === null ? null : (outputs[index] ?? ''),
    })),
    protect: [...testPaths, ...protect],
    allow: spec.allow ?? [],
    seed: randomBytes(16).toString('hex'),
  });
}

/** Nothing to clean costs nothing. */
const cleaner =
  (redact: WorkerOptions['redact']) =>
  (texts: readonly string[]): Promise<readonly string[]> =>
    texts.length === 0 ? Promise.resolve([]) : redact(texts);
