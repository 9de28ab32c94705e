/** The parts of a small packet, and what of a packet instructs. */
import type { PacketParts } from '../../../src/mind/prompts/packet.ts';
import { role } from '../../support/role.ts';

export const PARTS: PacketParts = {
  role: role('implementer', { system_prompt: 'You write code that others have to live with.\n' }),
  answer: 'implementation',
  kind: 'change',
  attempt: { number: 1, of: 3 },
  level: null,
  text: 'Say hello.',
  acceptance: [],
  files: [],
  feedback: null,
  protect: [],
  allow: [],
  scope: [],
  settings: [],
  handOver: false,
  analysis: false,
  startsFrom: 'line',
  goal: null,
  queue: [],
  history: [],
  notes: [],
  raised: [],
  opinions: [],
  context: '',
  seed: 'seed',
};

/** What stands outside of all quotes: the only part that instructs. */
export function instructions(packet: string): string {
  const open = /^<<<([0-9A-F]{20}) .*$/m.exec(packet);
  if (open === null) return packet;
  const end = packet.indexOf(`\n${open[1]}>>>`, open.index);
  return packet.slice(0, open.index) + instructions(packet.slice(end + `\n${open[1]}>>>`.length));
}
